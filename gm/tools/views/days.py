"""All days of a world as a calendar, a row for each of its weeks. Only logbooks are read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from gm.errors import Problem
from gm.memory.private import PRIVATE, private_nodes, quotes
from gm.model.clock import Clock
from gm.store.commits.snapshot import snapshot
from gm.store.layout import Layout
from gm.store.now import load_clock, load_settings
from gm.tools.views.day import name_of_day, nodes_of_day
from gm.tools.views.logged import LoggedDay, logged_days

PLAIN_WEEK = 7


@dataclass(frozen=True, slots=True)
class DayInBrief:
    """A day in the calendar.

    Attributes:
        day: Story day.
        weekday: Its name; empty when the world has none.
        is_open: Whether it goes on.
        scenes: How many scenes it has.
        types: Types of its scenes, in order.
        met: Who were together in scenes of some but not all, each group once, in order.
        line: One sentence about it; may be empty.
        memories: How many memories it made.
        artifacts: How many pieces of work were finished.
    """

    day: int
    weekday: str
    is_open: bool
    scenes: int
    types: tuple[str, ...]
    met: tuple[tuple[str, ...], ...]
    line: str
    memories: int
    artifacts: int


@dataclass(frozen=True, slots=True)
class Week:
    """A week of a world.

    Attributes:
        number: From 1.
        days: Its days that have a logbook.
    """

    number: int
    days: tuple[DayInBrief, ...]

    @property
    def memories(self) -> int:
        """How many memories it made."""
        return sum(day.memories for day in self.days)


@dataclass(frozen=True, slots=True)
class Calendar:
    """All days of a world.

    Attributes:
        weeks: The newest first, the days of each in order.
        weekdays: Names of the days of a week; empty when the world has none.
        problems: What cannot be read.
    """

    weeks: tuple[Week, ...]
    weekdays: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def days(self) -> int:
        """How many days have a logbook."""
        return sum(len(week.days) for week in self.weeks)


def view_days(layout: Layout, hidden: Collection[str] = ()) -> Calendar:
    """Read all days in brief.

    Args:
        layout: The world.
        hidden: What is left out: with ``private``, a line that quotes a memory tagged as such.
    """
    with snapshot(layout):
        settings, problems = load_settings(layout)
        clock, found = load_clock(layout)
        problems += found
        logged = logged_days(layout)
        cast = len(layout.agent_names())
        if PRIVATE in hidden:
            logged = [_without_secrets(layout, clock, item) for item in logged]
    length = len(settings.calendar.weekdays) or PLAIN_WEEK
    weeks: dict[int, list[DayInBrief]] = {}
    for item in logged:
        problems += item.problems
        brief = _brief(item, name_of_day(settings, clock, item.day), clock, cast)
        weeks.setdefault((max(item.day, 1) - 1) // length + 1, []).append(brief)
    ordered = tuple(Week(number, tuple(weeks[number])) for number in sorted(weeks, reverse=True))
    return Calendar(ordered, settings.calendar.weekdays, tuple(problems))


def _without_secrets(layout: Layout, clock: Clock, logged: LoggedDay) -> LoggedDay:
    nodes = nodes_of_day(layout, clock, logged.day) if logged.highlight else {}
    secrets = private_nodes(nodes.values())
    return replace(logged, highlight="") if secrets and quotes(logged.highlight, secrets) else logged


def _brief(logged: LoggedDay, weekday: str, clock: Clock, cast: int) -> DayInBrief:
    groups = [tuple(sorted(set(scene.cast))) for scene in logged.scenes]
    return DayInBrief(
        logged.day,
        weekday,
        clock.day_open and clock.day == logged.day,
        len(logged.scenes),
        tuple(scene.type for scene in logged.scenes),
        tuple(dict.fromkeys(group for group in groups if 1 < len(group) < max(cast, 3))),
        logged.highlight or logged.summary,
        logged.memories,
        len(logged.artifacts),
    )
