"""The memory window chosen by scene, and called-up memories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from gm.ask.prompt.context import Assembler
from gm.base.config import RagSettings, read_rag
from gm.base.errors import PromptError
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.files.lexical.index import WordIndex
from gm.files.packaged.kinds import load_kinds
from gm.files.streams.gifted import read_gifted
from gm.files.streams.strength import StrengthFile
from gm.memory.lens import Lens, boosts_of, lenses_of, original_text, read_through
from gm.memory.recall.columns import Columns
from gm.memory.recall.dates import find_spans, ordinal_of
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Hit, Purpose, Query
from gm.memory.recall.scored import RecallInputs
from gm.memory.recall.strategies import rank
from gm.memory.recall.window import BY_QUESTION, associate, choose_settled, select_chosen, split_settled
from gm.memory.retrieve import Selection, count_fresh
from gm.memory.seed_memories import WORLD, beyond_prompt
from gm.model.ids import highest_number
from gm.model.node import COPIED, GIFTED, Node, is_utterance
from gm.model.scene import Scene
from gm.model.world import Agent, World
from gm.play.vector_search import Nodes, VectorSearch, gifted_index
from gm.scene.evening.asked import choose_talks, spoken_in
from gm.scene.grounding.mentions import topic_words

Ranked = tuple[Hit, Node | None]
ANY = Filters()
COPIES = Filters(kinds=(COPIED,))
TALKS = Filters(types=("conversation",))
SPARE = 3  # factor of what is searched to what is wanted: the window is left out afterwards


@dataclass(frozen=True, slots=True)
class Search:
    """A search in a character's memory."""

    query: Query
    most: int
    strategy: str = "hybrid"
    filters: Filters = ANY


