"""Play days under the lock."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Unpack

from gm.files.commits.runnote import forget_run, last_day_of
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.mailbox import sweep_mailbox
from gm.llm.choose import Choice
from gm.play.master import DayResult, GameMaster, PlayOptions
from gm.play.report import Report
from gm.play.review import LeftOpenError
from gm.scene.attendance import next_day


def play_days(
    layout: Layout,
    choice: Choice,
    report: Report,
    days: int,
    *,
    command: str,
    **options: Unpack[PlayOptions],
) -> list[DayResult]:
    """Play several days and return those that were closed; after an interruption the same call ends at the same day.

    Raises:
        WaitingError: Answers are awaited from outside.
        GmError: The run cannot go on; everything so far is kept.
    """
    results = []
    with game_master(layout, choice, report, command=command, **options) as master:
        clock = master.world.clock
        closed = clock.day - clock.day_open
        last = last_day_of(layout, days, closed, next_day(master.world, closed, days))
        master.check_direction(last)
        try:
            while (clock := master.world.clock).day < last or clock.day_open:
                results.append(master.play_day())
        except LeftOpenError:
            report.day_left(master.world)
            return results
        master.settle()
        forget_run(layout)
    return results


@contextmanager
def game_master(
    layout: Layout,
    choice: Choice,
    report: Report,
    *,
    command: str,
    **options: Unpack[PlayOptions],
) -> Iterator[GameMaster]:
    """Hold the lock of a world, finish an interrupted write, and make its Game Master.

    Raises:
        LockedError: Another process writes to the world.
        BrokenWorldError: Files that are needed cannot be read.
    """
    with _unburdened(), writing(layout, command) as writer:
        for note in writer.recovered:
            report.notice(note)
        sweep_mailbox(layout)
        master = GameMaster(layout, writer, choice, report, **options)
        try:
            yield master
        finally:
            master.asker.close()
            master.close()


@contextmanager
def _unburdened() -> Iterator[None]:
    """Garbage collection skips what is loaded already, modules above all."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
