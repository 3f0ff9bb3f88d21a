"""Decode streams: to count what is in them, or to read what one story day left in them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path

from gm.errors import Problem
from gm.model.ids import highest_number
from gm.model.node import Node, is_beside
from gm.model.record import RecordError
from gm.regular import open_regular
from gm.store.forms.jsonl import Line, scan_lines
from gm.store.forms.text import BOM, is_overlaid, read_data, read_text
from gm.store.reading.lines import id_in, read_node
from gm.store.reading.records import record_problem
from gm.store.streams.census import Census


def read_day(name: str, path: Path, census: Census, day: int) -> list[Node]:
    """Read the memories of a story day from the stream that was counted, in the order of the file."""
    place = census.days.get(str(day))
    if place is None:
        return []
    begin, end = place
    if is_overlaid(path):
        data = read_data(path)[begin:end]
    else:
        with open(path, "rb", opener=open_regular) as file:
            file.seek(begin)
            data = file.read(end - begin)
    found: list[Node] = []
    seen: dict[str, Line] = {}
    for line in scan_lines(data.decode("utf-8", "replace").removeprefix(BOM), "").lines:
        with suppress(RecordError):
            node = read_node(name, line, seen)
            seen[node.id] = line
            if node.when.day == day and not is_beside(node.metadata):
                found.append(node)
    return found


def count_memories(name: str, path: Path, shown: str, known: Census | None) -> tuple[Census, list[Problem]]:
    """Count what is in a file; of one that was only added to, what was added.

    Args:
        name: Whose memories they are.
        path: The file.
        shown: Its path for problems.
        known: What was in it before.

    Returns:
        What is in it, and an error for each line that is left out.
    """
    try:
        data = read_data(path)
    except OSError:
        return _count_all(name, path, shown)
    census = _count_end(name, data, known) if known is not None else None
    census, problems = (census, []) if census is not None else _count_all(name, path, shown)
    census.size, census.print = len(data), _print(data)
    return census, problems


def _count_all(name: str, path: Path, shown: str) -> tuple[Census, list[Problem]]:
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    problems += scan.problems
    census = Census()
    lost = [identifier for _, line in scan.broken if (identifier := id_in(line))]
    seen: dict[str, Line] = {}
    ends = _line_ends(text.content.encode("utf-8", "surrogatepass"))
    for line in scan.lines:
        try:
            node = read_node(name, line, seen)
        except RecordError as error:
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
            lost.append(str(line.record.get("id", "")))
            continue
        seen[node.id] = line
        _add(census, node, ends[line.number - 1], ends[line.number])
    census.highest = highest_number(name, (*seen, *lost))
    return census, problems


def _count_end(name: str, data: bytes, known: Census) -> Census | None:
    """Count what was added to a file; None where it was not only added to, or not everything is as it should be."""
    whole_lines = data[: known.size].endswith(b"\n")
    if not whole_lines or _print(data[: known.size]) != known.print:
        return None
    added = data[known.size :]
    try:
        scan = scan_lines(added.decode("utf-8"), "")
    except UnicodeDecodeError:
        return None
    if scan.problems:
        return None
    census = Census(**asdict(known))
    ends = _line_ends(added)
    for line in scan.lines:
        try:
            node = read_node(name, line, {})
        except RecordError:
            return None
        number = highest_number(name, (node.id,))
        if number <= census.highest:
            return None  # it may stand there twice
        census.highest = number
        _add(census, node, known.size + ends[line.number - 1], known.size + ends[line.number])
    return census


def _add(census: Census, node: Node, begin: int, end: int) -> None:
    census.memories += 1
    if is_beside(node.metadata):
        return
    census.reflections += node.depth > 0
    day = str(node.when.day)
    first = census.days[day][0] if day in census.days else begin
    census.days[day] = [first, end]


def _line_ends(data: bytes) -> list[int]:
    """Tell where lines end and the next ones begin, the first at 0."""
    ends = [0]
    for line in data.split(b"\n"):
        ends.append(ends[-1] + len(line) + 1)
    return ends


def _print(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
