"""Long streams that have not been read yet, looked through in their bytes from the end backwards."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from pathlib import Path

from gm.base.casefold import casefold
from gm.files.formats.text import read_slice
from gm.files.reading import node_in
from gm.files.streams.find import STREAM, lines_with
from gm.files.streams.linefacts import DayFacts, LineFacts
from gm.files.streams.rows import BY_IMPORTANCE, BY_TIME, FileRows, MemoryRow, read_rows
from gm.memory.search import needles_in

_NUMBER = re.compile(rb'{"id": "[^"\\]*-([0-9]{3,18})"')
_REFLECTS, _ESCAPED_LETTER = rb'"depth"\s*:\s*[1-9]', b"\\u00"
"""The line of each memory with a depth above 0 contains one of them."""
BLOCK = 1 << 18
"""Bytes, or a day, that are read at once where a stream is looked through."""


class UnreadStream:
    """A stream in order, whose days the line index locates.

    Attributes:
        last_day: Story day of the last memory.
        lived, beside, reflections, artifacts: How many memories of each sort it has.
        size: In bytes.
        named: Folded beginnings of the ids that its memories cite.
    """

    def __init__(self, owner: str, path: Path, shown: str, facts: LineFacts) -> None:
        self.last_day = facts.last_day
        self.size = facts.size
        self.named = frozenset(map(casefold, facts.named))
        self._owner = owner
        self._path = path
        self._shown = shown
        self._facts = facts
        self._days, self._begins, self._ends, *_ = facts.day_columns()  # in order
        self.lived, self.beside, self.reflections = facts.lived, facts.beside, facts.reflections
        self.artifacts = len(facts.artifacts.split())

    @property
    def memories(self) -> int:
        """How many memories it has, copies and utterances included."""
        return self.lived + self.beside

    @cached_property
    def _data(self) -> bytes:
        return read_slice(self._path, 0, self.size)

    def find(self, identifier: str) -> MemoryRow | None:
        """Find a memory, copies and utterances included, by binary search: numbers rise from line to line."""
        wanted, data, low, high = casefold(identifier), self._data, 0, len(self._data)
        number = int(wanted.rpartition("-")[2])
        while low < high:
            begin, end = _line_around(data, (low + high) // 2)
            found = _number_in(data[begin:end])
            if found == number:
                row = self._read_row(begin, end)
                return row if row and casefold(row.id) == wanted else None
            low, high = (end + 1, high) if found < number else (low, begin)
        return None

    def place(self, row: MemoryRow) -> tuple[int, str, str]:
        """Return the number of a memory's line, and the ids of its neighbours, empty at both ends of the stream."""
        around = (row.start - 2, row.start + row.size + 1)
        rows = [self._read_row(*_line_around(self._data, at)) if 0 <= at < self.size else None for at in around]
        before, after = ("" if one is None else one.id for one in rows)
        return self._data.count(b"\n", 0, row.start) + 1, before, after

    def reflecting(self) -> list[MemoryRow]:
        """Return the memories with a depth above 0, copies and utterances included, in order."""
        data = self._data
        # the longer pattern takes six times as long
        sign = rb"%b|\\u00" % _REFLECTS if _ESCAPED_LETTER in data else _REFLECTS
        starts = list(dict.fromkeys(data.rfind(b"\n", 0, one.start()) + 1 for one in re.finditer(sign, data)))
        rows = self._read_lines([(start, data[start : data.find(b"\n", start)]) for start in starts])
        return [row for row in rows if row.depth > 0]

    def _read_row(self, begin: int, end: int) -> MemoryRow | None:
        return next(iter(self._read_lines([(begin, self._data[begin:end])])), None)

    def _read_lines(self, lines: Sequence[tuple[int, bytes]]) -> list[MemoryRow]:
        """Read lines whose offsets are known."""
        rows = read_rows(self._owner, STREAM, self._shown, b"\n".join([line for _, line in lines])).rows
        return [row._replace(start=lines[row.number - 1][0], number=0) for row in rows]

    @cached_property
    def days(self) -> Mapping[int, DayFacts]:
        """What is known of each day with lived memories, in order."""
        return self._facts.by_day()

    def importance_before(self, day: int) -> int:
        """Return the summed importance of the lived memories before a story day."""
        return sum(facts.weight for at, facts in self.days.items() if at < day)

    def newest(self, most: int) -> list[MemoryRow]:
        """Return the last lived memories, newest first."""
        days, count = list[int](), 0
        for day in reversed(self._days):
            if count >= most:
                break
            days.append(day)
            count += self.days[day].lived
        return nlargest(most, self._lived_on(days), key=BY_TIME)

    def strongest(self, most: int) -> list[MemoryRow]:
        """Return the lived memories that weigh most, of equal ones the newest first."""
        days = nlargest(most, self._days, key=lambda day: (self.days[day].most, day))
        return nlargest(most, self._lived_on(days), key=BY_IMPORTANCE)

    def newest_reflections(self, most: int) -> list[MemoryRow]:
        """Return the last lived memories with a depth above 0, newest first."""
        rows = self._lived_on(self._last_days(self._facts.places.split()[::2], most))
        return nlargest(most, (row for row in rows if row.depth > 0), key=BY_TIME)

    def newest_artifacts(self, most: int) -> list[MemoryRow]:
        """Return the last artifacts, newest first."""
        rows = self._lived_on(self._last_days(self._facts.artifacts.split(), most))
        return nlargest(most, (row for row in rows if row.type == "artifact"), key=BY_TIME)

    def _last_days(self, starts: list[bytes], most: int) -> set[int]:
        """Return the days of the last of some lines."""
        return {self._days[bisect_right(self._begins, int(start)) - 1] for start in starts[-most:]}

    def _lived_on(self, days: Iterable[int]) -> list[MemoryRow]:
        found = list[MemoryRow]()
        for day in days:
            begin, end = self._place_days(day, day)
            rows = read_rows(self._owner, STREAM, self._shown, read_slice(self._path, begin, end - begin)).rows
            found += [
                row._replace(start=begin + row.start, number=0) for row in rows if row.home == STREAM and row.day == day
            ]
        return found

    def _place_days(self, first: int, last: int) -> tuple[int, int]:
        """Return begin and end, in bytes, of the lines of some story days."""
        before, after = bisect_left(self._days, first), bisect_right(self._days, last)
        begin = self._ends[before - 1] if before else 0
        return begin, max(begin, self._begins[after] if after < len(self._days) else self.size)

    def between(self, first: int, last: int, needles: Collection[bytes] = ()) -> FileRows:
        """Return at least the memories of some story days, copies and utterances included.

        Args:
            needles: In lower case; lines without any of them are left out.

        Returns:
            Rows with their offsets in the file, and 0 for the number of a line.
        """
        begin, end = self._place_days(first, last)
        blocks = self._blocks(begin, end)
        lines = [line for at, data in blocks for line in _lines_with_any(at, data, needles)] if needles else []
        data = b"\n".join([line for _, line in lines]) if needles else read_slice(self._path, begin, end - begin)
        file = read_rows(self._owner, STREAM, self._shown, data)
        file.rows = [
            row._replace(start=lines[row.number - 1][0] if needles else begin + row.start, number=0)
            for row in file.rows
        ]
        return file

    def citing(self, starts: Mapping[str, int]) -> Mapping[str, list[str]]:
        """Return the ids of the memories that cite others, which stand before them: ids and where their lines start."""
        found: dict[str, list[str]] = {identifier: [] for identifier in starts}
        sign = re.compile(b'"(%b)"' % b"|".join(re.escape(identifier.encode()) for identifier in starts))
        for at, data in self._blocks(min(starts.values(), default=self.size), self.size):
            places = [(one[1].decode(), *_line_around(data, one.start())) for one in sign.finditer(data)]
            for identifier, begin, end in dict.fromkeys(places):
                node = node_in(data[begin:end].decode("utf-8", "replace")) if at + begin >= starts[identifier] else None
                if node is not None and identifier in node.evidence:
                    found[identifier].append(node.id)
        return found

    def _blocks(self, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield offsets and the lines of some days behind them; reading all at once takes twice as long."""
        while begin < end:
            place = bisect_left(self._begins, begin + BLOCK)
            stop = min(self._begins[place], end) if place < len(self._begins) else end
            yield begin, read_slice(self._path, begin, stop - begin)
            begin = stop


def _line_around(data: bytes, at: int) -> tuple[int, int]:
    """Return begin and end of the line that an offset is in."""
    end = data.find(b"\n", at)
    return data.rfind(b"\n", 0, at) + 1, len(data) if end < 0 else end


def _number_in(line: bytes) -> int:
    """Return the number of a memory's id; 0 if the line has changed."""
    usual = _NUMBER.match(line)
    if usual:
        return int(usual[1])
    node = node_in(line.decode("utf-8", "replace"))
    return int(node.id.rpartition("-")[2]) if node else 0


def _lines_with_any(at: int, data: bytes, needles: Collection[bytes]) -> list[tuple[int, bytes]]:
    """Return offset and bytes of each line that has one of some needles in lower case."""
    lowered = data.lower()
    places = {place for needle in needles_in(lowered, needles) for place in lines_with(lowered, needle)}
    return [(at + begin, data[begin:end]) for begin, end in sorted(places)]
