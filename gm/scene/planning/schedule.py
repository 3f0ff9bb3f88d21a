"""The shape of a day: its events, how many scenes and when, who still needs company, and how the next one opens."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from gm.model.calendar import SceneRef, is_time_of_day, time_rank, weekday
from gm.model.derived import derived
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL, REFLECTION, Candidate
from gm.model.thread import Thread
from gm.model.world import Change, World
from gm.scene.grounding.attendance import attending, in_house, next_day
from gm.scene.grounding.circle import SMALL_CAST
from gm.scene.pieces.waiting import find_answered
from gm.scene.planning.events import events_on, events_to_come, is_played
from gm.scene.planning.wishes import talks_of_two, times_wanted, wants_no_company
from gm.scene.threads import appointments
from gm.scene.threads.appointments import people_of, to_come


@derived
def lonely_today(world: World) -> tuple[str, ...]:
    """Return those in the house who want company and had none today, arrival aside; none if switched off."""
    here = in_house(world)
    if not world.settings.day.company or len(here) < 2:
        return ()
    met = {
        name
        for entry in world.scenes_of(world.clock.day)
        if entry.type != ARRIVAL and len(entry.participants) > 1
        for name in entry.participants
    }
    return tuple(name for name in here if name not in met and not wants_no_company(world, world.agents[name]))


@derived
def will_be_alone(world: World) -> tuple[str, ...]:
    """Return those of ``lonely_today`` who meet no one in a later event or appointment."""
    expected = {name for cast in casts_to_come(world) if len(cast) > 1 for name in cast}
    return tuple(name for name in lonely_today(world) if name not in expected)


def casts_to_come(world: World) -> list[tuple[str, ...]]:
    """Return the casts of today's events and appointments that are still to be played."""
    here = attending(world)
    named = [
        {world.find_agent(name) for name in event.cast} or {*here}
        for _, event in events_to_come(world, find_answered(world))
    ]
    events = [tuple(name for name in here if name in cast) for cast in named]
    return [*events, *(people_of(world, one) for one in to_come(world))]


def is_pressing(lonely: tuple[str, ...], left: int) -> bool:
    """Return whether the scenes left just suffice to pair them."""
    return bool(lonely) and left <= ceil(len(lonely) / 2)


FOCUS_SCENES = 2
"""Extra scenes of a day, for which the character in focus must have a reason."""

ROOM_FOR_TALKS = 2
"""Scenes beyond the upper setting that a day has from the start for what was arranged."""

_FREE_TIMES = ("morning", "afternoon", "evening", "noon", "afternoon", "evening", "morning")
"""Times of the scenes without a fixed time, in order of preference, as far as the day has them."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of the coming scene in its day.

    Attributes:
        next_time: Time of the scene after it; evening when there is none.
        total: Scenes of the day.
        is_extra: Whether it is extra, for the character in focus.
        rest: Scenes of the day at this time, from this one on.
    """

    time: str
    next_time: str
    number: int
    total: int
    is_extra: bool = False
    rest: int = 1

    @property
    def left(self) -> int:
        """Scenes that still fit into the day, this one included."""
        return self.total - self.number


def most_together(world: World) -> int:
    """Return how many scenes are played at the same time, at most (``day.together``)."""
    stated = world.settings.day.together
    if isinstance(stated, int):
        return stated
    return 1 if len(world.agents) <= SMALL_CAST else len(world.agents)


def dice(seed: int, *names: object) -> random.Random:
    """Return one decision's random generator, seeded by its names."""
    return random.Random(":".join(str(name) for name in (seed, *names)))


def scenes_planned(world: World, day: int, seed: int) -> int:
    """Return how many scenes a day has, with ARRIVAL, without reflections.

    From the lower setting plus one to the upper one; events are added as far as there is room. On the open day so are
    appointments and talks planned by both sides, and it grows, up to ``day.busy``, by appointments that would find no
    scene, by promises to go to another character today, and by scenes for those whom the appointments of others leave
    without company.
    """
    low, high = world.settings.day.scenes
    busy = world.settings.day.busy
    rolled = dice(seed, "scenes", day).randint(min(low + 1, high), high)
    events = sum(is_played(event) for _, event in events_on(world, day))
    if day != world.clock.day:
        return max(rolled, min(low + 1 + events, high))
    arranged = _count_arranged(world)
    usual = max(rolled, min(low + 1 + events + arranged, high + min(arranged, ROOM_FOR_TALKS, busy)))
    fixed = len(appointments.to_come(world)) + _count_owed(world) + _left_alone(world)
    return max(usual, min(len(played_today(world)) + fixed, high + busy)) if fixed else usual


@dataclass(frozen=True, slots=True)
class RoomForTalks:
    """How much of a day its people have.

    Attributes:
        scenes: Usual scenes of a day, arrival and reflections aside.
        people: Number of those who attend.
        each: For how many meetings there is usually room for each of them: one with each of the others at most.
    """

    scenes: int
    people: int
    each: int


