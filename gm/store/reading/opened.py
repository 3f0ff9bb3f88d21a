"""Read files of events line by line, with the errors of their lines; the same for loading and for checking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gm.errors import Problem
from gm.model.event import OPEN, Event, EventError
from gm.store.forms.jsonl import Line, Scan
from gm.store.reading.lines import column_of

E = TypeVar("E", bound=Event)


def read_opened(
    scan: Scan,
    shown: str,
    read: Callable[[Mapping[str, Any]], E],
    kind: str,
    hint: Callable[[str], str],
) -> tuple[list[tuple[Line, E]], list[Problem]]:
    """Read lines as events. A line that cannot be read, or that opens something again, is left out and reported.

    Args:
        scan: The lines of the file.
        shown: Its path for the problems.
        read: Makes an event of the object of a line; raises ``EventError``.
        kind: What the events are about, for the codes of problems.
        hint: Says what to do about a wrong key.
    """
    found: list[tuple[Line, E]] = []
    problems = []
    opened: dict[str, int] = {}
    for line in scan.lines:
        try:
            event = read(line.record)
            if event.event == OPEN and event.id in opened:
                raise EventError("id", f"{event.id} is opened in line {opened[event.id]} already")
        except EventError as error:
            keys = (error.key,) if error.key in line.record else ()
            column = column_of(scan.line(line.number), keys)
            code = f"{kind}-{error.key}"
            problems.append(Problem(shown, line.number, column, "error", code, str(error), hint(error.key)))
            continue
        if event.event == OPEN:
            opened[event.id] = line.number
        found.append((line, event))
    return found, problems
