"""Search in the memories of one character, by words and by vectors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from gm.ask.prompt.context import Assembler
from gm.files.layout import Layout
from gm.files.lexical.index import WordIndex
from gm.files.packaged.kinds import load_kinds
from gm.files.streams.strength import StrengthFile
from gm.memory.lens import boosts_of, lenses_of
from gm.memory.recall.columns import Columns
from gm.memory.recall.dates import ordinal_of
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Hit, Purpose, Query
from gm.memory.recall.scored import RecallInputs
from gm.memory.recall.strategies import rank_memories
from gm.memory.recall.window import associate
from gm.model.node import Node, is_utterance
from gm.model.scene import Scene
from gm.model.world import Agent, World
from gm.play.report import notice_once
from gm.play.vector_search import Nodes, VectorSearch

T = TypeVar("T")
Found = list[tuple[Hit, Node | None]]
"""Best first; None = the memory may not be called up."""
ANY = Filters()


@dataclass(frozen=True, slots=True)
class Search:
    """A search in a character's memory."""

    query: Query
    most: int
    strategy: str = "hybrid"
    filters: Filters = ANY


class LastMade:
    """Keeps the last thing made under each name: turns of a scene, and lengths tried for a prompt, ask the same."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[object, object]] = {}

    def get(self, name: Hashable, made_of: object, make: Callable[[], T], *, keeps: bool = True) -> T:
        """Return what is kept if it was made of an equal value; else make it, and keep it if it may."""
        known = self._known.get(name)
        if known is None or known[0] != made_of:
            known = (made_of, make())
            if keeps:
                self._known[name] = known
        return known[1]  # type: ignore[return-value]  # what an equal call has made


@dataclass(frozen=True, slots=True)
class MemorySearch:
    """What memories are searched with. Make it with ``open_search``.

    Attributes:
        notice: Reports a notice, unless it was reported before.
        keeps: Whether a memory that was found may be called up.
        index: The words of all memories; opened by the first search.
        made: By character: ``found``, what searches found while character and settings are equal; ``window``, the
            choice for one question; ``settled`` and ``given``, the columns of memories, until these change.
    """

    layout: Layout
    assembler: Assembler
    notice: Callable[[str], None]
    vectors: VectorSearch
    keeps: Callable[[Node], bool]
    index: WordIndex
    strengths: StrengthFile
    made: LastMade = field(default_factory=LastMade)

    def close(self) -> None:
        self.index.close()
        self.vectors.close()


def open_search(
    layout: Layout,
    assembler: Assembler,
    notice: Callable[[str], None],
    vectors: VectorSearch,
    keeps: Callable[[Node], bool] = lambda _node: True,
) -> MemorySearch:
    """Make what memories are searched with."""
    index = WordIndex(layout, assembler.prompts.language)
    return MemorySearch(layout, assembler, notice_once(notice), vectors, keeps, index, StrengthFile(layout))


def search_memories(
    means: MemorySearch, world: World, agent: Agent, search: Search, keep: Callable[[Hit], bool] = lambda _hit: True
) -> list[Node]:
    """Search a character's own memories, best first."""
    if not world.settings.retrieval.enabled:
        return []
    plans = world.settings.plans.enabled
    utterances = {node.id for node in agent.beside if is_utterance(node.metadata)}
    search = replace(search, most=search.most + len(utterances))  # ranked, then left out
    return [
        node
        for hit, node in _find(means, world, agent, search)
        if node is not None and hit.entry.id not in utterances and (plans or node.type != "plan") and keep(hit)
    ]


def _find(means: MemorySearch, world: World, agent: Agent, search: Search) -> Found:
    found = means.made.get(("found", agent.id), (agent, world.settings), dict[Hashable, tuple[int, Found]])
    inputs = make_inputs(means, world, own_stream(agent))
    most = search.most if boosts_of(search.query.text, lenses_of(world.settings, agent)) else 0
    # associations depend on how many are ranked
    key = (replace(search, most=most), means.strengths.state, means.vectors.state)
    ranked, known = found.get(key, (-1, []))
    if ranked < search.most:
        ranked, known = search.most, _rank(means, world, agent, search, inputs)
        if not means.vectors.is_noting:
            found[key] = ranked, known
    return known[: search.most] if ranked > search.most else known


def _rank(means: MemorySearch, world: World, agent: Agent, search: Search, inputs: RecallInputs) -> Found:
    index, query, filters = means.index, search.query, search.filters
    own = {node.id: node for node in (*agent.stream, *agent.beside)}

    def find(streams: tuple[Columns, ...]) -> Found:
        found = rank_memories(search.strategy, query, streams, filters, search.most, inputs)
        tell_notices(means, found.notices)
        near = associate(found.hits, query.text, lenses_of(world.settings, agent), streams, filters)
        # as the world was read: later edits are noticed before the scene lands
        nodes = ((hit, index.read_node(hit) if index.kept_in(hit) else own.get(hit.entry.id)) for hit in near)
        return [(hit, node if node is not None and means.keeps(node) else None) for hit, node in nodes]

    return index.ask((agent.id,), find)


def rank_nodes(
    means: MemorySearch, world: World, nodes: Sequence[Node], query: Query, most: int, streams: Mapping[str, Nodes]
) -> Sequence[Hit]:
    """Rank memories that are at hand."""
    language = world.settings.language
    columns = means.made.get(
        ("given", query.asker, query.purpose),
        (nodes, language),
        lambda: Columns(MemoryLexicon(query.asker, nodes, language)),
    )
    found = rank_memories("hybrid", query, (columns,), ANY, most, make_inputs(means, world, streams))
    tell_notices(means, found.notices)
    return found.hits


def own_stream(agent: Agent) -> Mapping[str, Nodes]:
    """Return a character's memories by the name of their index."""
    return {agent.id: lambda: agent.everything}


def make_inputs(means: MemorySearch, world: World, streams: Mapping[str, Nodes]) -> RecallInputs:
    """Return what a ranking depends on beside memories."""
    settings = world.settings
    return RecallInputs(
        settings.recall,
        settings.glossary,
        means.vectors.over(streams),
        fading=means.strengths.fading(settings),
        languages=settings.index.made_for,
        things=lambda _language: load_kinds(settings.language),  # recorded days were played so
    )


def tell_notices(means: MemorySearch, notices: Sequence[str]) -> None:
    """Report what a search lacked, unless words are only collected."""
    if not means.vectors.is_noting:
        for notice in (*means.vectors.take_notices(), *notices):
            means.notice(notice)


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