class Reminder:
    """Finds called-up memories; opens the word index when first needed.

    Args:
        keeps: Whether a memory that was found may be called up.
    """

    def __init__(
        self,
        layout: Layout,
        assembler: Assembler,
        notice: Callable[[str], None],
        vectors: VectorSearch,
        keeps: Callable[[Node], bool] = lambda _node: True,
    ) -> None:
        self._layout = layout
        self._assembler = assembler
        self._notice = notice
        self._vectors = vectors
        self._keeps = keeps
        self._index: WordIndex | None = None
        self._strengths = StrengthFile(layout)
        self._said: set[str] = set()
        self._rankings: dict[tuple[str, Search], tuple[int, Sequence[Ranked]]] | None = None
        self._hits_in: dict[str, tuple[tuple[object, ...], dict[Search, tuple[int, Sequence[Hit]]]]] = {}
        self._made_of: dict[tuple[str, str], tuple[tuple[object, ...], Columns]] = {}
        self._windows: dict[str, tuple[tuple[object, ...], frozenset[str] | None]] = {}

    def close(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def embed_ahead(self, work: Callable[[], object]) -> None:
        """Embed the questions of some work in one batch.

        The work is run once without vectors to collect them: it must change nothing.
        """
        if self._vectors.is_usable:
            with self._vectors.together():
                work()

    def window(self, world: World, agent: Agent, scene: Scene | None, last: int | None = None) -> Selection | None:
        """Choose the window by a scene, for all of its turns; None = the newest memories."""
        retrieval = world.settings.retrieval
        if retrieval.strategy not in BY_QUESTION or not agent.stream:
            return None
        settled = agent.stream[: len(agent.stream) - count_fresh(agent.stream, world.open_day)]
        most = last or retrieval.last
        query = self._window_query(world, agent, scene)
        key = (settled, retrieval.strategy, most, world.settings.recall, world.settings.language, query)
        known = self._windows.get(agent.id)
        if known is None or known[0] != key:
            older, newest = split_settled(settled, most)
            columns = self._columns(agent.id, older, query, world.settings.language)
            chosen, notices = choose_settled(
                columns, newest, retrieval.strategy, most, query, self._make_means(world, self._streams(agent))
            )
            self._say(notices)
            known = (key, chosen)
            if not self._vectors.is_noting:
                self._windows[agent.id] = known
        return None if known[1] is None else select_chosen(agent.stream, known[1], retrieval, world.open_day)

    def _window_query(self, world: World, agent: Agent, scene: Scene | None) -> Query:
        if scene is None:
            day = max((node.when.day for node in agent.stream), default=0)
            return Query("", agent.id, day, purpose="window")
        if scene.is_asked:
            return self._rag_query(world, scene, agent)
        place = scene.place.replace("-", " ")
        text = " ".join(filter(None, (place, self._assembler.cue(world, agent, scene, ""))))
        return make_query(world, agent, scene, text, "window")

    def _rag_query(self, world: World, scene: Scene, agent: Agent, said: Sequence[str] = ()) -> Query:
        rag = rag_of(world, scene, agent)
        text = self._cue(world, agent, scene, rag.query_template, said)
        return make_query(world, agent, scene, text, rag.purpose)

    def _columns(self, owner: str, nodes: Sequence[Node], query: Query, language: str) -> Columns:
        known = self._made_of.get((owner, query.purpose))
        if known is None or known[0] != (nodes, language):
            known = ((nodes, language), Columns(MemoryLexicon(owner, nodes, language)))
            self._made_of[owner, query.purpose] = known
        return known[1]

    def mind(
        self, world: World, scene: Scene, agent: Agent, remembered: Collection[str], said: Sequence[str] = ()
    ) -> tuple[Node, ...]:
        """Return the memories that a scene calls up, oldest first, within ``rag.budget_tokens``."""
        rag = rag_of(world, scene, agent)
        if not rag.most or scene.type.reply != "scene":
            return ()
        query = self._rag_query(world, scene, agent, said)
        found = self._search_beyond_window(world, agent, Search(query, rag.most), remembered)
        return tuple(
            sorted(
                _keep_within_budget(found, rag.budget_tokens),
                key=lambda node: (node.when, highest_number(agent.id, (node.id,))),
            )
        )

    def talks(self, world: World, scene: Scene, agent: Agent, most: int) -> tuple[Node, ...]:
        """Return the conversations that a question out of scene brings back, archived ones too, best first."""
        query = self._rag_query(world, scene, agent)
        days = tuple(span for span in find_spans(query.text, query.day, query.weekdays) if not span.real)
        if not (days or scene.about or topic_words(world, query.text)):
            return ()
        found = self.search(world, agent, Search(query, most * SPARE, filters=TALKS))
        lenses = lenses_of(world.settings, agent)
        # words as they fell would undo what a lens has made of a memory
        nodes = {
            node.id: node
            for node in (*agent.stream, *found)
            if spoken_in(node) and original_text(node) == read_through(node, lenses)[0]
        }
        told = [
            replace(node, description=" ".join((node.description, *(text for _, text in spoken_in(node)))))
            for node in nodes.values()
        ]
        hits = self._rank_nodes(world, agent.id, told, query, len(told), self._streams(agent)) if told else ()
        scores = {hit.entry.id: hit.score for hit in hits if is_relevant(hit)}
        return choose_talks(nodes.values(), scores, scene.about, most, days)

    def _cue(self, world: World, agent: Agent, scene: Scene, template: str, said: Sequence[str]) -> str:
        if template:
            try:
                return self._assembler.cue(world, agent, scene, template, said)
            except PromptError as error:
                self._say([f"{error.message}; memories are looked for as without it: gm check"])
        return self._assembler.cue(world, agent, scene, "", said)

    def seeds(self, world: World, scene: Scene, agent: Agent) -> tuple[str, ...]:
        """Return at most ``seeds.shown`` otherwise unseen seed memories, best first."""
        most = world.settings.seeds.shown if world.settings.retrieval.enabled else 0
        given = beyond_prompt((*self.seeds_of(WORLD), *self.seeds_of(agent.id))) if most else ()
        nodes = [replace(node, id=f"{GIFTED}/{node.id}") for node in given]
        if len(nodes) > most:
            query = make_query(world, agent, scene, self._assembler.cue(world, agent, scene, ""))
            streams = {gifted_index(owner): partial(self.seeds_of, owner) for owner in (agent.id, WORLD)}
            best = [hit.entry.id for hit in self._rank_nodes(world, agent.id, nodes, query, most, streams)]
            nodes.sort(key=lambda node: best.index(node.id) if node.id in best else most)
        return tuple(" ".join(node.description.split()) for node in nodes[:most])

    def _rank_nodes(
        self, world: World, owner: str, nodes: Sequence[Node], query: Query, most: int, streams: Mapping[str, Nodes]
    ) -> Sequence[Hit]:
        columns = self._columns(owner, nodes, query, world.settings.language)
        found = rank("hybrid", query, (columns,), ANY, most, self._make_means(world, streams))
        self._say(found.notices)
        return found.hits

    def seeds_of(self, owner: str) -> tuple[Node, ...]:
        return read_gifted(self._layout, owner).nodes

    def taken_over(self, world: World, scene: Scene, agent: Agent, remembered: Collection[str]) -> tuple[Node, ...]:
        """Return copied memories that a scene calls up, best first; these are in no window."""
        most = world.settings.share.shown
        if not most or scene.type.reply != "scene" or not any(node.copied_from for node in agent.beside):
            return ()
        query = make_query(world, agent, scene, self._assembler.cue(world, agent, scene, ""))
        return tuple(self._search_beyond_window(world, agent, Search(query, most, filters=COPIES), remembered))

    def _search_beyond_window(
        self, world: World, agent: Agent, search: Search, remembered: Collection[str]
    ) -> list[Node]:
        wider = replace(search, most=search.most * SPARE + len(remembered))
        found = self.search(world, agent, wider, lambda hit: hit.entry.id not in remembered and is_relevant(hit))
        return found[: search.most]

    def search(
        self, world: World, agent: Agent, search: Search, keep: Callable[[Hit], bool] = lambda _hit: True
    ) -> list[Node]:
        """Search a character's own memories, best first."""
        if not world.settings.retrieval.enabled:
            return []
        plans = world.settings.plans.enabled
        utterances = {node.id for node in agent.beside if is_utterance(node.metadata)}
        search = replace(search, most=search.most + len(utterances))  # ranked, then left out
        return [
            node
            for hit, node in self._find(world, agent, search)
            if node is not None and hit.entry.id not in utterances and (plans or node.type != "plan") and keep(hit)
        ]

    @contextmanager
    def one_question(self) -> Iterator[None]:
        """Rank each query once, however many windows are tried."""
        self._rankings = {}
        try:
            yield
        finally:
            self._rankings = None

    def _find(self, world: World, agent: Agent, search: Search) -> Sequence[Ranked]:
        key = (agent.id, replace(search, most=0))
        looked_at, known = (self._rankings or {}).get(key, (-1, ()))
        if looked_at >= search.most:
            return known[: search.most]
        lenses = lenses_of(world.settings, agent)
        found = self._rank(world, agent, search, lenses)
        if self._rankings is not None and not boosts_of(search.query.text, lenses):
            self._rankings[key] = (search.most, found)  # associations depend on how many are ranked
        return found

    def _rank(self, world: World, agent: Agent, search: Search, lenses: Sequence[Lens]) -> list[Ranked]:
        if self._index is None:
            self._index = WordIndex(self._layout, world.settings.language)
        index, query, filters = self._index, search.query, search.filters
        own = {node.id: node for node in (*agent.stream, *agent.beside)}

        def find(streams: tuple[Columns, ...]) -> list[Ranked]:
            near = associate(self._hits(world, agent, search, streams), query.text, lenses, streams, filters)
            # as the world was read: later edits are noticed before the scene lands
            found = ((hit, index.read_node(hit) if index.kept_in(hit) else own.get(hit.entry.id)) for hit in near)
            return [(hit, node if node is not None and self._keeps(node) else None) for hit, node in found]

        return index.ask((agent.id,), find)

    def _hits(self, world: World, agent: Agent, search: Search, streams: tuple[Columns, ...]) -> Sequence[Hit]:
        """Rank, once for all turns of a scene: until then neither index nor counters change, as a rule."""
        means = self._make_means(world, self._streams(agent))
        state = (streams, world.settings, self._strengths.state)
        if agent.id not in self._hits_in or self._hits_in[agent.id][0] != state:
            self._hits_in[agent.id] = (state, {})
        known = self._hits_in[agent.id][1]
        key = replace(search, most=0)
        most, hits = known.get(key, (-1, ()))
        if most >= search.most:
            return hits[: search.most]
        found = rank(search.strategy, search.query, streams, search.filters, search.most, means)
        self._say(found.notices)
        if means.similarity is None:  # vectors may come later
            known[key] = (search.most, found.hits)
        return found.hits

    def _streams(self, agent: Agent) -> Mapping[str, Nodes]:
        return {agent.id: lambda: agent.everything}

    def _make_means(self, world: World, streams: Mapping[str, Nodes]) -> RecallInputs:
        settings = world.settings
        fading = self._strengths.fading(settings)
        similarity = self._vectors.over(streams)
        return RecallInputs(
            settings.recall,
            settings.glossary,
            similarity,
            fading=fading,
            languages=settings.index.made_for,
            things=lambda _language: load_kinds(settings.language),  # recorded days were played so
        )

    def _say(self, notices: Sequence[str]) -> None:
        if self._vectors.is_noting:
            return
        for notice in (*self._vectors.take_notices(), *notices):
            if notice not in self._said:
                self._said.add(notice)
                self._notice(notice)


def rag_of(world: World, scene: Scene, agent: Agent) -> RagSettings:
    """Return the ``rag`` settings of scene type, else persona, else world."""
    if scene.type.rag is not None:
        return scene.type.rag
    own = agent.told.rag
    return world.settings.rag if own is None else read_rag(own, world.settings.rag)[0]


def make_query(world: World, agent: Agent, scene: Scene, text: str, purpose: Purpose = "now") -> Query:
    """Return a character's query as of a scene."""
    return Query(
        text,
        agent.id,
        scene.ref.day,
        scene.ref.scene,
        purpose,
        people=tuple((other.id, other.name, other.call_name) for other in world.agents.values()),
        weekdays=world.settings.calendar.weekdays,
        first_date=ordinal_of(world.settings.calendar.start or ""),
    )


def is_relevant(hit: Hit) -> bool:
    """Return whether anything but recency counts for a hit."""
    return any(hit.parts.get(name, 0.0) > 0 for name in ("own", "beside", "meaning", "date", "association"))


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
