"""Decode the lines of memory files, for the line index or for one story day."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, groupby
from operator import lt
from pathlib import Path
from threading import Thread

from gm.base.errors import Problem
from gm.base.regular import open_regular
from gm.files.formats.jsonl import JsonLine, lines_in, scan_lines
from gm.files.formats.text import BOM, is_overlaid, read_blocks, read_data, read_slice, undecodable, unreadable
from gm.files.reading import id_in, read_node, record_problem
from gm.files.streams.linefacts import DayFacts, LineFacts
from gm.model.ids import agent_of, highest_number
from gm.model.node import NODE_TYPES, Node, is_beside
from gm.model.record import RecordError

BLOCK = 1 << 20
"""Bytes read at once, which bounds the memory needed for long streams."""
_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*")')
_ESCAPING = r'"[^"\\\x00-\x1f]*+(?:\\["\\/bfnrt][^"\\\x00-\x1f]*+)*+"'
_PLAIN = r'"[^"]*+"'
_METADATA = 8
"""The group of the metadata."""
_CONTROLS = bytes(range(0x0A)) + bytes(range(0x0B, 0x20))
_UNCONTROLLED = bytes.maketrans(_CONTROLS, b"?" * len(_CONTROLS))


@lru_cache(64)
def usual_line(name: str, text: str = _ESCAPING) -> re.Pattern[bytes]:
    """Return the pattern of a line as gm writes it.

    Its groups are number, story day, type, depth, importance, of evidence the name where all of it is the stream's own,
    else its list, and metadata where there are some.

    What fits is a memory that ``read_node`` reads, provided that it is UTF-8 and no key of its metadata occurs twice; a
    tenth of the time of decoding it.

    Args:
        text: Pattern of a text. With ``_PLAIN``, a third of the time, what fits is a memory if it has neither
            backslashes nor control characters.
    """
    own, texts = re.escape(name), rf"\[(?:{text}(?:, {text})*+)?\]"
    said = rf"{text}: (?:{text}|{texts}|-?(?:0|[1-9][0-9]{{0,17}})(?:\.[0-9]{{1,17}})?|true|false|null)"
    return re.compile(
        rf'\{{"id": "{own}-([0-9]{{3,18}})", "created": "day-([0-9]{{3,18}})/scene-[0-9]{{2,18}}[a-z]?", '
        rf'"type": "({"|".join(NODE_TYPES)})", "depth": (0|[1-9][0-9]{{0,3}}), "description": {text}, '
        rf'"importance": ([1-9]|10), "tags": {texts}, "evidence": '
        rf'(?:\[\]|\["({own})-[0-9]{{3,18}}"(?:, "{own}-[0-9]{{3,18}}")*+\]|({texts})), '
        rf'"metadata": (?:\{{\}}|(\{{{said}(?:, {said})*+\}}))\}}'.encode()
    )


def scan_stream(name: str, file: int, size: int, known: LineFacts | None) -> LineFacts | None:
    """Scan a stream with rising numbers, or the part added to it; None = read the whole file instead.

    Args:
        file: Handle, open for reading.
        size: Bytes to scan up to.
        known: Facts about its beginning; modified, and of no use if None is returned.
    """
    lines, digest = _same_beginning(file, size, known)
    scan, rest = _Scan(name, lines), b""
    for data in _blocks(file, lines.size, size):
        beside = Thread(target=digest.update, args=(data,))  # a digest is computed while lines are matched
        beside.start()
        whole, feed, rest = (rest + data).rpartition(b"\n")
        try:
            scan.add(whole + feed)
        except (UnicodeDecodeError, _NotRisingError):
            return None
        finally:
            beside.join()
    if rest or lines.size != size:  # the last line is not ended, or the file was cut meanwhile
        return None
    scan.close()
    lines.digest = digest.hexdigest()
    return lines


def read_whole(name: str, path: Path, shown: str) -> tuple[LineFacts, list[Problem]]:
    """Scan any memory file, absent = empty, with an error for each unreadable line."""
    lines, digest, rest = LineFacts(in_order=False), blake2b(digest_size=16), b""
    scan = _Scan(name, lines, shown)
    try:
        for data in read_blocks(path):
            digest.update(data)
            whole, feed, rest = (rest + data).rpartition(b"\n")
            scan.add(whole + feed)
        scan.add(rest)
    except FileNotFoundError:
        return LineFacts(in_order=False), []
    except OSError as error:
        return LineFacts(in_order=False, broken=True), [unreadable(error, shown)]
    except UnicodeDecodeError as error:
        problem = undecodable(error, shown)
        return LineFacts(in_order=False, broken=True), [replace(problem, line=problem.line + scan.number)]
    scan.close()
    lines.broken = bool(scan.problems)
    if not rest and lines.size and not lines.broken:
        lines.digest = digest.hexdigest()
    return lines, scan.problems


def read_ids(name: str, path: Path, known: LineFacts | None) -> LineFacts:
    """Scan an archive, or the part added to it, for the highest number of an id.

    Raises:
        OSError: It cannot be read.
    """
    if is_overlaid(path):
        return LineFacts(highest=highest_number(name, _find_ids(read_data(path))))
    with open(path, "rb", opener=open_regular) as file:
        size = os.fstat(file.fileno()).st_size
        lines, digest = _same_beginning(file.fileno(), size, known)
        rest = b""
        for data in _blocks(file.fileno(), lines.size, size):
            digest.update(data)
            whole, feed, rest = (rest + data).rpartition(b"\n")
            lines.highest = max(lines.highest, highest_number(name, _find_ids(whole + feed)))
    lines.highest, lines.size = max(lines.highest, highest_number(name, _find_ids(rest))), size
    lines.digest = "" if rest else digest.hexdigest()
    return lines


def read_day_memories(name: str, path: Path, lines: LineFacts, day: int) -> list[Node]:
    """Read the memories of a story day from a stream, in file order, using its line index."""
    if (place := lines.by_day().get(day)) is None:
        return []
    begin, end = place.begin, place.end
    found: list[Node] = []
    seen: dict[str, JsonLine] = {}
    for line in lines_in(read_slice(path, begin, end - begin)):
        with suppress(RecordError):
            node = read_node(name, line, seen)
            seen[node.id] = line
            if node.when.day == day and not is_beside(node.metadata):
                found.append(node)
    return found


def _same_beginning(file: int, size: int, known: LineFacts | None) -> tuple[LineFacts, blake2b]:
    """Return ``known`` if the file still begins with those bytes, else no facts; and their digest."""
    digest = blake2b(digest_size=16)
    if known is not None and known.digest and known.size <= size:
        for data in _blocks(file, 0, known.size):
            digest.update(data)
        if digest.hexdigest() == known.digest:
            return known, digest
    return LineFacts(), blake2b(digest_size=16)


def _blocks(file: int, begin: int, end: int) -> Iterator[bytes]:
    while begin < end:
        data = os.pread(file, min(BLOCK, end - begin), begin)
        if not data:
            return
        yield data
        begin += len(data)


class _NotRisingError(ValueError):
    """A file has to be read whole."""


class _Scan:
    """Adds lines to the facts about a file; ``close`` stores days and places.

    Args:
        shown: Path of the file in problems; None = a file with rising numbers, known up to ``lines.size``.

    Attributes:
        number: How many lines were added.
    """

    def __init__(self, name: str, lines: LineFacts, shown: str | None = None) -> None:
        self._name = name
        self._lines = lines
        self._shown = shown
        self._usual = usual_line(name).fullmatch
        self._plain = usual_line(name, _PLAIN).fullmatch
        self._days = lines.by_day()
        self._named = set(lines.named)
        self._places: list[str] = []
        self._artifacts: list[str] = []
        self._line_of: dict[int, int] = {}
        self.number = 0
        self.problems: list[Problem] = []

    def add(self, data: bytes) -> None:
        """Add whole lines.

        Raises:
            UnicodeDecodeError: They are not UTF-8.
            _NotRisingError: Without ``shown``: an id may occur twice, or a line is broken.
        """
        if not data:
            return
        data.decode("utf-8")
        lines = data.removesuffix(b"\n").split(b"\n")
        plain = self._plain if data.translate(_UNCONTROLLED) == data else self._usual
        if b"\\" in data:
            matches = [(self._usual if b"\\" in line else plain)(line) for line in lines]
        else:
            matches = list(map(plain, lines))
        begin = 0
        for end in (*(at for at, match in enumerate(matches) if match is None or _is_unusual(match)), len(lines)):
            self._add_usual(lines[begin:end], [match for match in matches[begin:end] if match])
            if end < len(lines):
                self._add_other(lines[end])
            begin = end + 1
        self._lines.size -= not data.endswith(b"\n")

    def close(self) -> None:
        self._lines.places += "".join(self._places).encode()
        self._lines.reflections += len(self._places)
        self._lines.named = sorted(self._named)
        self._lines.artifacts += "".join(self._artifacts).encode()
        numbers = (number for day, facts in self._days.items() for number in (day, *facts))
        self._lines.days = " ".join(map(str, numbers)).encode()

    def _add_usual(self, added: Sequence[bytes], matches: Sequence[re.Match[bytes]]) -> None:
        """Add lines of the usual form: column by column, which takes a third of the time of line by line."""
        if not matches:
            return
        columns = zip(*[one.groups() for one in matches], strict=True)
        serials, days, types, depths, weights, owners, others, _ = columns
        if not self._are_free(serials, self.number + 1):
            for line in added:
                self._add_other(line)
            return
        lines = self._lines
        starts = list(accumulate((len(line) + 1 for line in added), initial=lines.size))
        self.number += len(added)
        lines.size = starts[-1]
        self._places += [f"{starts[at]} {lines.lived + at} " for at, depth in enumerate(depths) if depth != b"0"]
        self._artifacts += [f"{starts[at]} " for at, kind in enumerate(types) if kind == b"artifact"]
        if any(owners):
            self._named.add(self._name)
        for listed in filter(None, others):
            self._note_named(json.loads(listed))
        begin = 0
        for day, run in groupby(days):
            end = begin + len(tuple(run))
            self._note_lived(int(day), list(map(int, weights[begin:end])), starts[begin], starts[end])
            begin = end

    def _are_free(self, serials: Sequence[bytes], first: int) -> bool:
        """Note the numbers of the ids in lines from ``first`` on.

        False, and none is noted, if an earlier line has one of them, or may have it.
        """
        numbers = list(map(int, serials))
        if self._shown is None:
            if not all(map(lt, (self._lines.highest, *numbers), numbers)):
                return False
        else:
            known = {int(b"1" + serial): number for number, serial in enumerate(serials, first)}
            if len(known) < len(serials) or not known.keys().isdisjoint(self._line_of):
                return False
            self._line_of |= known
        self._lines.highest = max(self._lines.highest, *numbers)
        return True

    def _note_lived(self, day: int, weights: Sequence[int], begin: int, end: int) -> None:
        lines, days = self._lines, self._days
        self._note_day(day)
        lines.lived += len(weights)
        first, _, weight, count, most = days.get(day, DayFacts(begin, end, 0, 0, 0))
        days[day] = DayFacts(first, end, weight + sum(weights), count + len(weights), max(most, *weights))

    def _note_day(self, day: int) -> None:
        if day > self._lines.last_day:
            self._lines.last_day = day
        elif day < self._lines.last_day:
            self._lines.in_order = False

    def _add_other(self, line: bytes) -> None:
        """Add a line that is not of the usual form, or has an id that an earlier one has."""
        lines, text = self._lines, line.decode("utf-8")
        begin, end = lines.size, lines.size + len(line) + 1
        lines.size = end
        self.number += 1
        if self._shown is not None and not begin:
            text = text.removeprefix(BOM)
        scan = scan_lines(text, self._shown or "")
        if scan.problems:
            self._note_broken([replace(problem, line=self.number) for problem in scan.problems], id_in(text))
        elif not scan.lines:
            lines.in_order = False
        elif (node := self._read_node(JsonLine(self.number, scan.lines[0].record), text)) is not None:
            self._note_named((*node.evidence, node.copied_from))
            if is_beside(node.metadata):
                lines.beside += 1
                self._note_day(node.when.day)
            else:
                if node.depth:
                    self._places.append(f"{begin} {lines.lived} ")
                if node.type == "artifact":
                    self._artifacts.append(f"{begin} ")
                self._note_lived(node.when.day, [node.importance], begin, end)

    def _read_node(self, line: JsonLine, text: str) -> Node | None:
        try:
            node = read_node(self._name, line, {})
            serial = node.id.rpartition("-")[2].encode()
            if not self._are_free((serial,), self.number):
                earlier = self._line_of.get(int(b"1" + serial), 0)
                read_node(self._name, line, {node.id: JsonLine(earlier, {})})
        except RecordError as error:
            problem = record_problem(self._shown or "", self.number, text, error)
            self._note_broken([problem], str(line.record.get("id", "")))
            return None
        return node

    def _note_named(self, ids: Iterable[str]) -> None:
        self._named.update(agent_of(one) for one in ids if one)

    def _note_broken(self, problems: Iterable[Problem], identifier: str) -> None:
        if self._shown is None:
            raise _NotRisingError
        self.problems += problems
        self._lines.highest = max(self._lines.highest, highest_number(self._name, (identifier,)))


def _is_unusual(line: re.Match[bytes]) -> bool:
    """Return whether the metadata of a line make its memory one beside the stream, or hold a key twice."""
    if line.lastindex != _METADATA:
        return False
    said: list[tuple[str, object]] = json.loads(line[_METADATA], object_pairs_hook=list)
    metadata = dict(said)
    return len(metadata) != len(said) or is_beside(metadata)


def _find_ids(data: bytes) -> Iterator[str]:
    for found in _ID.findall(data):
        text = found.decode("utf-8", "replace")
        with suppress(ValueError):
            yield json.loads(text) if "\\" in text else text[1:-1]
