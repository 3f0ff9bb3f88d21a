"""The current state of a world; only the ends of memory streams are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.api.editing.threads import ThreadState
from gm.api.reports.status import list_awaited
from gm.api.views.cast import Standing
from gm.api.views.day import Day, view_day
from gm.api.views.scenes import SceneView
from gm.api.views.threads import ThreadsView, load_thin_world, view_open_threads
from gm.base.errors import Problem
from gm.files.commits.lock import Holder, find_holder
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_whole_state
from gm.files.streams.find import FoundMemory
from gm.files.uncommitted.writing import find_writers
from gm.model.calendar import weekday
from gm.model.clock import Clock, ScheduledEvent
from gm.model.world import World
from gm.scene.planning.events import events_on

AHEAD = 14
"""Days ahead for which events are shown."""
HIGHLIGHT_IMPORTANCE = 8
"""Lowest importance of a highlighted memory."""
MOST_HIGHLIGHTS = MOST_DECISIONS = 3
LATEST_SCENES = 2
"""Scenes of the story so far."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """An upcoming event of the calendar."""

    day: int
    weekday: str
    event: ScheduledEvent


@dataclass(frozen=True, slots=True)
class Room:
    """A place and who is there; ``sentence`` is empty for a place that ``gm.yaml`` does not name."""

    place: str
    sentence: str
    standing: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Today:
    """The current state of a world.

    Attributes:
        rooms: The places of ``gm.yaml`` in its order, then others; "" for those whose place is unknown.
        ahead: Recurring events once, at their next date.
        unfinished: Number of files that an interrupted write has yet to change.
    """

    clock: Clock
    last: Day | None
    rooms: tuple[Room, ...]
    decisions: tuple[str, ...]
    ahead: tuple[Ahead, ...]
    threads: ThreadsView
    writer: Holder | None
    speaking: tuple[str, ...]
    awaited: tuple[str, ...]
    unfinished: int
    problems: tuple[Problem, ...]

    @property
    def standing(self) -> list[Standing]:
        """All characters, room by room."""
        return [each for room in self.rooms for each in room.standing]

    @property
    def latest(self) -> tuple[SceneView, ...]:
        """The latest scenes of the last day, newest first: those in which people met, if there are any."""
        scenes = self.last.scenes if self.last else ()
        met = tuple(scene for scene in scenes if len(scene.cast) > 1)
        return tuple(reversed((met or scenes)[-LATEST_SCENES:]))

    @property
    def due(self) -> list[ThreadState]:
        """What is due on the open or the coming day, appointments first, in order."""
        others = [one for one in self.threads.open if one.kind != "appointment" and one.state != "overdue"]
        return [one for one in (*self.threads.agreed, *others) if one.due == self.coming]

    @property
    def later(self) -> list[ThreadState]:
        """Appointments of later days, in order."""
        return [one for one in self.threads.agreed if one.due is not None and one.due > self.coming]

    @property
    def coming(self) -> int:
        """The open day, else the next one."""
        return self.clock.coming

    @property
    def memories(self) -> list[FoundMemory]:
        """Memories of the last day, the most important first."""
        return sorted(self.last.memories if self.last else (), key=lambda item: -item.node.importance)

    @property
    def weighty(self) -> list[FoundMemory]:
        """The most important memories of the last day, without reflections and texts that several characters share."""
        lived = [item for item in self.memories if not item.node.depth and item.node.importance >= HIGHLIGHT_IMPORTANCE]
        known = Counter(item.node.description for item in lived)
        return [item for item in lived if item.node.description and known[item.node.description] == 1][:MOST_HIGHLIGHTS]

    @property
    def reflections(self) -> list[FoundMemory]:
        """The reflections among them."""
        return [item for item in self.memories if item.node.depth]


def view_today(layout: Layout, hidden: Collection[str] = ()) -> Today:
    """Return the current state of a world; ``hidden`` as for ``view_day``."""
    with snapshot(layout) as unfinished:
        world, problems = load_thin_world(layout)
        days = layout.logged_days()
        last = view_day(layout, days[-1], hidden) if days else None
        standing = tuple(_view_standing(layout, world, name) for name in world.agents)
        threads = view_open_threads(layout, world, hidden)
    if last:
        problems += [problem for problem in last.problems if problem not in problems]
        last = replace(last, problems=())
    writer = find_holder(layout.lock)
    return Today(
        world.clock,
        last,
        _rooms(world.settings.places, standing),
        world.decisions[-MOST_DECISIONS:],
        tuple(_list_ahead(world)),
        threads,
        writer,
        tuple(name for name in find_writers(layout) if name in world.agents) if writer else (),
        list_awaited(layout),
        unfinished,
        tuple(problems),
    )


def _view_standing(layout: Layout, world: World, name: str) -> Standing:
    state = world.agents[name].state
    if not state.position:
        state, _ = load_whole_state(layout, name)
    return Standing(name, state, world.settings.reflection)


def _rooms(places: Mapping[str, str], standing: Sequence[Standing]) -> tuple[Room, ...]:
    taken: dict[str, list[Standing]] = {place: [] for place in places}
    for each in standing:
        taken.setdefault(each.state.position, []).append(each)
    return tuple(Room(place, places.get(place, ""), tuple(there)) for place, there in taken.items())


def _list_ahead(world: World) -> list[Ahead]:
    first = world.clock.coming
    names = world.settings.calendar.weekdays
    found: dict[str, Ahead] = {}
    for day in range(first, first + AHEAD):
        for _, event in events_on(world, day):
            found.setdefault(event.event, Ahead(day, weekday(day, names), event))
    return list(found.values())
