"""Read a file of memories into light rows. A line that cannot be read is a problem, and the rest is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gm.errors import Problem
from gm.model.calendar import SceneRef, parse_ref
from gm.model.ids import parse_node_id
from gm.model.node import BEYOND, NODE_TYPES, NodeError, is_utterance, node_from_record
from gm.store.jsonl import Line, Scan, each_line, scan_lines
from gm.store.reading.lines import node_problem, read_node
from gm.store.rows import ARCHIVE, COPIES, STREAM, UTTERANCES, FileRows, Row
from gm.store.text import BOM, undecodable

_KINDS = frozenset(NODE_TYPES)


def read_rows(owner: str, home: str, shown: str, data: bytes, known: FileRows | None = None, at: int = 0) -> FileRows:
    """Read the rows of a file, or of what was added to one.

    Args:
        owner: Whose memories they are.
        home: What lies in the file: stream, summaries, archive or gifted.
        shown: Its path inside the world, for problems.
        data: The bytes of the file.
        known: What stands before ``at``, so that an id that is used again is noticed.
        at: Where to begin: 0, or behind a line feed.

    Returns:
        What stands from there on; the numbers of lines and bytes count from the beginning of the file.
    """
    text, problems = _decoded(data[at:], shown)
    starts = [0, *(match.end() for match in re.finditer(b"\n", data[at:])), len(data) - at + 1]
    if at == 0 and text.startswith(BOM):
        text, starts[0] = text.removeprefix(BOM), len(BOM.encode())
    before = known.lines if known else 0
    place = _Place(owner, home, shown, before, at, starts)
    scan = Scan(text)
    reader = _Reader(place, scan, known)
    reader.read(each_line(scan, shown))
    if scan.doubled:  # known only at the end: what such a line says does not count for those behind it either
        scan = scan_lines(text, shown)
        reader = _Reader(place, scan, known)
        reader.read(scan.lines)
    found = [replace(problem, line=problem.line + before) for problem in (*problems, *scan.problems, *reader.problems)]
    return FileRows(owner, shown, reader.rows, tuple(sorted(found)), count_lines(data[at:]), reader.texts)


def count_lines(data: bytes) -> int:
    """Count the lines that end in some bytes, with one that has no end."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


def _decoded(data: bytes, shown: str) -> tuple[str, list[Problem]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), [undecodable(error, shown)]


class _Place(NamedTuple):
    """Of which file something is read: its owner, home and path, and its lines and bytes before, and where lines begin.

    ``starts`` counts from ``at``; it has one more item than there are lines.
    """

    owner: str
    home: str
    shown: str
    before: int
    at: int
    starts: Sequence[int]


class _Reader:
    """Makes rows of the lines of one file, with the texts by which they are searched, and problems."""

    def __init__(self, place: _Place, scan: Scan, known: FileRows | None) -> None:
        self._place = place
        self._scan = scan
        self._seen: dict[str, Row] = {row.id: row for row in known.by_id.values()} if known else {}
        self._words: dict[str, str] = {}
        self._prefix = f"{place.owner}-"
        self._when: tuple[object, SceneRef | None] = ("", None)
        self.rows: list[Row] = []
        self.texts: list[str] = []
        self.problems: list[Problem] = []

    def read(self, lines: Iterable[Line]) -> None:
        """Make the rows of some lines; of one that is no memory, a problem."""
        _, _, shown, before, at, starts = self._place
        for line in lines:
            number, begin = before + line.number, starts[line.number - 1]
            try:
                row, text = self._row(line, number, at + begin, starts[line.number] - begin - 1)
            except NodeError as error:
                self.problems.append(node_problem(shown, line.number, self._scan.line(line.number), error))
                continue
            self._seen[row.id] = row
            self.rows.append(row)
            self.texts.append(text)

    def _row(self, line: Line, number: int, start: int, size: int) -> tuple[Row, str]:
        quick = self._quick(line.record, number, start, size)
        if quick is not None:
            return quick
        # an archive may hold what is another's, and what was brought back meanwhile
        own = self._place.home != ARCHIVE
        node = read_node(self._place.owner, line, self._seen) if own else node_from_record(line.record)
        parsed = parse_node_id(node.id)
        assert parsed is not None
        row = Row(
            node.id, parsed[1], number, start, size, node.when.day, node.when.scene, node.when.suffix, node.type,
            node.depth, node.importance, node.tags, node.evidence, _home(self._place.home, node.metadata),
        )  # fmt: skip
        return row, _searched(node.description, node.tags, node.id)

    def _quick(self, record: dict[str, Any], number: int, start: int, size: int) -> tuple[Row, str] | None:
        """Make the row of a line that is all as it should be, as nearly every one is; None of any other."""
        try:
            identifier, kind, depth = record["id"], record["type"], record["depth"]
            importance, metadata = record["importance"], record["metadata"]
            tags, evidence = record["tags"], record["evidence"]
            if (
                type(kind) is not str
                or kind not in _KINDS
                or type(depth) is not int
                or not 0 <= depth < BEYOND
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
            created = record["created"]
            if created != self._when[0]:  # lines of one scene follow each other
                self._when = created, parse_ref(created)
            when = self._when[1]
            "".join(evidence)  # a list that holds anything but texts is no evidence
            text = _searched(record["description"], tags, identifier)
        except (KeyError, TypeError, AttributeError):
            return None
        if when is None or not (3 <= len(serial) <= 18 and serial.isascii() and serial.isdigit()):
            return None
        words = self._words
        kept = tuple([words.setdefault(tag, tag) for tag in tags])
        home = _home(self._place.home, metadata)
        row = Row(
            identifier, int(serial), number, start, size, when.day, when.scene, when.suffix,
            words.setdefault(kind, kind), depth, importance, kept, tuple(evidence), home,
        )  # fmt: skip
        return row, text


def _home(home: str, metadata: Mapping[str, Any]) -> str:
    if home != STREAM or not metadata:
        return home
    if "copied_from" in metadata:
        return COPIES
    return UTTERANCES if is_utterance(metadata) else STREAM


def _searched(description: str, tags: list[str] | tuple[str, ...], identifier: str) -> str:
    text = " ".join((description, *tags, identifier))
    return " ".join(text.split()) if "\n" in text else text
