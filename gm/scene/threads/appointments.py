"""Appointments, and promises for an hour: who comes, and when."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from gm.model.calendar import is_time_of_day, moment_of, time_rank
from gm.model.derived import derived
from gm.model.thread import MISSED, Thread
from gm.model.world import World
from gm.scene.grounding.attendance import attending, days_passed_over, is_day_off
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.grounding.hours import AT, BEFORE, BEGINS, Hour, read_anchor, read_hour
from gm.scene.grounding.mentions import mentioned, topic_words

LEAST_PEOPLE = 2
MISSED_DAYS = 2
"""Days after which a missed appointment is no reason for a talk any more."""


def agreed_on(world: World, day: int) -> tuple[Thread, ...]:
    """Return a day's open appointments, the earliest first, those without a time last.

    A promise for an hour counts as one. On a day off they move to the next played day.
    """
    if is_day_off(world, day):
        return ()
    days = {*days_passed_over(world, day), day}
    found = [one for one in world.threads if one.is_open and one.due in days and _is_arranged(world, one)]
    return tuple(sorted(found, key=lambda one: (order_of(world, one), one.number)))


def _is_arranged(world: World, thread: Thread) -> bool:
    # an appointment, or a promise to do something with others at an hour ("at three", "after lunch", not "by three")
    if thread.kind != "promise":
        return thread.kind == "appointment"
    hour = _own_hour(world, thread)
    if hour is None or not thread.to or len(_named_besides(world, thread)) > 1:
        return False
    if (read_hour(thread.text, world.settings.language) or hour).relation == BEFORE:
        return False
    # many come together for a promise only in the evening, at a place that it names
    return len(met_for(world, thread)) <= SMALL_CIRCLE or (bool(thread.place) and hour.part == "evening")


def met_for(world: World, thread: Thread) -> tuple[str, ...]:
    """Return the ids of those who meet, the opener first.

    A promise that names one whom it was not made to ("I will tell Emre at three") is kept with that one.
    """
    besides = _named_besides(world, thread) if thread.kind == "promise" else ()
    return (thread.by, *besides) if len(besides) == 1 else tuple(dict.fromkeys(thread.people))


def _named_besides(world: World, promise: Thread) -> tuple[str, ...]:
    return tuple(name for name in mentioned(promise.text, world.agents.values()) if name not in promise.people)


def hour_of(world: World, thread: Thread) -> Hour | None:
    """Return when in its day something arranged takes place; None without any time.

    Its clock time; else what its text says by the clock, by meals, or of the part of the day; else the event or
    appointment that its text names as coming before or after it.
    """
    return _own_hour(world, thread) or _read_hour_beside(world, thread)


def _own_hour(world: World, thread: Thread) -> Hour | None:
    if thread.time and not is_time_of_day(thread.time):
        hours, _, minutes = thread.time.partition(":")
        return Hour(60 * int(hours) + int(minutes), is_clock=True)
    said = read_hour(thread.text, world.settings.language, thread.time)
    if thread.time and (said is None or said.part != thread.time):
        return Hour(BEGINS[thread.time])
    return said


def _read_hour_beside(world: World, thread: Thread) -> Hour | None:
    named = read_anchor(thread.text, world.settings.language)
    if named is None:
        return None
    what, relation = topic_words(world, named[0]), named[1]
    for text, hour in _others_on(world, thread):
        if hour is not None and what & topic_words(world, text):
            return Hour(hour.minute, relation)
    return None


def _others_on(world: World, thread: Thread) -> Iterator[tuple[str, Hour | None]]:
    for event in world.clock.scheduled_events:
        if event.day == thread.due and is_time_of_day(event.time):
            yield event.event, Hour(BEGINS[event.time])
    for one in world.threads:
        if one.kind == "appointment" and one.due == thread.due and one.id != thread.id:
            yield one.text, _own_hour(world, one)


def order_of(world: World, thread: Thread) -> float:
    """Return the minute by which to order; infinite without a time."""
    hour = hour_of(world, thread)
    return inf if hour is None else hour.order


def part_of_day(world: World, thread: Thread) -> str:
    """Return the time of day, or ""."""
    hour = hour_of(world, thread)
    return hour.part if hour else ""


def clock_of(world: World, thread: Thread) -> str:
    """Return the clock time that its scene shows, or ""."""
    hour = hour_of(world, thread)
    return hour.clock if hour and hour.is_clock and hour.relation == AT else ""


@derived
def to_come(world: World) -> tuple[Thread, ...]:
    """Return today's unplayed appointments that enough attend."""
    taken = _list_taken_today(world)
    return tuple(
        one for one in agreed_on(world, world.clock.day) if one.id not in taken and can_be_held(people_of(world, one))
    )


def people_of(world: World, thread: Thread) -> tuple[str, ...]:
    """Return those who attend today, the opener first."""
    here = attending(world)
    return tuple(name for name in met_for(world, thread) if name in here)


def can_be_held(people: tuple[str, ...]) -> bool:
    """Return whether enough attend: of two both, of more at least two."""
    return len(people) >= LEAST_PEOPLE


def times_fixed(world: World) -> list[str]:
    """Return the times of today's appointments, played ones included."""
    return [part for one in scenes_of_today(world) if (part := part_of_day(world, one))]


def scenes_of_today(world: World) -> list[Thread]:
    """Return today's appointments that have a scene, those played first."""
    taken = _list_taken_today(world)
    known = (one for one in world.threads if one.id in taken and one.outcome != MISSED)
    played = [one for one in known if _is_arranged(world, one) and (one.due or 0) <= world.clock.day]
    return [*played, *to_come(world)]


def missed_lately(world: World) -> Iterator[Thread]:
    """Yield appointments missed in ``MISSED_DAYS`` days, not taken up since."""
    for one in world.threads:
        if one.kind == "appointment" and one.outcome == MISSED:
            day = moment_of(one.touched).day
            taken = any(one.id in entry.answers for entry in world.log if entry.day > day)
            if not taken and 0 < world.clock.day - day <= MISSED_DAYS:
                yield one


def is_due(world: World, thread: Thread, time: str) -> bool:
    """Return whether today's appointment may be held at a time of day."""
    part = part_of_day(world, thread)
    return not part or time_rank(part) <= time_rank(time)


def _list_taken_today(world: World) -> set[str]:
    return {key for entry in world.scenes_of(world.clock.day) for key in entry.answers}
