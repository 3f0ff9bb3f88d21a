"""The current state of a world; only the ends of memory streams are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from gm.api.status import awaited
from gm.api.views.cast import Standing
from gm.api.views.day import Day, view_day
from gm.api.views.scenes import ThreadMark
from gm.api.views.threads import Threads, load_thin_world, view_open_threads
from gm.base.errors import Problem
from gm.files.commits.lock import Holder, find_holder
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.now import load_whole_state
from gm.files.streams.find import Found
from gm.files.writing import who_writes
from gm.model.calendar import weekday
from gm.model.clock import Clock, ScheduledEvent
from gm.model.world import World
from gm.scene.schedule import events_on

AHEAD = 14
"""Days ahead for which events are shown."""
WEIGHTY = 8
"""Lowest importance of a highlighted memory."""
MOST = 6


@dataclass(frozen=True, slots=True)
class Ahead:
    """An upcoming event of the calendar."""

    day: int
    weekday: str
    event: ScheduledEvent


@dataclass(frozen=True, slots=True)
class Today:
    """The current state of a world.

    Attributes:
        ahead: Recurring events once, at their next date.
        writer: The process that is writing.
        awaited: Unanswered questions in the mailbox.
        unfinished: Number of files that an interrupted write has yet to change.
    """

    clock: Clock
    last: Day | None
    standing: tuple[Standing, ...]
    decisions: tuple[str, ...]
    ahead: tuple[Ahead, ...]
    threads: Threads
    writer: Holder | None
    speaking: tuple[str, ...]
    awaited: tuple[str, ...]
    unfinished: int
    problems: tuple[Problem, ...]

    @property
    def memories(self) -> list[Found]:
        return sorted(self.last.memories if self.last else (), key=lambda item: -item.node.importance)

    @property
    def weighty(self) -> list[Found]:
        """The most important memories of the last day, without reflections and texts that several characters share."""
        lived = [item for item in self.memories if not item.node.depth and item.node.importance >= WEIGHTY]
        known = Counter(item.node.description for item in lived)
        return [item for item in lived if item.node.description and known[item.node.description] == 1][:MOST]

    @property
    def reflections(self) -> list[Found]:
        return [item for item in self.memories if item.node.depth]

    def marks(self, event: str) -> list[ThreadMark]:
        scenes = self.last.scenes if self.last else ()
        return [mark for scene in scenes for mark in scene.threads if mark.event == event]


def view_today(layout: Layout, hidden: Collection[str] = ()) -> Today:
    """Return the current state of a world; ``hidden`` as for ``view_day``."""
    with snapshot(layout) as unfinished:
        world, problems = load_thin_world(layout)
        days = layout.logged_days()
        last = view_day(layout, days[-1], hidden) if days else None
        standing = tuple(_standing(layout, world, name) for name in world.agents)
        threads = view_open_threads(layout, world, hidden)
    if last:
        problems += [problem for problem in last.problems if problem not in problems]
        last = replace(last, problems=())
    writer = find_holder(layout.lock)
    return Today(
        world.clock,
        last,
        standing,
        world.decisions[-MOST:],
        tuple(_ahead(world)),
        threads,
        writer,
        tuple(name for name in who_writes(layout) if name in world.agents) if writer else (),
        awaited(layout),
        unfinished,
        tuple(problems),
    )


def _standing(layout: Layout, world: World, name: str) -> Standing:
    state = world.agents[name].state
    if not state.position:
        state, _ = load_whole_state(layout, name)
    return Standing(name, state, world.settings.reflection)


def _ahead(world: World) -> list[Ahead]:
    first = world.clock.day if world.clock.day_open else world.clock.day + 1
    names = world.settings.calendar.weekdays
    found: dict[str, Ahead] = {}
    for day in range(first, first + AHEAD):
        for _, event in events_on(world, day):
            found.setdefault(event.event, Ahead(day, weekday(day, names), event))
    return list(found.values())
