"""What a played world should have, and has lost: its absence must not count as a world that has not begun."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.config import Settings
from gm.base.errors import Problem, say
from gm.files.formats.text import is_there
from gm.files.layout import Layout
from gm.model.calendar import render_day, weekday
from gm.model.clock import Clock


def report_late_clock(layout: Layout, day: int) -> Problem:
    """Return the problem for a clock behind the logbook, in which the next day would be played once more."""
    shown, latest = layout.shown(layout.world), layout.logged_days()[-1]
    message: str = say("day is {day}, and the logbook goes on to day {last}", day, latest)
    hint = f"correct it, or go back: gm rewind {render_day(day)}"
    if not is_there(layout.world):
        message = say("the file is missing, and the logbook goes on to day {last}", latest)
        hint = f'restore it (git checkout -- {shown}, or a backup), or write {{"day": {latest}}}'
    return Problem(shown, 0, 0, "error", "clock-behind", message, hint)


def report_lost_settings(layout: Layout, settings: Settings, clock: Clock) -> Iterator[Problem]:
    """Yield the problem for an absent ``gm.yaml`` if gm played the clock's day with other weekdays than the default."""
    if is_other_weekday(settings, clock) and _is_recorded(layout, clock.day) and not is_there(layout.settings):
        name, default = clock.day_of_week, weekday(clock.day, settings.calendar.weekdays)
        message = f"the file is missing, and day {clock.day} was {name!r} by it, and by the defaults {default!r}"
        hint = f"restore it (git checkout -- gm.yaml), or write a new one; the default is language: {settings.language}"
        yield Problem("gm.yaml", 0, 0, "error", "settings-missing", message, hint)


def is_other_weekday(settings: Settings, clock: Clock) -> bool:
    """Return whether the clock names a weekday that the settings do not give its day."""
    return clock.day_of_week not in ("", weekday(clock.day, settings.calendar.weekdays))


def report_lost_logbooks(layout: Layout) -> Iterator[Problem]:
    """Yield a problem for each day without a logbook, after the first that has one or if gm recorded it."""
    days = layout.logged_days()
    for day in sorted({*range(1, days[-1])}.difference(days)) if days else ():
        if day > days[0] or _is_recorded(layout, day):
            shown = layout.shown(layout.day_log(day))
            message = f"day {day} has no logbook, and day {days[-1]} has one: its scenes are in no book and no page"
            hint = f"restore it (git checkout -- {shown}, or a backup); an empty file ends this warning"
            yield Problem(shown, 0, 0, "warning", "logbook-missing", message, hint)


def _is_recorded(layout: Layout, day: int) -> bool:
    return is_there(layout.changes / f"{render_day(day)}.jsonl")
