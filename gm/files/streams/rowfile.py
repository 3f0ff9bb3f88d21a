"""Read a memory file as rows; an unreadable line becomes a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import itemgetter
from sys import intern
from typing import Any, NamedTuple

from gm.base.config.kinds import BEYOND
from gm.base.errors import Problem
from gm.files.forms.jsonl import Line, Scan, each_line, scan_lines
from gm.files.forms.text import BOM, undecodable
from gm.files.reading.lines import read_node
from gm.files.reading.records import record_problem
from gm.files.streams.find import ARCHIVE, STREAM
from gm.files.streams.rows import COPIES, UTTERANCES, FileRows, Row
from gm.model.calendar import parse_ref
from gm.model.ids import parse_node_id
from gm.model.node import NODE_TYPES, is_utterance, node_from_record
from gm.model.record import RecordError

_KINDS = frozenset(NODE_TYPES)
_FIELDS = itemgetter(
    "id", "created", "type", "depth", "description", "importance", "tags", "evidence", "metadata"
)  # fmt: skip
_new = tuple.__new__  # creating a named tuple this way takes half the time


def read_rows(owner: str, home: str, shown: str, data: bytes, known: FileRows | None = None, at: int = 0) -> FileRows:
    """Read the rows of a file, or of the part of it that begins at offset ``at``.

    Args:
        known: Rows before ``at``, to detect duplicate ids.

    Returns:
        Rows from ``at`` on, with line numbers and offsets in the whole file.
    """
    text, problems = _decoded(data[at:], shown)
    lengths = accumulate(map(len, data[at:].split(b"\n")), initial=0)
    starts = [feeds + length for feeds, length in enumerate(lengths)]
    if at == 0 and text.startswith(BOM):
        text, starts[0] = text.removeprefix(BOM), len(BOM.encode())
    before = known.lines if known else 0
    place = _Place(owner, home, shown, before, at, starts)
    scan = Scan(text)
    reader = _Reader(place, scan, known)
    reader.read(each_line(scan, shown))
    if scan.doubled:  # known only at the end: later lines were checked against ids of these
        scan = scan_lines(text, shown)
        reader = _Reader(place, scan, known)
        reader.read(scan.lines)
    found = [replace(problem, line=problem.line + before) for problem in (*problems, *scan.problems, *reader.problems)]
    return FileRows(owner, shown, reader.rows, tuple(sorted(found)), count_lines(data[at:]), reader.texts)


def count_lines(data: bytes) -> int:
    """Count lines, an unterminated last one included."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


def _decoded(data: bytes, shown: str) -> tuple[str, list[Problem]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), [undecodable(error, shown)]


class _Place(NamedTuple):
    """``before`` and ``at``: lines and bytes before the part that is read.

    ``starts`` is relative to ``at`` and has one more item than there are lines.
    """

    owner: str
    home: str
    shown: str
    before: int
    at: int
    starts: Sequence[int]


class _Reader:
    def __init__(self, place: _Place, scan: Scan, known: FileRows | None) -> None:
        self._place = place
        self._scan = scan
        self._seen: dict[str, Row] = {row.id: row for row in known.by_id.values()} if known else {}
        self._prefix = f"{place.owner}-"
        self._created: object = None
        self._when: tuple[int, int, str] | None = None
        self.rows: list[Row] = []
        self.texts: list[str] = []
        self.problems: list[Problem] = []

    def read(self, lines: Iterable[Line]) -> None:
        _, _, shown, before, at, starts = self._place
        seen, rows, texts = self._seen, self.rows, self.texts
        for place, record in lines:
            number, begin = before + place, starts[place - 1]
            size = starts[place] - begin - 1
            row = self._quick(record, number, at + begin, size)
            if row is None:
                try:
                    row, description = self._row(Line(place, record), number, at + begin, size)
                except RecordError as error:
                    self.problems.append(record_problem(shown, place, self._scan.line(place), error))
                    continue
            else:
                description = record["description"]
            seen[row.id] = row
            rows.append(row)
            texts.append(description)

    def _row(self, line: Line, number: int, start: int, size: int) -> tuple[Row, str]:
        """Read a line in unusual form; raises RecordError."""
        # an archive may hold memories of others, and ones restored meanwhile
        own = self._place.home != ARCHIVE
        node = read_node(self._place.owner, line, self._seen) if own else node_from_record(line.record)
        parsed = parse_node_id(node.id)
        assert parsed is not None
        row = Row(
            node.id, parsed[1], number, start, size, node.when.day, node.when.scene, node.when.suffix, node.type,
            node.depth, node.importance, node.tags, node.evidence, _home(self._place.home, node.metadata),
        )  # fmt: skip
        return row, node.description

    def _quick(self, record: dict[str, Any], number: int, start: int, size: int) -> Row | None:
        """Read a line in the usual form; None for any other."""
        try:
            identifier, created, kind, depth, description, importance, tags, evidence, metadata = _FIELDS(record)
            if (
                kind not in _KINDS
                or type(depth) is not int
                or not 0 <= depth < BEYOND
                or type(description) is not str
                or type(importance) is not int
                or not 1 <= importance <= 10
                or type(tags) is not list
                or type(evidence) is not list
                or type(metadata) is not dict
                or not identifier.startswith(self._prefix)
                or identifier in self._seen
            ):
                return None
            serial = identifier[len(self._prefix) :]
            if created != self._created:  # lines of a scene are adjacent
                self._created, self._when = created, _when(created)
            when = self._when
            "".join(evidence)  # raises TypeError unless all items are strings
            kept = tuple(map(intern, tags))  # there are few distinct tags
        except (KeyError, TypeError, AttributeError):
            return None
        if when is None or not (3 <= len(serial) <= 18 and serial.isascii() and serial.isdigit()):
            return None
        home = _home(self._place.home, metadata) if metadata else self._place.home
        scene = (*when, intern(kind), depth, importance, kept, tuple(evidence), home)
        return _new(Row, (identifier, int(serial), number, start, size, *scene))


def _when(created: str) -> tuple[int, int, str] | None:
    day, scene = created[4:7], created[14:]
    if len(created) == 16 and created[:4] == "day-" and created[7:14] == "/scene-":
        digits = day + scene
        if digits.isascii() and digits.isdigit():  # nearly always
            return int(day), int(scene), ""
    ref = parse_ref(created)
    return None if ref is None else (ref.day, ref.scene, ref.suffix)


def _home(home: str, metadata: Mapping[str, Any]) -> str:
    if home != STREAM or not metadata:
        return home
    if "copied_from" in metadata:
        return COPIES
    return UTTERANCES if is_utterance(metadata) else STREAM
