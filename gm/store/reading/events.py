"""Events of threads with the errors of their lines, the same for loading and for checking."""

from __future__ import annotations

from gm.errors import Problem
from gm.model.thread import ThreadEvent, event_from_record
from gm.store.forms.jsonl import Line, Scan
from gm.store.reading.opened import read_opened

_HINT = "correct it, or delete the thread with all its lines"
_HINTS = {
    "id": "every thread has a number that was never used, three digits at least",
    "at": "the scene in which it happened, or the day: day-003/scene-04, day-003",
    "event": "open begins a thread, carry notes why it stays open, close ends it",
    "by": "the id of the agent who said so; gm for the Game Master",
    "text": "what was promised or asked; why it is carried; how it was closed",
    "to": 'ids of those who were addressed, such as ["vera"]; [] for nobody in particular',
    "due": "a whole number, such as 4 for day 4; null when no day was named",
}


def read_events(scan: Scan, shown: str) -> tuple[list[tuple[Line, ThreadEvent]], list[Problem]]:
    """Read the lines of ``state/threads.jsonl`` as events. A line that cannot be read is left out and reported.

    Args:
        scan: The lines of the file.
        shown: Its path for the problems.
    """
    return read_opened(scan, shown, event_from_record, "thread", _hint)


def _hint(key: str) -> str:
    hint = _HINTS.get(key, "")
    return f"{hint}; {_HINT}" if hint else _HINT
