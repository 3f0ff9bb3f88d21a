"""Read a file of one character's memories: whole, or one story day from the end of a file that only grows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.errors import Problem
from gm.base.regular import open_regular
from gm.base.texts import text_at
from gm.files.formats.jsonl import JsonLine, lines_in, scan_file
from gm.files.formats.text import is_overlaid, read_data
from gm.files.reading import id_in, read_node, record_problem
from gm.model.calendar import moment_of, parse_ref
from gm.model.node import Node, is_beside, node_from_record
from gm.model.record import RecordError

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
