"""What every graph is: a finding in words, a table of numbers, and data to draw; and how long times are divided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.api.words.speech import Words, load_words

COLOURS = 12
_ODD = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers of a graph, ready to be shown.

    Attributes:
        columns: Heads of the columns.
        rows: Cells, as many as columns; the first one of each row names it.
        numeric: Places of the columns that hold numbers.
        note: How to read its cells; empty when that is plain.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph.

    Attributes:
        kind: Which: relationships, tree, accumulators, moods, meetings, tags or importance.
        id: Names it on a page: the kind, with the character where it is about one.
        note: Where the numbers come from, and what is not known.
        data: What the script draws, as plain JSON values; empty when there is nothing to draw yet.
        agents: Ids of the characters that occur in ``data``.
        memories: Ids of the memories that occur in ``data``.
    """

    kind: str
    id: str
    title: str
    finding: str
    note: str
    table: Table
    data: Mapping[str, Any] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Met:
    """A scene as graphs see it.

    Attributes:
        scene: Number of the scene within the day; 0 where the logbook names none.
        cast: Who took part.
    """

    day: int
    scene: int
    type: str
    cast: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who occurs in graphs.

    Attributes:
        names: Full names by id, in the order that gives characters their colours.
    """

    language: str
    names: Mapping[str, str]

    @property
    def say(self) -> Words:
        """The words for this world."""
        return load_words(self.language, "gm.api.graphs")

    def called(self, agent: str) -> str:
        """Call a character by the first word of its name, unless another one has the same."""
        first = _first(self.names.get(agent, agent))
        alike = sum(_first(name) == first for name in self.names.values())
        return first if alike < 2 else self.names[agent]

    def colour(self, agent: str) -> int:
        """Return the number of a character's colour, from 1; 0 if it is not in the cast."""
        order = list(self.names)
        return order.index(agent) % COLOURS + 1 if agent in self.names else 0

    def face(self, agent: str) -> dict[str, Any]:
        """Describe a character for the script."""
        names = {"name": self.called(agent), "full": self.names.get(agent, agent)}
        return {"agent": agent, **names, "colour": self.colour(agent)}


@dataclass(frozen=True, slots=True)
class Span:
    """Some days that follow each other.

    Attributes:
        first: The first.
        last: The last; the same when it is one day.
    """

    first: int
    last: int

    @property
    def short(self) -> str:
        """For an axis."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    def named(self, say: Words) -> str:
        """For a table."""
        return say("day", day=self.first) if self.first == self.last else say("days", days=self.short)


def spans_of(days: Iterable[int], most: int) -> tuple[Span, ...]:
    """Divide the time from the first to the last day into spans of one length, one day each where that fits.

    Args:
        days: Days that something is known of.
        most: Most spans.
    """
    known = sorted(set(days))
    if not known:
        return ()
    first, last = known[0], known[-1]
    length = -(-(last - first + 1) // most)
    return tuple(Span(begin, min(begin + length - 1, last)) for begin in range(first, last + 1, length))


def span_finder(spans: Sequence[Span]) -> Callable[[int], int]:
    """Return a function from a day to the number of its span."""
    first, length = spans[0].first, spans[0].last - spans[0].first + 1

    def find(day: int) -> int:
        return (day - first) // length

    return find


def graph_id(kind: str, agent: str = "") -> str:
    """Return a name of a graph for pages, of letters, digits, hyphens and underscores."""
    return kind if not agent else f"{kind}-{_ODD.sub(lambda found: f'_{ord(found[0]):x}_', agent)}"


def shortened(text: str, most: int) -> str:
    """Cut a text at a word, with an ellipsis; runs of blanks become one."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    head = cut.rpartition(" ")[0]
    return f"{head if len(head) > most // 2 else cut}…"


def _first(name: str) -> str:
    return (name.split() or [name])[0]
