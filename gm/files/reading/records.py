"""Lines read as records, with the errors of their lines: the same for loading and for checking."""

from __future__ import annotations

from typing import Protocol, TypeVar

from gm.base.errors import Problem
from gm.files.forms.jsonl import Line, Scan
from gm.files.forms.places import Keys, find_spot
from gm.model.record import Record, RecordError

OPEN = "open"
T = TypeVar("T")


class Event(Protocol):
    """An event of something that has an id."""

    @property
    def id(self) -> str:
        """What it is about."""

    @property
    def event(self) -> str:
        """What happened; ``open`` begins it."""


E = TypeVar("E", bound=Event)


def read_records(scan: Scan, shown: str, record: Record[T]) -> tuple[list[tuple[Line, T]], list[Problem]]:
    """Read the lines of a file as records. A line that cannot be read is left out and reported.

    Args:
        scan: The lines of the file.
        shown: Its path for the problems.
        record: What a line is.
    """
    found: list[tuple[Line, T]] = []
    problems = []
    for line in scan.lines:
        try:
            found.append((line, record.read(line.record)))
        except RecordError as error:
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
    return found, problems


def read_events(scan: Scan, shown: str, record: Record[E]) -> tuple[list[tuple[Line, E]], list[Problem]]:
    """Read lines as events, as ``read_records`` does; a second line that opens the same thing is left out as well."""
    found: list[tuple[Line, E]] = []
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
    """Return the problem of a line, at the value that cannot be read."""
    column = column_of(text, error.place)
    return Problem(shown, number, column, "error", error.code, error.message, error.hint)


def column_of(text: str, keys: Keys) -> int:
    """Find the column, from 1, in which a value of a line begins; that of its object when it is not there."""
    spot = find_spot(text, keys)
    return spot.begin + 1 if spot else 1
