"""Decode the lines of memory files, for the line index or for one story day."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path

from gm.base.errors import Problem
from gm.base.regular import open_regular
from gm.files.forms.jsonl import Line, lines_in, scan_lines
from gm.files.forms.text import is_overlaid, read_data, read_slice
from gm.files.reading.lines import read_node
from gm.files.streams.linefacts import Lines
from gm.files.streams.nodefile import read_nodes
from gm.model.ids import highest_number
from gm.model.node import Node, copied_from, is_beside
from gm.model.record import RecordError

BLOCK = 1 << 20
"""Bytes read at once, which bounds the memory needed for long streams."""
_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*")')


def read_lines(name: str, file: int, size: int, known: Lines | None) -> Lines | None:
    """Scan a stream with rising numbers, or the part added to it; None = read the whole file instead.

    Args:
        file: Handle, open for reading.
        size: Bytes to scan up to.
        known: Facts about its beginning; modified, and of no use if None is returned.
    """
    lines, digest = _same_beginning(file, size, known)
    count, rest = _Count(lines), b""
    for data in _blocks(file, lines.size, size):
        digest.update(data)
        whole, feed, rest = (rest + data).rpartition(b"\n")
        if not count.add_rising(name, whole + feed):
            return None
    if rest or lines.size != size:  # the last line is not ended, or the file was cut meanwhile
        return None
    count.close()
    lines.digest = digest.hexdigest()
    return lines


def read_whole(name: str, path: Path, shown: str) -> tuple[Lines, list[Problem]]:
    """Scan any memory file; see ``read_nodes``."""
    file = read_nodes(name, path, shown)
    data = (file.text or "").encode("utf-8", "surrogatepass")
    lines = Lines(size=len(data), broken=bool(file.problems), in_order=False)
    count = _Count(lines)
    count.add(file.lines, data, 0)
    count.close()
    lines.highest = highest_number(name, (*(node.id for node in file.nodes), *file.lost))
    if data.endswith(b"\n") and not lines.broken:
        lines.digest = blake2b(data, digest_size=16).hexdigest()
    return lines, list(file.problems)


def read_ids(name: str, path: Path, known: Lines | None) -> Lines:
    """Scan an archive, or the part added to it, for the highest number of an id.

    Raises:
        OSError: It cannot be read.
    """
    if is_overlaid(path):
        return Lines(highest=highest_number(name, _ids(read_data(path))))
    with open(path, "rb", opener=open_regular) as file:
        size = os.fstat(file.fileno()).st_size
        lines, digest = _same_beginning(file.fileno(), size, known)
        rest = b""
        for data in _blocks(file.fileno(), lines.size, size):
            digest.update(data)
            whole, feed, rest = (rest + data).rpartition(b"\n")
            lines.highest = max(lines.highest, highest_number(name, _ids(whole + feed)))
    lines.highest, lines.size = max(lines.highest, highest_number(name, _ids(rest))), size
    lines.digest = "" if rest else digest.hexdigest()
    return lines


def read_day(name: str, path: Path, lines: Lines, day: int) -> list[Node]:
    """Read the memories of a story day from a stream, in file order, using its line index."""
    if (place := lines.day_places().get(day)) is None:
        return []
    begin, end = place
    found: list[Node] = []
    seen: dict[str, Line] = {}
    for line in lines_in(read_slice(path, begin, end - begin)):
        with suppress(RecordError):
            node = read_node(name, line, seen)
            seen[node.id] = line
            if node.when.day == day and not is_beside(node.metadata):
                found.append(node)
    return found


def _same_beginning(file: int, size: int, known: Lines | None) -> tuple[Lines, blake2b]:
    """Return ``known`` if the file still begins with those bytes, else no facts; and their digest."""
    digest = blake2b(digest_size=16)
    if known is not None and known.digest and known.size <= size:
        for data in _blocks(file, 0, known.size):
            digest.update(data)
        if digest.hexdigest() == known.digest:
            return known, digest
    return Lines(), blake2b(digest_size=16)


def _blocks(file: int, begin: int, end: int) -> Iterator[bytes]:
    while begin < end:
        data = os.pread(file, min(BLOCK, end - begin), begin)
        if not data:
            return
        yield data
        begin += len(data)


class _Count:
    """Adds lines to the facts about a file; ``close`` stores days and places."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._days = lines.day_places()
        self._named = set(lines.named)
        self._places: list[str] = []

    def add_rising(self, name: str, data: bytes) -> bool:
        """Add ended lines that follow the known ones; False if the file has to be read whole."""
        lines = self._lines
        try:
            scan = scan_lines(data.decode("utf-8"), "")
        except UnicodeDecodeError:
            return False
        if scan.problems:
            return False
        found = []
        for line in scan.lines:
            try:
                node = read_node(name, line, {})
            except RecordError:
                return False
            number = highest_number(name, (node.id,))
            if number <= lines.highest:
                return False  # the id may occur twice
            lines.highest = number
            found.append((line.number, node))
        lines.in_order = lines.in_order and not scan.blank
        self.add(found, data, lines.size)
        lines.size += len(data)
        return True

    def add(self, nodes: Iterable[tuple[int, Node]], data: bytes, at: int) -> None:
        lines, days = self._lines, self._days
        ends = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=at))
        for number, node in nodes:
            begin, end, day = ends[number - 1], ends[number], node.when.day
            lines.in_order = lines.in_order and day >= lines.last_day
            lines.last_day = max(day, lines.last_day)
            self._named.update(one.rpartition("-")[0] for one in (*node.evidence, copied_from(node)))
            if is_beside(node.metadata):
                lines.beside += 1
                continue
            if node.depth > 0:
                lines.reflections += 1
                self._places.append(f"{begin} {lines.lived} ")
            lines.lived += 1
            days[day] = days[day][0] if day in days else begin, end

    def close(self) -> None:
        self._lines.places += "".join(self._places)
        self._lines.named = sorted(self._named)
        self._lines.days = " ".join(f"{day} {begin} {end}" for day, (begin, end) in self._days.items())


def _ids(data: bytes) -> Iterator[str]:
    for found in _ID.findall(data):
        text = found.decode("utf-8", "replace")
        with suppress(ValueError):
            yield json.loads(text) if "\\" in text else text[1:-1]
