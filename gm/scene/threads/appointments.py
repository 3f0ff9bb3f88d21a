"""Appointments, and promises for an hour: who comes, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from math import inf

from gm.base.languages import language_of
from gm.model.calendar import SceneRef, is_time_of_day, moment_of, time_rank
from gm.model.derived import derived
from gm.model.scene import ENCOUNTER, EVENT, MEETING
from gm.model.thread import MISSED, Thread
from gm.model.world import World
from gm.scene.grounding.attendance import attending, days_passed_over, in_house, is_day_off
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.grounding.hours import AT, BEFORE, BEGINS, Hour, read_anchor, read_hour
from gm.scene.grounding.mentions import mentioned_in, topic_words

TYPES = (ENCOUNTER, MEETING, EVENT)
"""Types of scene in which an appointment may be held; the first that takes this number of people."""
PROMISED = (ENCOUNTER, EVENT, MEETING)
"""The same for a promise: what many come to see is not a meeting about something."""
LEAST_PEOPLE = 2
MINUTES_AHEAD = 15
"""By how much what is promised for an appointment may be before its hour ("at five to three")."""
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
    if not thread.to or len(_named_besides(world, thread)) > 1:
        return False
    if has_set_out(world, thread):
        return len(met_for(world, thread)) == LEAST_PEOPLE
    hour = _hour_promised(world, thread)
    if hour is None:
        return False
    # many come together for a promise only in the evening, at a place that it names
    return len(met_for(world, thread)) <= SMALL_CIRCLE or (bool(thread.place) and hour.part == "evening")


def has_set_out(world: World, promise: Thread) -> bool:
    """Return whether the maker of a promise for today has gone from where it was made to where it is to be kept."""
    maker = world.agents.get(promise.by)
    if maker is None or promise.kind != "promise" or promise.due != world.clock.day or not promise.place:
        return False
    own = (entry for entry in reversed(world.scenes_of(promise.due)) if maker.id in entry.participants)
    last = next(own, None)
    if last is None or SceneRef(last.day, last.number or 0) != promise.since:
        return False
    return maker.state.position == promise.place != last.place


def _hour_promised(world: World, promise: Thread) -> Hour | None:
    # None also for what is promised by an hour
    hour = _own_hour(world, promise)
    is_by = hour and (read_hour(promise.text, world.settings.language) or hour).relation == BEFORE
    return None if is_by else hour


def met_for(world: World, thread: Thread) -> tuple[str, ...]:
    """Return the ids of those who meet, the opener first.

    A promise is kept with the one whom it names first, if it was made to another one ("I go to Emre before Leo does");
    what is left of it after a scene with that one, with those to whom it was made.
    """
    third = _third(world, thread)
    if third and not _was_taken_up(world, thread, third):
        return thread.by, third
    return tuple(dict.fromkeys(thread.people))


def _was_taken_up(world: World, thread: Thread, agent: str) -> bool:
    since = takewhile(lambda entry: entry.day >= thread.since.day, reversed(world.log))
    return any(thread.id in entry.answers and agent in entry.participants for entry in since)


def _third(world: World, thread: Thread) -> str:
    # whom a promise names to whom it was not made
    besides = _named_besides(world, thread) if thread.kind == "promise" else ()
    return besides[0] if len(besides) == 1 else ""


def _named_besides(world: World, promise: Thread) -> tuple[str, ...]:
    # in the first clause that names a character other than its maker; none if it names one to whom it was made
    clauses = language_of(world.settings.language).clause_end.split(promise.text)
    named = (tuple(name for name in mentioned_in(world, clause) if name != promise.by) for clause in clauses)
    first = next(filter(None, named), ())
    return () if {*first} & {*promise.to} else first


def hour_of(world: World, thread: Thread) -> Hour | None:
    """Return when in its day something arranged takes place; None without any time.

    Its clock time; else what its text says by the clock, by meals, or of the part of the day; else the event,
    appointment or promise that its text names as coming before or after it. What has the hour of the one that it comes
    after or before ("after the rehearsal at three") comes after or before it.
    """
    own = _own_hour(world, thread)
    if own is not None and not (own.is_clock and own.relation == AT):
        return own
    beside = _read_hour_beside(world, thread, own)
    if own is None:
        return beside
    return replace(own, relation=beside.relation) if beside and beside.minute == own.minute else own


def _own_hour(world: World, thread: Thread) -> Hour | None:
    if thread.time and not is_time_of_day(thread.time):
        hours, _, minutes = thread.time.partition(":")
        return Hour(60 * int(hours) + int(minutes), is_clock=True)
    said = read_hour(thread.text, world.settings.language, thread.time)
    if thread.time and (said is None or said.part != thread.time):
        return Hour(BEGINS[thread.time])
    return said


def _read_hour_beside(world: World, thread: Thread, own: Hour | None) -> Hour | None:
    named = read_anchor(thread.text, world.settings.language, own.part if own else "")
    if named is None:
        return None
    what = topic_words(world, named.what)
    others = [(text, hour) for text, hour in _others_on(world, thread) if hour is not None]
    alike = (hour for text, hour in others if what & topic_words(world, text))
    at_its_hour = (hour for _, hour in others if hour.is_clock and hour.minute == named.minute)
    found = next((hour for hours in (alike, at_its_hour) for hour in hours), None)
    return Hour(found.minute, named.relation) if found else None


def _others_on(world: World, thread: Thread) -> Iterator[tuple[str, Hour | None]]:
    for event in world.clock.scheduled_events:
        if event.day == thread.due and is_time_of_day(event.time):
            yield event.event, Hour(BEGINS[event.time])
    for kind, hour_in in (("appointment", _own_hour), ("promise", _hour_promised)):
        for one in world.threads:
            if one.kind == kind and one.due == thread.due and one.id != thread.id:
                yield one.text, hour_in(world, one)


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
    return tuple(one for one in _list_unplayed(world) if one.id not in kept_in_passing(world))


@derived
def owed_today(world: World) -> tuple[Thread, ...]:
    """Return today's open promises to go to a third character, without an hour, if both attend."""
    return tuple(
        one
        for one in world.threads
        if one.is_open
        and one.due == world.clock.day
        and _third(world, one)
        and _own_hour(world, one) is None
        and can_be_held(_list_attending(world, one))
    )


