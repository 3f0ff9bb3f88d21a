"""Appointments: which are for a day, who comes, and when they are due."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.calendar import SceneRef, parse_ref, time_rank
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.attendance import attending, days_passed_over, is_day_off

LEAST_PEOPLE = 2
MISSED_DAYS = 2
"""Days after which a missed appointment is no reason for a talk any more."""


def agreed_on(world: World, day: int) -> tuple[Thread, ...]:
    """Return the open appointments of a day, the earliest first; those without a time come last.

    A day off has none: they move to the next played day.
    """
    if is_day_off(world, day):
        return ()
    days = {*days_passed_over(world, day), day}
    found = (one for one in world.threads if one.kind == "appointment" and one.is_open and one.due in days)
    return tuple(sorted(found, key=lambda one: (_rank(one), one.time, one.number)))


def to_come(world: World) -> tuple[Thread, ...]:
    """Return today's open appointments that were not played today and enough of whom attend."""
    taken = _taken_today(world)
    return tuple(
        one for one in agreed_on(world, world.clock.day) if one.id not in taken and can_be_held(people_of(world, one))
    )


def people_of(world: World, thread: Thread) -> tuple[str, ...]:
    """Return those of an appointment who attend today, its opener first."""
    here = attending(world)
    return tuple(name for name in dict.fromkeys(thread.people) if name in here)


def can_be_held(people: tuple[str, ...]) -> bool:
    """Return whether enough attend: of two both, of more at least two."""
    return len(people) >= LEAST_PEOPLE


def times_fixed(world: World) -> list[str]:
    """Return the times of day of today's appointments, played ones included."""
    return [one.time_of_day for one in scenes_of_today(world) if one.time]


def scenes_of_today(world: World) -> list[Thread]:
    """Return today's appointments with a scene, those played first."""
    taken = _taken_today(world)
    played = [one for one in world.threads if one.kind == "appointment" and one.id in taken and one.outcome != "missed"]
    return [*played, *to_come(world)]


def missed_lately(world: World) -> Iterator[Thread]:
    """Yield appointments missed in the last ``MISSED_DAYS`` days that no scene has taken up since."""
    for one in world.threads:
        if one.kind == "appointment" and one.outcome == "missed":
            day = (parse_ref(one.touched) or SceneRef(0)).day
            taken = any(one.id in entry.answers for entry in world.log if entry.day > day)
            if not taken and 0 < world.clock.day - day <= MISSED_DAYS:
                yield one


def is_due(thread: Thread, time: str) -> bool:
    """Return whether an appointment of the day may be held at a time of day."""
    return not thread.time or time_rank(thread.time_of_day) <= time_rank(time)


def _rank(thread: Thread) -> int:
    return time_rank(thread.time_of_day) if thread.time else time_rank("evening") + 1


def _taken_today(world: World) -> set[str]:
    return {key for entry in world.scenes_of(world.clock.day) for key in entry.answers}
