"""Memories of one character, decoded only when shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest

from gm.api.reports.why.origin import Cited
from gm.api.views.graphs.base import Cast
from gm.api.views.graphs.draw import source_of
from gm.api.views.memory import Resolver
from gm.base.errors import Problem
from gm.files.layout import GALLERY, Layout
from gm.files.media.pieces import list_pieces
from gm.files.streams.find import ARCHIVE, STREAM, FoundMemory
from gm.files.streams.memories import Memories, OwnedRow
from gm.files.streams.rows import BY_IMPORTANCE, BY_TIME, MemoryRow
from gm.memory.share import is_withheld
from gm.model.calendar import SceneRef
from gm.model.node import Node

LATEST = 14


@dataclass(frozen=True, slots=True)
class OwnPiece:
    """A piece that the character finished."""

    title: str
    path: str
    at: SceneRef
    text: str


class Bank:
    """A character's memory stream and archive, without copies and single utterances."""

    def __init__(self, memories: Memories, agent: str, hidden: Collection[str] = ()) -> None:
        self._memories = memories
        self._resolver = Resolver(memories)
        self._held = self._resolver.held(agent)
        self._hidden = hidden
        self.agent = agent
        self.problems: tuple[Problem, ...] = self._held.problems
        self.stream: list[MemoryRow] = self._rows_shown(STREAM)
        self.archive: list[MemoryRow] = self._rows_shown(ARCHIVE)
        self.beside = sum(row.home != STREAM for row in self._held.files[STREAM].rows)

    @property
    def rows(self) -> list[MemoryRow]:
        return [*self.archive, *self.stream] if self.archive else self.stream

    def newest(self, most: int) -> tuple[FoundMemory, ...]:
        return self.read(nlargest(most, self.stream, key=BY_TIME))

    def strongest(self, most: int) -> tuple[FoundMemory, ...]:
        return self.read(nlargest(most, self.rows, key=BY_IMPORTANCE))

    def read(self, rows: Sequence[MemoryRow]) -> tuple[FoundMemory, ...]:
        """Return memories, skipping lines that have changed since."""
        nodes = self._memories.nodes([OwnedRow(self.agent, row) for row in rows])
        return tuple(FoundMemory(self.agent, node) for node in nodes if node is not None)

    def find(self, identifier: str) -> FoundMemory | None:
        """Return a memory of any character; None if it does not exist or is hidden."""
        spot = self._resolver.find(identifier)
        node = self._memories.node(spot) if spot else None
        found = FoundMemory(spot.owner, node) if spot and node else None
        return None if found and is_withheld(found.node.tags, self._hidden) else found

    def cited(self, identifiers: Iterable[str]) -> tuple[Cited, ...]:
        return tuple(Cited(identifier, self.find(identifier)) for identifier in identifiers)

    def pieces(self, most: int) -> tuple[int, tuple[OwnPiece, ...]]:
        made = [row for row in self.rows if row.type == "artifact"]
        newest = nlargest(most, made, key=BY_TIME)
        nodes = self._memories.nodes([OwnedRow(self.agent, row) for row in newest])
        files = frozenset(piece.path for piece in list_pieces(self._memories.layout))
        return len(made), tuple(_describe_piece(node, files) for node in nodes if node is not None)

    def _rows_shown(self, home: str) -> list[MemoryRow]:
        rows = [row for row in self._held.files[home].rows if row.home == home]
        return [row for row in rows if not is_withheld(row.tags, self._hidden)] if self._hidden else rows


def _describe_piece(node: Node, files: Collection[str]) -> OwnPiece:
    path, title = node.metadata.get("artifact_path"), node.metadata.get("title")
    path = path.removeprefix(f"{GALLERY}/") if isinstance(path, str) else ""
    name = title if isinstance(title, str) and title else path.rpartition("/")[2] or node.id
    return OwnPiece(name, path if path in files else "", node.when, node.description)


@dataclass(frozen=True, slots=True)
class DayOf:
    """One day of a character; without memories, ``mean`` and ``most`` (importance) are 0."""

    day: int
    mood: str = ""
    memories: int = 0
    mean: float = 0.0
    most: int = 0

    @property
    def at(self) -> SceneRef:
        return SceneRef(self.day)


def daily_trend(
    layout: Layout, cast: Cast, agent: str, rows: Collection[MemoryRow], hidden: Collection[str] = ()
) -> tuple[DayOf, ...]:
    """Return the latest days of a character, newest first."""
    days = sorted({row.day for row in rows}.union(layout.logged_days()) - {0})[-LATEST:]
    weights: dict[int, list[int]] = {day: [] for day in days}
    for row in rows:
        if row.day in weights:
            weights[row.day].append(row.importance)
    moods = moods_of_days(layout, cast, agent, days, hidden)
    return tuple(_summarise_day(day, moods.get(day, ""), weights[day]) for day in reversed(days))


def _summarise_day(day: int, mood: str, weights: Sequence[int]) -> DayOf:
    mean = sum(weights) / len(weights) if weights else 0.0
    return DayOf(day, mood, len(weights), mean, max(weights, default=0))


def moods_of_days(
    layout: Layout, cast: Cast, agent: str, days: Sequence[int], hidden: Collection[str]
) -> dict[int, str]:
    """Return the last known mood of a character on each of some days."""
    alone = Cast(cast.language, {agent: cast.names.get(agent, agent)})
    return {mood.day: mood.word for mood in source_of(layout).moods(alone, days, hidden)}
