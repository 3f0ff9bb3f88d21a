"""Questions, filters and results; seed memories only where a filter names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gm.base.arguments import WrongValueError, check_fields
from gm.base.casefold import casefold
from gm.base.errors import say_unexpected
from gm.base.texts import suggest
from gm.base.untyped import text_at
from gm.memory.recall.words import IndexEntry, has_item, make_entry
from gm.memory.seed_memories import CHARACTER, KNOWLEDGE, SCENE, WEIGHTS
from gm.model.calendar import SceneRef
from gm.model.node import GIFTED, LESSON, NODE_TYPES, Node

Purpose = Literal["past", "now", "window"]
Similarity = Callable[[str], Mapping[str, float] | None]
"""Similarity of memories to a text, by id, from -1 to 1; None = not available."""
Turn = Callable[[SceneRef], int]
"""Returns the ordinal of a scene over the world, from 1; 0 when it has none."""

EPISODIC, SEMANTIC = "episodic", "semantic"
KNOWN = ("semantic", "procedural", "lesson", "summary")
"""Kinds of memories that were not lived but are known."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question to a character's memories.

    Attributes:
        asker: Id of who asks (``I``, ``ich``); empty = none.
        day: The story day now; 0 = unknown.
        scene: The scene now; 0 = the day is over.
        purpose: ``past``: what was? ``now``: what does the present need? ``window``: what stands before a character's
            eyes in a scene?
        people: The names of each person of the world, the id first.
        first_date: Ordinal of the real date of day 1; 0 = the story has no dates.
    """

    text: str
    asker: str = ""
    day: int = 0
    scene: int = 0
    purpose: Purpose = "past"
    people: tuple[tuple[str, ...], ...] = ()
    weekdays: tuple[str, ...] = ()
    first_date: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on a memory; an empty value passes all, one of several is enough.

    Attributes:
        types: Types of nodes, or ``episodic`` (lived) and ``semantic`` (known: reflections, summaries, knowledge).
        kinds: ``metadata.kind`` or ``metadata.category``.
        categories: ``metadata.category``; conversations are ``dialogue``.
        about: Names in tags or people.
        min_turn: First scene, counted over the world; applies only to memories with a scene.
        max_turn: Last scene; as above.
    """

    agents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    min_importance: int = 0
    min_turn: int = 0
    max_turn: int = 0
    days: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        check_fields(self, min_importance=0, min_turn=0, max_turn=0)
        if self.days and self.days[0] > self.days[1]:
            raise WrongValueError(say_unexpected("days", str(self.days), "the first day before the last"))

    def test(self, owner: str, turn_of: Turn) -> Callable[[IndexEntry], bool] | None:
        """Return the test for the memories of one stream; None when all pass."""
        if self.agents and casefold(owner) not in {casefold(name) for name in self.agents}:
            return _never
        tests = [*self._of_words(), *self._of_numbers(turn_of)]
        return (lambda entry: all(test(entry) for test in tests)) if tests else None

    def _of_words(self) -> list[Callable[[IndexEntry], bool]]:
        tests: list[Callable[[IndexEntry], bool]] = []
        types, kinds, categories, about, tags = (
            tuple(casefold(item) for item in items)
            for items in (self.types, self.kinds, self.categories, self.about, self.tags)
        )
        if types:
            tests.append(lambda entry: entry.type in types or memory_type(entry) in types)
        if categories:
            tests.append(lambda entry: entry.category in categories)
        if kinds:
            tests.append(lambda entry: entry.kind in kinds)
        if about:
            tests.append(
                lambda entry: any(has_item(entry.tags, name) or has_item(entry.people, name) for name in about)
            )
        if tags:
            tests.append(lambda entry: any(has_item(entry.tags, tag) for tag in tags))
        return tests

    def _of_numbers(self, turn_of: Turn) -> list[Callable[[IndexEntry], bool]]:
        tests: list[Callable[[IndexEntry], bool]] = []
        if self.min_importance:
            tests.append(lambda entry: entry.importance >= self.min_importance)
        if self.days is not None:
            first, last = self.days
            tests.append(lambda entry: first <= entry.day <= last)
        if self.min_turn or self.max_turn:
            last_turn = self.max_turn or 10**18

            def in_time(entry: IndexEntry) -> bool:
                turn = turn_of(SceneRef(entry.day, entry.scene, entry.suffix)) if entry.scene else 0
                return not turn or self.min_turn <= turn <= last_turn

            tests.append(in_time)
        return tests


def memory_type(entry: IndexEntry) -> str:
    """Return ``episodic`` (lived) or ``semantic`` (known), as in document 001; empty for seed memories."""
    if entry.kind == GIFTED:
        return ""
    return SEMANTIC if entry.depth or entry.type == "reflection" or entry.kind in KNOWN else EPISODIC


def _never(_entry: IndexEntry) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found.

    Attributes:
        place: In the owner's stream, from 0; archived ones come first.
        score: 1 is the best that was found, or the strategy's own scale.
    """

    owner: str
    place: int
    entry: IndexEntry
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query.

    Attributes:
        strategy: The one used.
        hits: Best first; equal scores in the order of the streams.
        notices: A sentence for each thing not available.
    """

    strategy: str
    hits: tuple[Hit, ...] = ()
    notices: tuple[str, ...] = ()


TYPES = (CHARACTER, SCENE, KNOWLEDGE, LESSON)
"""Types of seed memories (``metadata.type``), as document 000 names them."""


def check_types(filters: Filters, kept: Iterable[str]) -> None:
    """Refuse a type that no memory has and no memory could have.

    Args:
        kept: Types of the memories that are searched.

    Raises:
        WrongValueError: There is one.
    """
    usual = (*NODE_TYPES, EPISODIC, SEMANTIC, GIFTED, *TYPES)
    unusual = [name for name in filters.types if casefold(name) not in usual]
    known = dict.fromkeys((*usual, *map(casefold, kept))) if unusual else ()
    for name in unusual:
        if casefold(name) not in known:
            raise WrongValueError(f"no memory has the type {name!r}", suggest(name, known))


def names_seeds(filters: Filters) -> bool:
    """Return whether a filter names a type, kind or category of seed memories alone."""
    named = {casefold(item) for item in (*filters.types, *filters.kinds, *filters.categories)}
    return bool(named & {GIFTED, *TYPES, *WEIGHTS})


def select_seeds(nodes: Sequence[Node], owner: str, filters: Filters, turn_of: Turn) -> list[Node]:
    """Return the seed memories that pass; their type is ``metadata.type``."""
    test: Callable[[IndexEntry], bool] | None = filters.test(owner, turn_of)
    return [node for node in nodes if test is None or test(make_entry(node, 0)._replace(type=type_of(node)))]


def type_of(node: Node) -> str:
    """Return a seed memory's ``metadata.type``, else the type of its line."""
    return text_at(node.metadata, "type") or node.type
