"""Recall: search memories in the files of a world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from gm.api.answers.document import part
from gm.api.reports.gifted import rank_gifted
from gm.base.arguments import check_fields
from gm.base.config import Settings
from gm.base.errors import BrokenWorldError, Problem, UsageError, errors_in
from gm.base.texts import counted
from gm.files.commits.snapshot import snapshot
from gm.files.formats.jsonl import read_lines
from gm.files.layout import Layout
from gm.files.lexical.index import WordIndex, open_index
from gm.files.load import load_stream
from gm.files.packaged.kinds import load_kinds, load_things
from gm.files.story.now import load_clock, load_persona, load_settings, load_whole_state
from gm.files.streams.gifted import read_gifted
from gm.files.streams.strength import StrengthFile
from gm.memory.lens import Lens, lenses_of, read_through
from gm.memory.recall.columns import Columns
from gm.memory.recall.dates import ordinal_of
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.matching import score_memories
from gm.memory.recall.query import (
    Filters,
    Hit,
    Purpose,
    Query,
    Similarity,
    check_types,
    names_seeds,
    select_seeds,
    type_of,
)
from gm.memory.recall.scored import RecallInputs, no_turn
from gm.memory.recall.strategies import LONGEST_QUESTION, rank_memories, strategy_of
from gm.memory.recall.window import associate
from gm.memory.recall.words import split_words, stem, without_stop_words
from gm.memory.seed_memories import beyond_prompt
from gm.model.calendar import SceneRef
from gm.model.ids import WORLD
from gm.model.node import GIFTED, Node
from gm.model.world import Agent, known_agent
from gm.play.vector_search import Nodes, VectorSearch, gifted_index

ABSENT_QUESTION = 'each line is an object with a question: {"question": "…"}'


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How to search; None and 0 = as configured.

    Attributes:
        strategy: ``recent``, ``tags``, ``scored``, ``hybrid`` or ``vector``.
        as_read: Return texts as read through the asking character's lenses.
        seeds: Include seed memories that prompts do not show otherwise.
    """

    strategy: str | None = None
    most: int = 0
    purpose: Purpose | None = None
    everybody: bool = False
    filters: Filters = Filters()
    explain: bool = False
    as_read: bool = False
    seeds: bool = False

    def __post_init__(self) -> None:
        check_fields(self, most=0)


