"""Memories of one character, decoded only when shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from gm.api.reports.why.origin import CitedMemory
from gm.api.views.graphs.base import Cast
from gm.api.views.graphs.source import source_of
from gm.api.views.memory import Resolver
from gm.base.errors import Problem
from gm.files.formats.text import is_there
from gm.files.layout import GALLERY, Layout
from gm.files.media.pieces import list_pieces
from gm.files.streams.find import ARCHIVE, STREAM, FoundMemory
from gm.files.streams.linefacts import DayFacts
from gm.files.streams.memories import Memories, OwnedRow
from gm.files.streams.rows import BY_IMPORTANCE, BY_TIME, MemoryRow
from gm.files.streams.unread import UnreadStream
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


class _Rows:
    """What ``UnreadStream`` says of a stream, of one that was read, with the archive."""

    def __init__(self, stream: Sequence[MemoryRow], archive: Sequence[MemoryRow], beside: int) -> None:
        self._stream = stream
        self._rows = [*archive, *stream]
        self._reflections = [row for row in self._rows if row.depth > 0]
        self._artifacts = [row for row in self._rows if row.type == "artifact"]
        self.lived, self.beside = len(stream), beside
        self.reflections, self.artifacts = len(self._reflections), len(self._artifacts)

    @property
    def days(self) -> Mapping[int, DayFacts]:
        found: dict[int, DayFacts] = {}
        for row in self._rows:
            _, _, weight, count, most = found.get(row.day, DayFacts(0, 0, 0, 0, 0))
            found[row.day] = DayFacts(0, 0, weight + row.importance, count + 1, max(most, row.importance))
        return found

    def newest(self, most: int) -> list[MemoryRow]:
        return nlargest(most, self._stream, key=BY_TIME)

    def strongest(self, most: int) -> list[MemoryRow]:
        return nlargest(most, self._rows, key=BY_IMPORTANCE)

    def newest_reflections(self, most: int) -> list[MemoryRow]:
        return nlargest(most, self._reflections, key=BY_TIME)

    def newest_artifacts(self, most: int) -> list[MemoryRow]:
        return nlargest(most, self._artifacts, key=BY_TIME)


class Bank:
    """A character's memory stream and archive, without copies and single utterances.

    A long stream that has not been read yet is not read, unless there is an archive.

    Attributes:
        archived: How many memories are in the archive.
    """

    def __init__(self, memories: Memories, agent: str, hidden: Collection[str] = ()) -> None:
        self._memories = memories
        self._resolver = Resolver(memories)
        self._hidden = hidden
        self.agent = agent
        is_whole = hidden or is_there(memories.layout.archived(agent))
        self._resolver.held(agent)
        unread = {} if is_whole else self._resolver.unread
        self._held = memories.of(agent, unread)
        self.problems: tuple[Problem, ...] = self._held.problems
        stream, archive = self._rows_shown(STREAM), self._rows_shown(ARCHIVE)
        beside = sum(row.home != STREAM for row in self._held.files[STREAM].rows)
        self.rows: UnreadStream | _Rows = unread.get(agent) or _Rows(stream, archive, beside)
        self.archived = len(archive)

    def read(self, rows: Sequence[MemoryRow]) -> tuple[FoundMemory, ...]:
        """Return memories, skipping lines that have changed since."""
        nodes = self._memories.nodes([OwnedRow(self.agent, row) for row in rows])
        return tuple(FoundMemory(self.agent, node) for node in nodes if node is not None)

    def find(self, identifier: str) -> FoundMemory | None:
        """Return a memory of any character; None if it does not exist or is hidden."""
        spot = self._resolver.find(identifier)
        node = self._memories.node(spot) if spot else None
        found = FoundMemory(spot.owner, node) if spot and node else None
        return None if found and is_withheld(found.node, self._hidden) else found

    def cited(self, identifiers: Iterable[str]) -> tuple[CitedMemory, ...]:
        """Return memories by id, in order; one that is gone has none."""
        return tuple(CitedMemory(identifier, self.find(identifier)) for identifier in identifiers)

    def pieces(self, most: int) -> tuple[int, tuple[OwnPiece, ...]]:
        """Return the number of pieces and the newest ``most``."""
        made = self.read(self.rows.newest_artifacts(most))
        files = frozenset(piece.path for piece in list_pieces(self._memories.layout))
        return self.rows.artifacts, tuple(_describe_piece(found.node, files) for found in made)

    def _rows_shown(self, home: str) -> list[MemoryRow]:
        rows = [row for row in self._held.files[home].rows if row.home == home]
        return [row for row in rows if not is_withheld(row, self._hidden)] if self._hidden else rows


def _describe_piece(node: Node, files: Collection[str]) -> OwnPiece:
    path = (node.piece or "").removeprefix(f"{GALLERY}/")
    name = node.title or path.rpartition("/")[2] or node.id
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
        """The day as a moment."""
        return SceneRef(self.day)


def daily_trend(
    layout: Layout, cast: Cast, agent: str, known: Mapping[int, DayFacts], hidden: Collection[str] = ()
) -> tuple[DayOf, ...]:
    """Return the latest days of a character, newest first."""
    days = sorted({*known, *layout.logged_days()} - {0})[-LATEST:]
    moods = moods_of_days(layout, cast, agent, days, hidden)
    return tuple(_summarise_day(day, moods.get(day, ""), known.get(day)) for day in reversed(days))


def _summarise_day(day: int, mood: str, known: DayFacts | None) -> DayOf:
    return DayOf(day, mood, known.lived, known.weight / known.lived, known.most) if known else DayOf(day, mood)


def moods_of_days(
    layout: Layout, cast: Cast, agent: str, days: Sequence[int], hidden: Collection[str]
) -> dict[int, str]:
    """Return the last known mood of a character on each of some days."""
    alone = Cast(cast.language, {agent: cast.names.get(agent, agent)})
    return {mood.day: mood.word for mood in source_of(layout).moods(alone, days, hidden)}
