"""Notes on an unfinished run (its last day, its seed, whether a day was ended, how a scene stands), so that repeating
the command finishes it; and on how long models took."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from gm.base.config.kinds import is_number
from gm.base.errors import GmError
from gm.base.texts import is_digits
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.model.clock import Clock


def last_day_of(layout: Layout, days: int, closed: int, fresh: int) -> int:
    """Return the last story day of a run of ``days`` days and note it."""
    note = disk.read_note(layout.run_note)
    first, last = note.get("first"), note.get("last")
    # closed == last: complete, but interrupted before the note was removed
    if note.get("days") == days and type(first) is int and type(last) is int and first - 1 <= closed <= last <= fresh:
        return last
    note = {"days": days, "first": closed + 1, "last": fresh}
    disk.write_private(layout.derived, layout.run_note, json.dumps(note).encode())
    return fresh


def forget_run(layout: Layout) -> None:
    """Remove the note of a complete run."""
    disk.remove(layout.run_note)


def note_end(layout: Layout, day: int) -> None:
    """Note that a story day has no more scenes, as soon as that is decided.

    Raises:
        GmError: The disk refused.
    """
    disk.write_private(layout.derived, layout.end_note, json.dumps({"day": day}).encode())


def is_ended(layout: Layout, day: int) -> bool:
    """Return whether it was decided that a story day has no more scenes."""
    return disk.read_note(layout.end_note).get("day") == day


def forget_end(layout: Layout) -> None:
    """Remove the note of a closed day."""
    disk.remove(layout.end_note)


def note_seed(layout: Layout, day: int, seed: int | None) -> None:
    """Note the seed that a story day is played with; None = the one of ``gm.yaml``, which needs no note.

    Raises:
        GmError: The disk refused.
    """
    seeds = {known: one for known, one in noted_seeds(layout).items() if known < day}
    if seed is not None:
        seeds[day] = seed
    if seeds:
        last = {} if seed is None else {"day": day, "seed": seed}
        disk.write_private(layout.derived, layout.seed_note, json.dumps({**last, "days": seeds}).encode())
    else:
        disk.remove(layout.seed_note)


def noted_seed(layout: Layout, clock: Clock) -> int | None:
    """Return the seed that was noted for the open day; None = none was, or no day is open."""
    return noted_seeds(layout).get(clock.day) if clock.day_open else None


def noted_seeds(layout: Layout) -> dict[int, int]:
    """Return the seeds of the days that were not played with the one of ``gm.yaml``."""
    note = disk.read_note(layout.seed_note)
    days = note.get("days")
    days = {**(days if isinstance(days, dict) else {}), str(note.get("day")): note.get("seed")}
    return {int(day): seed for day, seed in days.items() if is_digits(day) and type(seed) is int and seed >= 0}


def note_sitting(layout: Layout, record: Mapping[str, object]) -> None:
    """Note what a person has decided about a scene that has not landed (``gm.play.review``).

    Raises:
        GmError: The disk refused.
    """
    disk.write_private(layout.derived, layout.sitting_note, json.dumps(record).encode())


def read_sitting(layout: Layout) -> Mapping[str, Any]:
    """Return what was noted; empty when nothing was, or when it cannot be read."""
    return disk.read_note(layout.sitting_note)


def forget_sitting(layout: Layout) -> None:
    """Remove the note of a scene that has landed."""
    disk.remove(layout.sitting_note)


def note_speed(layout: Layout, took: Mapping[str, tuple[int, float]]) -> None:
    """Add answers and the seconds that were waited for them, by model; of no consequence if the disk refuses."""
    known = read_speed(layout)
    for model, (calls, seconds) in took.items():
        before = known.get(model, (0, 0.0))
        known[model] = before[0] + calls, before[1] + seconds
    with suppress(GmError):
        disk.write_private(layout.derived, layout.speed_note, json.dumps(known).encode())


def read_speed(layout: Layout) -> dict[str, tuple[int, float]]:
    """Return what was noted, without what cannot be read."""
    known = disk.read_note(layout.speed_note).items()
    return {
        model: (one[0], one[1])
        for model, one in known
        if isinstance(one, list) and len(one) == 2 and all(map(is_number, one)) and one[0] > 0
    }
