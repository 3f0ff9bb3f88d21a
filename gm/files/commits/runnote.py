"""Remember how far a run of several days was meant to go, and that a day was ended: the same command finishes both."""

from __future__ import annotations

import json

from gm.files.forms import disk
from gm.files.forms.private import make_private
from gm.files.layout import Layout


def last_day_of(layout: Layout, days: int, closed: int, fresh: int) -> int:
    """Return the story day up to which a run goes, and note it.

    Args:
        layout: The world.
        days: How many days were asked for.
        closed: The last day that has been played to its end.
        fresh: The last day of a run of as many days that begins after it.

    Returns:
        The last day of an interrupted run of as many days, when there is one; else ``fresh``.
    """
    try:
        note = json.loads(disk.read(layout.run_note) or b"null")
        first, last = (note[key] for key in ("first", "last"))
        # closed == last: complete, and interrupted before it could say so
        if note["days"] == days and type(first) is type(last) is int and first - 1 <= closed <= last <= fresh:
            return last
    except (ValueError, KeyError, TypeError, RecursionError):
        pass  # no note, or one that is of no use: a new run
    note = {"days": days, "first": closed + 1, "last": fresh}
    with disk.explained(layout.run_note):
        make_private(layout.derived)
        disk.replace_synced(layout.run_note, json.dumps(note).encode())
    return fresh


def forget_run(layout: Layout) -> None:
    """Forget the note of a run that is complete."""
    layout.run_note.unlink(missing_ok=True)


def note_end(layout: Layout, day: int) -> None:
    """Note that a story day has no more scenes, as soon as that was decided.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(layout.end_note):
        make_private(layout.derived)
        disk.replace_synced(layout.end_note, json.dumps({"day": day}).encode())


def is_ended(layout: Layout, day: int) -> bool:
    """Return whether it was decided that a story day has no more scenes."""
    try:
        note = json.loads(disk.read(layout.end_note) or b"null")
    except (ValueError, RecursionError):
        return False  # half a note: the question comes again
    return isinstance(note, dict) and note.get("day") == day


def forget_end(layout: Layout) -> None:
    """Forget the note of a day that is closed."""
    layout.end_note.unlink(missing_ok=True)
