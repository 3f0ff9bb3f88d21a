"""Read a file of one character's memories: whole, one story day from its end, or, if it is long, on demand."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from gm.base.errors import GmError, Problem
from gm.base.regular import open_regular
from gm.base.untyped import text_at
from gm.files.formats.jsonl import JsonLine, lines_in, scan_file, scan_lines
from gm.files.formats.text import is_overlaid, read_data
from gm.files.layout import Layout
from gm.files.reading import id_in, read_node, record_problem
from gm.files.streams.linefacts import LineFacts
from gm.files.streams.lineindex import LineIndex
from gm.model.calendar import moment_of, parse_ref
from gm.model.ids import highest_number
from gm.model.node import Node, is_beside, node_from_record
from gm.model.record import RecordError
from gm.model.stream import InOrder

LONG = 4 << 20
"""Shorter streams, in bytes, are read whole."""
LONG_BLOCK = 1 << 16
LINE = 1 << 12


def open_long(layout: Layout, index: LineIndex, name: str) -> tuple[Sequence[Node], Sequence[Node]] | None:
    """Return the memories of a long stream and those beside it; None = read it whole."""
    path = layout.stream(name)
    if is_overlaid(path):
        return None
    try:
        if path.stat().st_size < LONG:
            return None
        file = _Lines(name, path, open_regular(path))
        known = index.in_order(name, path, file.handle)
    except OSError:
        return None
    if known is None:
        return None
    file.begin = known.size
    return LongStream(file, known), _Backwards(file, file.beside, known.beside) if known.beside else ()


class _Lines:
    """The lines of a stream, decoded in blocks from its end."""

    def __init__(self, name: str, path: Path, file: int) -> None:
        self._name, self._path, self.handle = name, path, file
        weakref.finalize(self, os.close, file)
        self.begin = 0
        self.lived: list[Node] = []
        self.beside: list[Node] = []

    def decode_more(self) -> None:
        length = LONG_BLOCK
        while True:
            start = max(0, self.begin - length)
            data = self._read_bytes(start, self.begin - start)
            skipped = data.find(b"\n") + 1 if start else 0
            if not start or 0 < skipped < len(data):
                break
            length *= 2  # a line as long as a block
        for node in reversed(self._decode_nodes(data[skipped:])):
            (self.beside if node.metadata and is_beside(node.metadata) else self.lived).append(node)
        self.begin = start + skipped

    def at(self, place: int) -> tuple[Node, int]:
        data, length = b"", LINE
        while b"\n" not in data:  # a line that was cut off is not indexed: the index ends behind a line feed
            more = self._read_bytes(place + len(data), length)
            if not more:
                raise self.changed()
            data, length = data + more, 2 * length
        line = data[: data.index(b"\n") + 1]
        return self._decode_nodes(line)[0], place + len(line)

    def number_of(self, identifier: str) -> int:
        """Return the number of an id; 0 if it is not of this stream."""
        return highest_number(self._name, (identifier,))

    def start_of(self, place: int) -> int:
        length = LINE
        while True:
            start = max(0, place - length)
            feed = self._read_bytes(start, place - start).rfind(b"\n")
            if feed >= 0 or not start:
                return start + feed + 1
            length *= 2

    def _read_bytes(self, start: int, size: int) -> bytes:
        return os.pread(self.handle, size, start)

    def _decode_nodes(self, data: bytes) -> list[Node]:
        try:
            scan = scan_lines(data.decode("utf-8"), "")
            nodes = [read_node(self._name, line, {}) for line in scan.lines]
        except (UnicodeDecodeError, RecordError):
            raise self.changed() from None
        if scan.problems or not nodes:
            raise self.changed()
        return nodes

    def changed(self) -> GmError:
        return GmError(f"{self._path} was edited while it was read", "run the command again")


class _Backwards(Sequence[Node]):
    """In file order; decoded from the end as far as needed."""

    def __init__(self, lines: _Lines, found: list[Node], count: int) -> None:
        self._lines, self._found, self._count = lines, found, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, place: int | slice) -> Node | tuple[Node, ...]:
        if isinstance(place, slice):
            return tuple([self[one] for one in range(*place.indices(self._count))])
        place += self._count if place < 0 else 0
        if not 0 <= place < self._count:
            raise IndexError("there are not as many memories")
        back = self._count - 1 - place
        while len(self._found) <= back:
            if not self._lines.begin:
                raise self._lines.changed()
            self._lines.decode_more()
        return self._found[back]

    def __iter__(self) -> Iterator[Node]:
        return iter(self[:])

    def __reversed__(self) -> Iterator[Node]:
        return (self[place] for place in range(self._count - 1, -1, -1))


class LongStream(_Backwards, InOrder):
    """The memories of a stream that is in order."""

    def __init__(self, lines: _Lines, known: LineFacts) -> None:
        super().__init__(lines, lines.lived, known.lived)
        self._places = known.reflection_places()
        self._reflections: dict[int, Node] = {}

    def reflections_before(self, end: int) -> tuple[Node, ...]:
        """Return the reflections before an index of the stream, in order."""
        return tuple([self._read_reflection(*where) for where in self._places if where[1] < end])

    def named(self, ids: Collection[str]) -> tuple[Node, ...]:
        """Return the memories with these ids in order; ids that are not there are left out."""
        known = {node.id: node for node in (*self._reflections.values(), *self._found)}
        found = [known[one] if one in known else self._search_earlier(one) for one in set(ids)]
        nodes = [node for node in found if node is not None]
        return tuple(sorted(nodes, key=lambda node: self._lines.number_of(node.id)))

    def _search_earlier(self, identifier: str) -> Node | None:
        """Binary search before the decoded part: numbers rise from line to line."""
        wanted = self._lines.number_of(identifier)
        low, high = 0, self._lines.begin if wanted else 0
        while low < high:
            begin = self._lines.start_of((low + high) // 2)
            node, end = self._lines.at(begin)
            if node.id == identifier:
                return None if is_beside(node.metadata) else node
            low, high = (end, high) if self._lines.number_of(node.id) < wanted else (low, begin)
        return None

    def _read_reflection(self, begin: int, place: int) -> Node:
        if begin >= self._lines.begin:
            return self[place]
        if begin not in self._reflections:
            self._reflections[begin] = self._lines.at(begin)[0]
        return self._reflections[begin]


BLOCK = 8 * 1024
"""Bytes read first; doubled until the beginning of the day is found."""
CERTAIN = 8
"""Number of consecutive older lines that end the search."""

DayOf = Callable[[Mapping[str, Any]], int]
"""Returns the story day of a line; 0 = unknown."""


@dataclass(frozen=True, slots=True)
class NodeFile:
    """A file of memories.

    Attributes:
        lines: Memories with line numbers, from 1.
        lost: Ids in unreadable lines; they count as used.
    """

    owner: str
    text: str | None
    lines: tuple[tuple[int, Node], ...]
    lost: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple([node for _, node in self.lines])


def read_nodes(owner: str, path: Path, shown: str) -> NodeFile:
    """Read a file of memories; absent = empty. ``shown`` is its path in problems."""
    text, scan = scan_file(path, shown)
    problems = scan.problems
    lost = [identifier for _, line in scan.broken if (identifier := id_in(line))]
    lines: list[tuple[int, Node]] = []
    seen: dict[str, JsonLine] = {}
    for line in scan.lines:
        try:
            node = read_node(owner, line, seen)
        except RecordError as error:
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
            lost.append(str(line.record.get("id", "")))
            continue
        seen[node.id] = line
        lines.append((line.number, node))
    return NodeFile(owner, text.content if text.exists else None, tuple(lines), tuple(lost), tuple(problems))


def read_tail(path: Path, day: int, day_of: DayOf) -> list[dict[str, Any]]:
    """Return the records of a story day and later ones at the end of a file, in file order; skip unreadable lines."""
    try:
        if is_overlaid(path):
            return _drop_older(_read_records(read_data(path)), day, day_of)
        with open(path, "rb", opener=open_regular) as file:
            end = file.seek(0, os.SEEK_END)
            length = BLOCK
            while True:
                begin = file.seek(max(0, end - length))
                data = file.read(end - begin)
                found = _read_records(data.partition(b"\n")[2] if begin else data)
                if not begin or _is_older(found, day, day_of):
                    return _drop_older(found, day, day_of)
                length *= 2
    except OSError:
        return []


def read_last_memories(path: Path, day: int) -> list[Node]:
    """Return a story day's memories at the end of a stream, without those beside it."""
    found = []
    for record in read_tail(path, day, day_of_memory):
        with suppress(RecordError):
            node = node_from_record(record)
            if node.when.day == day and not is_beside(node.metadata):
                found.append(node)
    return found


def day_of_memory(record: Mapping[str, Any]) -> int:
    """Return the story day of a memory record, in either format."""
    created = record.get("created", record.get("day"))
    ref = parse_ref(created) if isinstance(created, str) else None
    return ref.day if ref else created if isinstance(created, int) else 0


def day_of_event(record: Mapping[str, Any]) -> int:
    """Return the story day of a record with its time in ``at``."""
    return moment_of(text_at(record, "at")).day


def _read_records(data: bytes) -> list[dict[str, Any]]:
    return [line.record for line in lines_in(data)]


def _is_older(records: list[dict[str, Any]], day: int, day_of: DayOf) -> bool:
    first = records[:CERTAIN]
    return len(first) == CERTAIN and all(day_of(record) < day for record in first)


def _drop_older(records: list[dict[str, Any]], day: int, day_of: DayOf) -> list[dict[str, Any]]:
    return [record for record in records if day_of(record) >= day]
