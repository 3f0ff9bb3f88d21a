"""The memory window chosen by scene, and called-up memories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from gm.base.config import RagSettings, read_rag
from gm.base.errors import PromptError
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.files.streams.gifted import read_gifted
from gm.memory.lens import lenses_of, original_text, read_through
from gm.memory.recall.columns import Columns
from gm.memory.recall.dates import find_spans
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Query
from gm.memory.recall.window import BY_QUESTION, choose_settled, select_chosen, split_settled
from gm.memory.retrieve import Selection, count_fresh
from gm.memory.seed_memories import beyond_prompt
from gm.model.ids import WORLD, highest_number
from gm.model.node import COPIED, GIFTED, Node
from gm.model.scene import Scene
from gm.model.world import Agent, World
from gm.play.memory_search import (
    MemorySearch,
    Search,
    is_relevant,
    make_inputs,
    make_query,
    own_stream,
    rank_nodes,
    search_memories,
    tell_notices,
)
from gm.play.vector_search import gifted_index
from gm.scene.evening.asked import choose_talks, spoken_in
from gm.scene.grounding.mentions import topic_words

COPIES = Filters(kinds=(COPIED,))
TALKS = Filters(types=("conversation",))
SPARE = 3  # factor of what is searched to what is wanted: the window is left out afterwards


def embed_ahead(means: MemorySearch, work: Callable[[], object]) -> None:
    """Embed the questions of some work in one batch.

    The work is run once without vectors to collect them: it must change nothing.
    """
    if means.vectors.is_usable:
        with means.vectors.together():
            work()


def choose_window(
    means: MemorySearch, world: World, agent: Agent, scene: Scene | None, last: int | None = None
) -> Selection | None:
    """Choose the window by a scene, for all of its turns; None = the newest memories."""
    retrieval, language = world.settings.retrieval, world.settings.language
    if retrieval.strategy not in BY_QUESTION or not agent.stream:
        return None
    settled = agent.stream[: len(agent.stream) - count_fresh(agent.stream, world.open_day)]
    most = last or retrieval.last
    query = _window_query(means, world, agent, scene)

    def choose() -> frozenset[str] | None:
        older, newest = split_settled(settled, most)
        columns = means.made.get(
            ("settled", agent.id), (older, language), lambda: Columns(MemoryLexicon(agent.id, older, language))
        )
        inputs = make_inputs(means, world, own_stream(agent))
        chosen, notices = choose_settled(columns, newest, retrieval.strategy, most, query, inputs)
        tell_notices(means, notices)
        return chosen

    made_of = (settled, retrieval.strategy, most, world.settings.recall, language, query)
    chosen = means.made.get(("window", agent.id), made_of, choose, keeps=not means.vectors.is_noting)
    return None if chosen is None else select_chosen(agent.stream, chosen, retrieval, world.open_day)


def _window_query(means: MemorySearch, world: World, agent: Agent, scene: Scene | None) -> Query:
    if scene is None:
        day = max((node.when.day for node in agent.stream), default=0)
        return Query("", agent.id, day, purpose="window")
    if scene.is_asked:
        return _rag_query(means, world, scene, agent)
    place = scene.place.replace("-", " ")
    text = " ".join(filter(None, (place, means.assembler.cue(world, agent, scene, ""))))
    return make_query(world, agent, scene, text, "window")


def _rag_query(means: MemorySearch, world: World, scene: Scene, agent: Agent, said: Sequence[str] = ()) -> Query:
    rag = rag_of(world, scene, agent)
    text = _cue(means, world, agent, scene, rag.query_template, said)
    return make_query(world, agent, scene, text, rag.purpose)


def _cue(means: MemorySearch, world: World, agent: Agent, scene: Scene, template: str, said: Sequence[str]) -> str:
    if template:
        try:
            return means.assembler.cue(world, agent, scene, template, said)
        except PromptError as error:
            tell_notices(means, [f"{error.message}; memories are looked for as without it: gm check"])
    return means.assembler.cue(world, agent, scene, "", said)


def call_to_mind(
    means: MemorySearch, world: World, scene: Scene, agent: Agent, remembered: Collection[str], said: Sequence[str] = ()
) -> tuple[Node, ...]:
    """Return the memories that a scene calls up, oldest first, within ``rag.budget_tokens``."""
    rag = rag_of(world, scene, agent)
    if not rag.most or scene.type.reply != "scene":
        return ()
    query = _rag_query(means, world, scene, agent, said)
    found = _search_beyond_window(means, world, agent, Search(query, rag.most), remembered)
    return tuple(
        sorted(
            _keep_within_budget(found, rag.budget_tokens),
            key=lambda node: (node.when, highest_number(agent.id, (node.id,))),
        )
    )


def find_talks(means: MemorySearch, world: World, scene: Scene, agent: Agent, most: int) -> tuple[Node, ...]:
    """Return the conversations that a question out of scene brings back, archived ones too, best first."""
    query = _rag_query(means, world, scene, agent)
    days = tuple(span for span in find_spans(query.text, query.day, query.weekdays) if not span.real)
    if not (days or scene.about or topic_words(world, query.text)):
        return ()
    found = search_memories(means, world, agent, Search(query, most * SPARE, filters=TALKS))
    lenses = lenses_of(world.settings, agent)
    # the words that were spoken would undo what a lens has made of a memory
    nodes = {
        node.id: node
        for node in (*agent.stream, *found)
        if spoken_in(node) and original_text(node) == read_through(node, lenses)[0]
    }
    talks = [
        replace(node, description=" ".join((node.description, *(text for _, text in spoken_in(node)))))
        for node in nodes.values()
    ]
    hits = rank_nodes(means, world, talks, query, len(talks), own_stream(agent)) if talks else ()
    scores = {hit.entry.id: hit.score for hit in hits if is_relevant(hit)}
    return choose_talks(nodes.values(), scores, scene.about, most, days)


def choose_seeds(means: MemorySearch, world: World, scene: Scene, agent: Agent) -> tuple[str, ...]:
    """Return at most ``seeds.shown`` otherwise unseen seed memories, best first."""
    most = world.settings.seeds.shown if world.settings.retrieval.enabled else 0
    seeds_of = partial(read_seeds, means.layout)
    given = beyond_prompt((*seeds_of(WORLD), *seeds_of(agent.id))) if most else ()
    nodes = [replace(node, id=f"{GIFTED}/{node.id}") for node in given]
    if len(nodes) > most:
        query = make_query(world, agent, scene, means.assembler.cue(world, agent, scene, ""))
        streams = {gifted_index(owner): partial(seeds_of, owner) for owner in (agent.id, WORLD)}
        best = [hit.entry.id for hit in rank_nodes(means, world, nodes, query, most, streams)]
        nodes.sort(key=lambda node: best.index(node.id) if node.id in best else most)
    return tuple(" ".join(node.description.split()) for node in nodes[:most])


def read_seeds(layout: Layout, owner: str) -> tuple[Node, ...]:
    """Return the seed memories of a character or the world."""
    return read_gifted(layout, owner).nodes


def find_copies(
    means: MemorySearch, world: World, scene: Scene, agent: Agent, remembered: Collection[str]
) -> tuple[Node, ...]:
    """Return copied memories that a scene calls up, best first; these are in no window."""
    most = world.settings.share.shown
    if not most or scene.type.reply != "scene" or not any(node.copied_from for node in agent.beside):
        return ()
    query = make_query(world, agent, scene, means.assembler.cue(world, agent, scene, ""))
    return tuple(_search_beyond_window(means, world, agent, Search(query, most, filters=COPIES), remembered))


def _search_beyond_window(
    means: MemorySearch, world: World, agent: Agent, search: Search, remembered: Collection[str]
) -> list[Node]:
    wider = replace(search, most=search.most * SPARE + len(remembered))
    found = search_memories(means, world, agent, wider, lambda hit: hit.entry.id not in remembered and is_relevant(hit))
    return found[: search.most]


def rag_of(world: World, scene: Scene, agent: Agent) -> RagSettings:
    """Return the ``rag`` settings of scene type, else persona, else world."""
    if scene.type.rag is not None:
        return scene.type.rag
    own = agent.front_values.rag
    return world.settings.rag if own is None else read_rag(own, world.settings.rag)[0]


def _keep_within_budget(nodes: Sequence[Node], budget_tokens: int | None) -> list[Node]:
    kept: list[Node] = []
    left = budget_tokens
    for node in nodes:
        if left is not None:
            left -= estimate_tokens(node.description)
            if left < 0:
                break
        kept.append(node)
    return kept