def room_for_talks(world: World) -> RoomForTalks:
    """Return for how many meetings of two a day usually has room, without those that are arranged."""
    low, high = world.settings.day.scenes
    scenes = max(1, (min(low + 1, high) + high) // 2 - 1 + min(ROOM_FOR_TALKS, world.settings.day.busy))
    people = len(attending(world))
    return RoomForTalks(scenes, people, max(1, min(people - 1, round(2 * scenes / max(1, people)))))


def _left_alone(world: World) -> int:
    # no more scenes than appointments have taken
    return min(ceil(len(will_be_alone(world)) / 2), len(appointments.scenes_of_today(world)))


def is_owed_now(world: World, item: Candidate, left: int) -> bool:
    """Return whether a candidate is for a promised visit, and only those for such visits are left of the scenes."""
    owed = _list_owed(world)
    return left <= len(owed) and any(
        one.id in item.answers and {*appointments.met_for(world, one)} <= {*item.cast} for one in owed
    )


@derived
def _list_owed(world: World) -> tuple[Thread, ...]:
    # what was promised in a further scene makes no further one
    latest = SceneRef(world.clock.day, world.settings.day.scenes[1] + ROOM_FOR_TALKS)
    return tuple(one for one in appointments.owed_today(world) if one.since <= latest)


def _count_owed(world: World) -> int:
    pairs = {frozenset(appointments.met_for(world, one)) for one in _list_owed(world)}
    return len(pairs - {frozenset(appointments.people_of(world, one)) for one in appointments.to_come(world)})


def played_today(world: World) -> list[LogEntry]:
    """Return the open day's scenes so far, without reflections."""
    return [entry for entry in world.scenes_of(world.clock.day) if REFLECTION not in entry.type]


def _count_arranged(world: World) -> int:
    agreed = appointments.scenes_of_today(world)
    return len(agreed) + len(talks_of_two(world) - {frozenset(appointments.met_for(world, one)) for one in agreed})


def coming_slot(world: World, seed: int, focus: str = "", *, ahead: int = 0) -> Slot | None:
    """Return the place of the coming scene, or of the one ``ahead`` after it; None when the day is full."""
    played = played_today(world)
    events = [event.time for _, event in events_on(world, world.clock.day) if is_played(event)]
    events += appointments.times_fixed(world)
    # a day filled by its events still has room for ARRIVAL, some work and an encounter
    room = min(world.settings.day.scenes[1], len(events) + 3 if events else 0)
    planned = max(scenes_planned(world, world.clock.day, seed), room)
    total = planned + (FOCUS_SCENES if focus else 0)
    number = len(played) + ahead
    if number >= total:
        return None
    agreed = {frozenset(appointments.met_for(world, one)) for one in appointments.scenes_of_today(world)}
    wanted = [time for pair, time in times_wanted(world).items() if pair not in agreed]
    times = times_of(total, events, world.settings.day.times, wanted)
    # a requested scene may have been later than the shape of the day foresees
    latest = max(
        (entry.time_of_day for entry in played if is_time_of_day(entry.time_of_day)), key=time_rank, default=""
    )
    time, *later = (max(time, latest or "morning", key=time_rank) for time in (*times[number:], "evening"))
    rest = 1 + later[:-1].count(time)
    return Slot(time, later[0], number, total, is_extra=number >= planned, rest=rest)


def times_of(scenes: int, events: Sequence[str], times: Sequence[str], wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the times of a day's scenes, in order.

    Args:
        scenes: At least 1, ARRIVAL included.
        events: Times of the day's events; each has its own scene as far as there are enough.
        times: Times of day with scenes of their own, in order; at least one (``day.times``).
        wanted: Times for which plans have arranged talks, beside the events; each has a scene before any time has a
            second one for nothing.
    """
    fixed = sorted(events, key=time_rank, reverse=True)[: scenes - 1]
    usual = [time for time in _FREE_TIMES if time in times]
    each = [time for time in dict.fromkeys(usual) if time not in fixed]
    more = [*(Counter(time for time in wanted if time in times) - Counter(each)).elements()]
    free = [*each, *more, *_without(usual, (*fixed, *each, *more))]
    later = [time for time in times if time != "noon"] or times
    while len(free) < scenes:
        free.append(later[len(free) % len(later)])
    return (times[0], *sorted((*fixed, *free[: scenes - 1 - len(fixed)]), key=time_rank))


def _without(values: Sequence[str], taken: Sequence[str]) -> list[str]:
    left, rest = Counter(taken), []
    for value in values:
        if not left[value]:
            rest.append(value)
        left[value] = max(0, left[value] - 1)
    return rest


@derived
def least_left(world: World) -> int:
    """Return the fewest scenes left, beside events and appointments."""
    low, high = world.settings.day.scenes
    fixed = len(casts_to_come(world))
    return min(low + 1 + fixed, high) - len(played_today(world)) - fixed


def open_day(world: World) -> Change:
    """Return the change that opens the next played day; without ``plans.enabled`` it clears what was planned.

    Raises:
        GmError: The calendar leaves no day to play.
    """
    day = next_day(world)
    planned = [] if world.settings.plans.enabled else [one for one in world.agents.values() if one.state.today_plan]
    return Change(
        day=day,
        agents={one.id: {"today_plan": []} for one in planned},
        clock={
            "day": day,
            "day_of_week": weekday(day, world.settings.calendar.weekdays),
            "time_of_day": "morning",
            "scenes_today": 0,
            "artifacts_today": [],
            "day_open": True,
        },
    )
