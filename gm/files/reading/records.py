"""Read lines as records, with their errors, for loading and for checking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gm.base.errors import Problem
from gm.base.frontmatter import split_front_matter, yaml_place
from gm.files.formats.jsonl import JsonLine, Scan
from gm.files.formats.places import Keys, find_spot, json_place
from gm.files.formats.text import read_text
from gm.model.record import Record, RecordError

OPEN = "open"
T = TypeVar("T")


class Event(Protocol):
    """An event of an item with an id."""

    @property
    def id(self) -> str:
        """Id of the item."""

    @property
    def event(self) -> str:
        """Kind of event; ``open`` is the first of an item."""


E = TypeVar("E", bound=Event)


def front_problems(path: Path, shown: str, record: Record[Any], front: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with front matter, each at its place."""
    head = split_front_matter(read_text(path, shown)[0].body)[0] or ""
    for error in record.problems(front):
        line, column = yaml_place(head, error.place, key=error.unknown)
        yield Problem(shown, line + 1, column, "warning", error.code, error.message, error.hint)


def read_records(scan: Scan, shown: str, record: Record[T]) -> tuple[list[tuple[JsonLine, T]], list[Problem]]:
    """Read lines as records; invalid ones are skipped and reported. ``shown`` is the path in problems."""
    found: list[tuple[JsonLine, T]] = []
    problems = []
    for line in scan.lines:
        try:
            found.append((line, record.read(line.record)))
        except RecordError as error:
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
    return found, problems


def read_events(scan: Scan, shown: str, record: Record[E]) -> tuple[list[tuple[JsonLine, E]], list[Problem]]:
    """Read events as ``read_records`` does; a second ``open`` of an item is invalid as well."""
    found: list[tuple[JsonLine, E]] = []
    opened: dict[str, int] = {}
    read, problems = read_records(scan, shown, record)
    for line, event in read:
        if event.event == OPEN and event.id in opened:
            error = record.error("id", f"{event.id} is opened in line {opened[event.id]} already")
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
            continue
        if event.event == OPEN:
            opened[event.id] = line.number
        found.append((line, event))
    return found, problems


def record_problem(shown: str, number: int, text: str, error: RecordError) -> Problem:
    """Return the problem of a line, at the invalid value."""
    column = column_of(text, error.place)
    return Problem(shown, number, column, "error", error.code, error.message, error.hint)


def document_problem(shown: str, body: str, error: RecordError, *above: str | int) -> Problem:
    """Return the problem of a record in a JSON document, at the invalid value; ``above`` are the keys of the record."""
    place = json_place(body, (*above, *error.place))
    return Problem(shown, *place, "error", error.code, error.message, error.hint)


def column_of(text: str, keys: Keys) -> int:
    """Return the column, from 1, of a value in a line."""
    spot = find_spot(text, keys)
    return spot.begin + 1 if spot else 1


def place_in_lines(scan: Scan, keys: Keys) -> tuple[int, int]:
    """Return line and column of a value, given its line number and keys; zeros for the whole file."""
    return (int(keys[0]), column_of(scan.line(int(keys[0])), keys[1:])) if keys else (0, 0)