@derived
def kept_in_passing(world: World) -> frozenset[str]:
    """Return the ids of the promises for which there is no scene but that of an appointment to come."""
    return frozenset(one.id for meeting in _list_unplayed(world) for one in promises_kept_at(world, meeting))


def _list_unplayed(world: World) -> Iterator[Thread]:
    taken = _list_taken_today(world)
    for one in agreed_on(world, world.clock.day):
        if one.id not in taken and can_be_held(people_of(world, one)):
            yield one


def people_of(world: World, thread: Thread) -> tuple[str, ...]:
    """Return those who take part today: the opener first, those who have promised to come last."""
    makers = (one.by for one in promises_kept_at(world, thread))
    return tuple(dict.fromkeys((*_list_attending(world, thread), *makers)))


def _list_attending(world: World, thread: Thread) -> tuple[str, ...]:
    here = attending(world)
    return tuple(name for name in met_for(world, thread) if name in here)


@derived
def promises_kept_at(world: World, meeting: Thread) -> tuple[Thread, ...]:
    """Return what has been promised to people of an open appointment for its hour and place.

    Those who have promised it come as well, if there is a type of scene for that many.
    """
    people = {*_list_attending(world, meeting)}
    if meeting.kind != "appointment" or not meeting.is_open or not can_be_held(tuple(people)):
        return ()
    kept = []
    for one in world.threads:
        if _is_promised_for(world, one, meeting) and find_type(world, meeting, len(people | {one.by})):
            kept.append(one)
            people.add(one.by)
    return tuple(kept)


def _is_promised_for(world: World, promise: Thread, meeting: Thread) -> bool:
    if promise.kind != "promise" or not promise.is_open or promise.due != meeting.due:
        return False
    if promise.by not in in_house(world) or (promise.place or meeting.place) != (meeting.place or promise.place):
        return False
    # what is promised about a third character is kept with that one
    met = {*promise.to}.intersection(met_for(world, promise), meeting.people)
    at, then = _clock_minute(world, promise), _clock_minute(world, meeting)
    return bool(met) and at is not None and then is not None and 0 <= then - at <= MINUTES_AHEAD


def _clock_minute(world: World, thread: Thread) -> int | None:
    # None where it takes place before or after the hour
    hour = hour_of(world, thread)
    is_by = thread.kind == "promise" and _hour_promised(world, thread) is None
    return hour.minute if hour and hour.is_clock and hour.relation == AT and not is_by else None


def find_type(world: World, thread: Thread, size: int) -> str:
    """Return the type of scene in which ``size`` people keep an appointment; empty if none fits."""
    kinds = world.scene_types
    types = PROMISED if thread.kind == "promise" else TYPES
    return next((name for name in types if name in kinds and kinds[name].cast[0] <= size <= kinds[name].cast[1]), "")


def find_type_for_all(world: World, thread: Thread) -> str:
    """Return the type of scene for an appointment; empty if none fits all who take part."""
    return find_type(world, thread, len(people_of(world, thread)))


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


def is_appointment_due(world: World, thread: Thread, time: str) -> bool:
    """Return whether today's appointment may be held at a time of day."""
    part = part_of_day(world, thread)
    return not part or time_rank(part) <= time_rank(time)


def _list_taken_today(world: World) -> set[str]:
    return {key for entry in world.scenes_of(world.clock.day) for key in entry.answers}
