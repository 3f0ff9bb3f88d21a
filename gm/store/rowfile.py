"""Read a file of memories into light rows. A line that cannot be read is a problem, and the rest is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gm.errors import Problem
from gm.model.calendar import SceneRef, parse_ref
from gm.model.ids import parse_node_id
from gm.model.node import BEYOND, NODE_TYPES, Node, NodeError, is_utterance, node_from_record
from gm.store.check.lines import node_problem, read_node
from gm.store.jsonl import Line, Scan, each_line
from gm.store.rows import ARCHIVE, COPIES, STREAM, UTTERANCES, FileRows, Row
from gm.store.text import BOM, undecodable

_KINDS = frozenset(NODE_TYPES)
_NOWHERE = SceneRef(0)


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
    reader = _Reader(owner, home, shown, known.by_id if known else {}, before)
    scan = Scan(text)
    texts: list[str] = []
    rows: list[Row] = []
    for line in each_line(scan, shown):
        begin, end = starts[line.number - 1], starts[line.number]
        read = reader.row(line, scan, at + begin, end - 1 - begin)
        if read is not None:
            rows.append(read[0])
            texts.append(read[1])
    problems += [replace(problem, line=problem.line + before) for problem in scan.problems]
    if scan.doubled:
        doubled = {before + number for number in scan.doubled}
        texts = [item for item, row in zip(texts, rows, strict=True) if row.number not in doubled]
        rows = [row for row in rows if row.number not in doubled]
    # a problem of its own that a line has twice over is one
    problems = list(dict.fromkeys((*problems, *reader.problems)))
    return FileRows(owner, shown, rows, tuple(sorted(problems)), count_lines(data[at:]), texts)


def count_lines(data: bytes) -> int:
    """Count the lines that end in some bytes, with one that has no end."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


def _decoded(data: bytes, shown: str) -> tuple[str, list[Problem]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), [undecodable(error, shown)]


class _Reader:
    """Makes rows of the lines of one file."""

    def __init__(self, owner: str, home: str, shown: str, known: Mapping[str, Row], before: int) -> None:
        self._owner = owner
        self._home = home
        self._shown = shown
        self._before = before
        self._seen: dict[str, Row] = {row.id: row for row in known.values()}
        self._words: dict[str, str] = {}
        self._prefix = f"{owner}-"
        self._when: tuple[object, SceneRef | None] = ("", None)
        self.problems: list[Problem] = []

    def row(self, line: Line, scan: Scan, start: int, size: int) -> tuple[Row, str] | None:
        """Make the row of a line and the text by which it is searched; None where it is no memory."""
        number = self._before + line.number
        made = self._quick(line.record, number, start, size)
        if made is None:
            try:
                # an archive may hold what is another's, and what was brought back meanwhile
                node = (
                    node_from_record(line.record) if self._home == ARCHIVE else read_node(self._owner, line, self._seen)
                )
            except NodeError as error:
                found = node_problem(self._shown, line.number, scan.line(line.number), error)
                self.problems.append(replace(found, line=number))
                return None
            made = self._row(node, number, start, size), _searched(node.description, node.tags, node.id)
        self._seen[made[0].id] = made[0]
        return made

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
        home = _home(self._home, metadata)
        row = Row(
            identifier, int(serial), number, start, size, when.day, when.scene, when.suffix,
            words.setdefault(kind, kind), depth, importance, kept, tuple(evidence), home,
        )  # fmt: skip
        return row, text

    def _row(self, node: Node, number: int, start: int, size: int) -> Row:
        parsed = parse_node_id(node.id)
        assert parsed is not None
        when = parse_ref(node.created) or _NOWHERE
        return Row(
            node.id, parsed[1], number, start, size, when.day, when.scene, when.suffix, node.type,
            node.depth, node.importance, node.tags, node.evidence, _home(self._home, node.metadata),
        )  # fmt: skip


def _home(home: str, metadata: Mapping[str, Any]) -> str:
    if home != STREAM or not metadata:
        return home
    if "copied_from" in metadata:
        return COPIES
    return UTTERANCES if is_utterance(metadata) else STREAM


def _searched(description: str, tags: list[str] | tuple[str, ...], identifier: str) -> str:
    text = " ".join((description, *tags, identifier))
    return " ".join(text.split()) if "\n" in text else text