AS_SET = RecallOptions()


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A search result.

    Attributes:
        relevance: 0–1; of ``hybrid`` for the past, the share of the best score found.
        turn: Number of its scene, from 1 over the whole world; empty = outside of scenes.
        kept_in: archive, summaries or gifted; None = the memory stream.
    """

    id: str
    content: str
    relevance: float
    turn: str
    agent: str
    created: str
    type: str
    importance: int
    tags: tuple[str, ...]
    kept_in: str | None = part(omit=None)
    parts: Mapping[str, float] | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class Recalled:
    """Search results, best first, and the strategy used.

    Attributes:
        unmatched: Words of the query that stand in no memory, nor a compound or another form of them.
    """

    query: str
    strategy: str
    memories: tuple[RecalledMemory, ...]
    unmatched: tuple[str, ...] = part(omit=())


class Recall:
    """Searches memories in one world; created by ``open_recall``."""

    def __init__(
        self,
        layout: Layout,
        settings: Settings,
        index: WordIndex,
        vectors: VectorSearch,
        similarity: Similarity | None = None,
    ) -> None:
        self._layout = layout
        self._settings = settings
        self._index = index
        self._similarity = similarity
        self._vectors = vectors
        self._cast = {name: Agent(name, load_whole_state(layout, name)[0]) for name in layout.agent_names()}
        clock, _ = load_clock(layout)
        self._now = (clock.day, clock.scenes_today if clock.day_open else 0)
        self._turn_of: Callable[[SceneRef], int] | None = None
        self._lenses: dict[str, tuple[Lens, ...]] = {}

    def agent(self, name: str) -> str:
        """Return an agent's id, given id or name.

        Raises:
            UsageError: No such character.
        """
        return known_agent(self._cast, name)

    def find(self, agent: str, text: str, options: RecallOptions) -> tuple[Recalled, tuple[str, ...]]:
        """Answer a query of the agent with this id."""
        if self._turn_of is None:
            self._turn_of = self._index.turns()
        names = tuple(self._cast) if options.everybody else (agent,)
        strategy = options.strategy or self._settings.recall.strategy
        query = self._query(agent, text, options)
        most = options.most or self._settings.recall.limit
        by_filter = names_seeds(options.filters)
        seeds = self._seeds(names) if options.seeds and not by_filter else {}
        similarity = self._similarity or self._vectors.over(self._collect_indexed(names, with_seeds=bool(seeds)))
        settings, lenses = self._settings, self._lenses_of(agent)
        means = RecallInputs(
            settings.recall,
            settings.glossary,
            similarity,
            self._turn_of,
            StrengthFile(self._layout).fading(settings),
            settings.index.made_for,
            load_kinds if options.as_read else load_things,  # what characters look up in recorded days stays
        )

        def find(streams: tuple[Columns, ...]) -> tuple[Recalled, tuple[str, ...]]:
            if seeds:
                streams = (*streams, Columns(MemoryLexicon(GIFTED, seeds.values(), settings.language)))
            check_types(options.filters, (kind for stream in streams for kind in stream.lexicon.different("type")))
            found = rank_memories(strategy, query, streams, options.filters, most, means)
            hits = associate(found.hits, text, lenses, streams, options.filters, means.turn_of)[:most]
            memories = [
                memory for hit in hits if (memory := self._describe_hit(hit, options, lenses, seeds)) is not None
            ]
            if by_filter:
                named = self._named_seeds(agent, text, options)
                memories = sorted([*memories, *named], key=lambda memory: -memory.relevance)[:most]
            lost = (_describe_lost_lines(path, count) for path, count in self._index.left_out(names))
            notices = (*self._vectors.take_notices(), *found.notices, *lost)
            unmatched = () if options.as_read else _find_unmatched(query, streams)
            return Recalled(text, found.strategy, tuple(memories), unmatched), notices

        return self._index.ask(names, find)

    def _seeds(self, names: Sequence[str]) -> dict[str, Node]:
        nodes = beyond_prompt(node for owner in (*names, WORLD) for node in read_gifted(self._layout, owner).nodes)
        return {name: replace(node, id=name) for node in nodes if (name := f"{GIFTED}/{node.id}")}

    def _collect_indexed(self, names: Sequence[str], *, with_seeds: bool) -> dict[str, Nodes]:
        indexed: dict[str, Nodes] = {name: partial(self._stream_of, name) for name in names}
        seeds = (*names, WORLD) if with_seeds else ()
        return indexed | {gifted_index(owner): partial(self._seeds_of, owner) for owner in seeds}

    def _stream_of(self, name: str) -> Sequence[Node]:
        return load_stream(self._layout, name)[0]

    def _seeds_of(self, owner: str) -> Sequence[Node]:
        return read_gifted(self._layout, owner).nodes

    def _named_seeds(self, agent: str, text: str, options: RecallOptions) -> list[RecalledMemory]:
        turn_of = self._turn_of or no_turn
        with snapshot(self._layout):
            files = [read_gifted(self._layout, owner) for owner in (agent, WORLD)]
        nodes = [node for file in files for node in select_seeds(file.nodes, agent, options.filters, turn_of)]
        ranked = rank_gifted(nodes, text, self._settings.language)
        return [
            replace(_make_recalled(node, relevance, agent, GIFTED), id=f"{GIFTED}/{node.id}", type=type_of(node))
            for node, relevance in ranked
        ]

    def _query(self, agent: str, text: str, options: RecallOptions) -> Query:
        settings = self._settings
        day, scene = self._now
        return Query(
            text,
            agent,
            day,
            scene,
            options.purpose or settings.recall.purpose,
            people=tuple((other.id, other.name, other.call_name) for other in self._cast.values()),
            weekdays=settings.calendar.weekdays,
            first_date=ordinal_of(settings.calendar.start or ""),
        )

    def _lenses_of(self, name: str) -> tuple[Lens, ...]:
        if name not in self._lenses:
            persona = load_persona(self._layout, name)[0]
            self._lenses[name] = lenses_of(self._settings, replace(self._cast[name], persona=persona))
        return self._lenses[name]

    def _describe_hit(
        self, hit: Hit, options: RecallOptions, lenses: Sequence[Lens], seeds: Mapping[str, Node]
    ) -> RecalledMemory | None:
        seed = seeds.get(hit.entry.id)
        node = seed or self._index.read_node(hit)
        if node is None:
            return None
        when = node.when
        turn = self._turn_of(when) if self._turn_of and when.scene else 0
        kept = GIFTED if seed else self._index.kept_in(hit)
        return replace(
            _make_recalled(node, round(min(1.0, hit.score), 4), "" if seed else hit.owner, kept or None),
            content=read_through(node, lenses)[0] if options.as_read else node.description,
            turn=str(turn) if turn else "",
            parts=dict(hit.parts) if options.explain else None,
        )


def _find_unmatched(query: Query, streams: Sequence[Columns]) -> tuple[str, ...]:
    absent = []
    for stream in streams:
        language = stream.lexicon.language
        words = without_stop_words(query.text[:LONGEST_QUESTION], language)
        absent.append({word for word in words if not score_memories([(word, {stem(word, language): 1.0})], stream)})
    names = {word for person in query.people for name in person for word in split_words(name)}
    return tuple(sorted(set.intersection(*absent) - names)) if absent else ()


def _make_recalled(node: Node, relevance: float, agent: str, kept_in: str | None) -> RecalledMemory:
    at, tags = node.created, tuple(node.tags)
    return RecalledMemory(
        node.id, node.description, relevance, "", agent, at, node.type, node.importance, tags, kept_in
    )


@contextmanager
def open_recall(
    layout: Layout,
    settings: Settings,
    vectors: VectorSearch | None = None,
    similarity: Similarity | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Recall]:
    """Open a world's memories for many questions: a context manager.

    Args:
        vectors: The embedding index; None = that of the world.
        tell: Called with the progress of indexing a long stream.

    Examples:
        >>> with gm.open_recall(layout, opened.world.settings) as recall:
        ...     found, notices = recall.find("casey", "eighty dollars", gm.RecallOptions(most=1))
        >>> found.memories[0].agent, notices
        ('casey', ('there is no embedding index: memories are compared by their words',))
    """
    with open_index(layout, settings.language, tell) as index:
        yield Recall(layout, settings, index, vectors or VectorSearch(layout, settings.index), similarity)


def recall_memories(
    layout: Layout,
    agent: str,
    text: str,
    options: RecallOptions = AS_SET,
    notice: Callable[[str], None] = lambda _text: None,
) -> Recalled:
    """Return the memories of an agent that answer a question best (``gm recall``).

    ``open_recall`` is faster for many questions.

    Args:
        agent: An id or a name.
        notice: Called with notes, e.g. on files that cannot be read.

    Raises:
        UsageError: No such character, strategy or type of memory.

    Examples:
        >>> found = gm.recall_memories(layout, "casey", "the budget for Sunday", gm.RecallOptions(most=3))
        >>> [memory.agent for memory in found.memories]
        ['casey', 'casey', 'casey']
    """
    settings, problems = load_settings(layout)
    for problem in problems:
        notice(str(problem))
    with open_recall(layout, settings, tell=notice) as recall:
        found, notices = recall.find(recall.agent(agent), text, options)
    for said in dict.fromkeys(notices):
        notice(said)
    return found


def require_strategy(name: str) -> str:
    """Return a strategy's name if it is known.

    Raises:
        UsageError: It is not.
    """
    strategy_of(name)
    return name


def load_questions(path: Path) -> list[Mapping[str, Any]]:
    """Read questions, one JSON object per line.

    Raises:
        BrokenWorldError: With all lines that are not objects or have no question.
        UsageError: No such file.
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}", ABSENT_QUESTION)
    lines, problems = read_lines(path, str(path))
    for line in lines:
        if not isinstance(line.record.get("question"), str):
            message = (
                "question is missing, expected a text" if "question" not in line.record else "question is not a text"
            )
            problems.append(Problem(str(path), line.number, 1, "error", "question-missing", message, ABSENT_QUESTION))
    if errors_in(problems):
        raise BrokenWorldError(
            f"{path} cannot be read", "correct it, then run the same command again", sorted(problems)
        )
    return [line.record for line in lines]


def _describe_lost_lines(path: str, count: int) -> str:
    return f"{path}: {counted(count, 'line')} cannot be read as memories and are left out; see: gm check"
