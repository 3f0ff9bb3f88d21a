"""The parts of a graph, and the division of time into spans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from gm.api.answers.speech import Words, load_words
from gm.model.callname import call_name_of
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
    """

    kind: str
    id: str
    title: str
    finding: str
    note: str
    table: GraphTable
    data: Mapping[str, Any] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()


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
    """

    language: str
    names: Mapping[str, str]
    world: Mapping[str, str] = field(default_factory=dict)

    @property
    def say(self) -> Words:
        return load_words(self.language, "gm.api.views")

    @property
    def everybody(self) -> Mapping[str, str]:
        return self.world or self.names

    def part(self, items: slice) -> Cast:
        """Return some of the characters, called and coloured as among all."""
        return Cast(self.language, dict(list(self.names.items())[items]), self.everybody)

    def called(self, agent: str) -> str:
        """Return a character's short name, or the full name if that is ambiguous."""
        first = _short_name(self.everybody.get(agent, agent))
        return first if _count_short(tuple(self.everybody.values()))[first] < 2 else self.everybody[agent]

    def find(self, name: str) -> str | None:
        return _find_drawn(tuple(self.everybody.items()), name)

    def colour(self, agent: str) -> int:
        """Return a character's colour number, from 1; 0 if it is not in the cast."""
        order = list(self.everybody)
        return order.index(agent) % COLOURS + 1 if agent in self.everybody else 0

    def shown_agent(self, agent: str) -> dict[str, Any]:
        names = {"name": self.called(agent), "full": self.everybody.get(agent, agent)}
        return {"agent": agent, **names, "colour": self.colour(agent)}


class GraphWords(NamedTuple):
    """What stands around a graph; the note tells sources and gaps of its numbers."""

    title: str
    finding: str
    note: str


class GraphContent(NamedTuple):
    """The numbers of a graph; without ``agents`` there is nothing to draw."""

    table: GraphTable
    data: Mapping[str, Any]
    agents: Iterable[str]
    memories: tuple[str, ...] = ()


def make_graph(kind: str, words: GraphWords, content: GraphContent, *, only: str = "") -> Graph:
    """Return a graph; ``only`` is the agent that it is about, if it is about one."""
    agents = tuple(content.agents)
    data = content.data if agents else {}
    return Graph(kind, graph_id(kind, only), *words, content.table, data, agents, content.memories)


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Consecutive story days."""

    first: int
    last: int

    @property
    def short(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    def named(self, say: Words) -> str:
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


def _short_name(name: str) -> str:
    return call_name_of(name) or name


@lru_cache(maxsize=16)
def _count_short(names: tuple[str, ...]) -> Counter[str]:
    return Counter(map(_short_name, names))


@lru_cache(maxsize=4096)
def _find_drawn(names: tuple[tuple[str, str], ...], name: str) -> str | None:
    return find_agent({agent: Agent(agent, AgentState(full)) for agent, full in names}, name)
