"""The parts of a graph, and the division of time into spans."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from gm.api.answers.speech import Words, load_words
from gm.model.callname import call_names
from gm.model.state import AgentState
from gm.model.world import Agent, find_agent

COLOURS = 12
"""How many come with the pages, for those whose persona names none."""
MOST_SPANS = 60
"""Most spans over which a graph draws its days."""
_ODD = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True)
class GraphTable:
    """Numbers of a graph as text.

    Attributes:
        numeric: Indexes of numeric columns.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph.

    Attributes:
        note: Sources and gaps of the numbers.
        data: JSON values for the script; empty if there is nothing to draw.
        only: The character that it is about, if it is about one.
    """

    kind: str
    title: str
    finding: str
    note: str
    table: GraphTable
    data: Mapping[str, Any] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    only: str = ""

    @property
    def id(self) -> str:
        """The id of the drawing within a page."""
        return graph_id(self.kind, self.only)


@dataclass(frozen=True, slots=True)
class Met:
    """A scene as graphs see it; scene 0 = no number in the logbook."""

    day: int
    scene: int
    type: str
    cast: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is drawn.

    Attributes:
        names: Full names by agent id.
        world: The names of all characters, in whose order they have their colours; empty = ``names`` are all.
        called_by: What others call them, where it is not made of their names.
    """

    language: str
    names: Mapping[str, str]
    world: Mapping[str, str] = field(default_factory=dict)
    called_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def say(self) -> Words:
        """Words in the world's language."""
        return load_words(self.language, "gm.api.views")

    @property
    def everybody(self) -> Mapping[str, str]:
        """Full names by id, of the whole world."""
        return self.world or self.names

    def part(self, items: slice) -> Cast:
        """Return some of the characters, called and coloured as among all."""
        return replace(self, names=dict(list(self.names.items())[items]), world=self.everybody)

    def called(self, agent: str) -> str:
        """Return a character's short name, or the full name if that is ambiguous."""
        return self.called_by.get(agent) or _call_names(tuple(self.everybody.items())).get(agent, agent)

    def find(self, name: str) -> str | None:
        """Return the id for a name or id, or None."""
        return _find_drawn(tuple((one, full, self.called(one)) for one, full in self.everybody.items()), name)

    def colour(self, agent: str) -> int:
        """Return a character's colour number, from 1; 0 if it is not in the cast."""
        order = list(self.everybody)
        return order.index(agent) % COLOURS + 1 if agent in self.everybody else 0

    def shown_agent(self, agent: str) -> dict[str, Any]:
        """Return a character's names and colour as JSON data."""
        names = {"name": self.called(agent), "full": self.everybody.get(agent, agent)}
        return {"agent": agent, **names, "colour": self.colour(agent)}


def make_cast(language: str, agents: Iterable[Agent]) -> Cast:
    """Return some characters as they are drawn."""
    cast = tuple(agents)
    return Cast(language, {one.id: one.name for one in cast}, called_by={one.id: one.call_name for one in cast})


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Consecutive story days."""

    first: int
    last: int

    @property
    def short(self) -> str:
        """The first and last day, as ``3–5``, or ``3``."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    def named(self, say: Words) -> str:
        """Return the days in words."""
        return say("day", day=self.first) if self.first == self.last else say("days", days=self.short)


def divide_days(days: Iterable[int], most: int) -> tuple[DaySpan, ...]:
    """Divide the time from first to last day into at most ``most`` spans of equal length, single days if possible."""
    known = sorted(set(days))
    if not known:
        return ()
    first, last = known[0], known[-1]
    length = -(-(last - first + 1) // most)
    return tuple(DaySpan(begin, min(begin + length - 1, last)) for begin in range(first, last + 1, length))


def span_finder(spans: Sequence[DaySpan]) -> Callable[[int], int]:
    """Return a function from a day to its span's index."""
    first, length = spans[0].first, spans[0].last - spans[0].first + 1

    def find(day: int) -> int:
        return (day - first) // length

    return find


def graph_id(kind: str, agent: str = "") -> str:
    """Return a valid id for pages."""
    return kind if not agent else f"{kind}-{_ODD.sub(lambda found: f'_{ord(found[0]):x}_', agent)}"


def shorten_text(text: str, most: int) -> str:
    """Normalize whitespace, and cut a text at a word with an ellipsis."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    head = cut.rpartition(" ")[0]
    return f"{head if len(head) > most // 2 else cut}…"


@lru_cache(maxsize=16)
def _call_names(names: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return call_names(dict(names), {})


@lru_cache(maxsize=4096)
def _find_drawn(names: tuple[tuple[str, str, str], ...], name: str) -> str | None:
    return find_agent({agent: Agent(agent, AgentState(full), call_name=called) for agent, full, called in names}, name)
