"""Long streams that have not been read yet, looked through in their bytes from the end backwards."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from pathlib import Path

from gm.base.casefold import casefold
from gm.files.forms.text import read_slice
from gm.files.reading.lines import node_in
from gm.files.streams.find import STREAM, lines_with
from gm.files.streams.linefacts import LineFacts
from gm.files.streams.rowfile import collector_resting, read_rows
from gm.files.streams.rows import FileRows
from gm.memory.search import needles_in


class UnreadStream:
    """A stream in order, whose days the line index locates.

    Attributes:
        last_day: Story day of the last memory.
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
        places = facts.day_places()  # in order
        self._days, self._places = list(places), list(places.values())
        self._read: list[tuple[int, bytes]] = []
        self._behind = 0

    def weight_before(self, day: int) -> int:
        """Return the summed importance of the lived memories before a story day."""
        return sum(weight for at, weight in self._facts.day_weights().items() if at < day)

    def between(self, first: int, last: int, needles: Collection[bytes] = ()) -> FileRows:
        """Return at least the memories of some story days, copies and utterances included.

        Args:
            needles: In lower case; lines without any of them are left out.

        Returns:
            Rows with their offsets in the file, and 0 for the number of a line.
        """
        before, after = bisect_left(self._days, first), bisect_right(self._days, last)
        begin = self._places[before - 1][1] if before else 0
        end = max(begin, self._places[after][0] if after < len(self._days) else self.size)
        data = read_slice(self._path, begin, end - begin)
        self._behind = max(self._behind, end)
        self._read.append((begin, data))
        if needles:
            lowered = data.lower()
            sought = needles_in(lowered, needles)
            places = sorted({place for needle in sought for place in lines_with(lowered, needle)})
            starts, data = [start for start, _ in places], b"\n".join([data[start:end] for start, end in places])
        with collector_resting():
            file = read_rows(self._owner, STREAM, self._shown, data)
        file.rows = [
            row._replace(start=begin + (starts[row.number - 1] if needles else row.start), number=0)
            for row in file.rows
        ]
        return file

    def citing(self, identifier: str, start: int) -> tuple[str, ...]:
        """Return the ids of the memories behind an offset that cite one of those that were looked through."""
        if self._behind < self.size:
            self._read.insert(0, (self._behind, read_slice(self._path, self._behind, self.size - self._behind)))
            self._behind = self.size
        name = f'"{identifier}"'.encode()
        lines = [
            data[begin:end]
            for at, data in reversed(self._read)
            if at + len(data) > start
            for begin, end in lines_with(data, name, max(0, start - at))
        ]
        nodes = [node_in(line.decode("utf-8", "replace")) for line in lines]
        return tuple(node.id for node in nodes if node is not None and identifier in node.evidence)
