"""What a day has had and what is still to come in it, for the rules of pacing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gm.model.calendar import time_rank
from gm.model.scene import ARRIVAL, EVENT, MEETING, Candidate
from gm.model.world import World
from gm.scene.grounding.attendance import attending, is_day_off
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.grounding.mentions import choose_type
from gm.scene.pieces.waiting import find_answered
from gm.scene.planning.events import events_to_come
from gm.scene.planning.plans import EVERYONE
from gm.scene.planning.schedule import Slot, is_pressing, played_today, will_be_alone
from gm.scene.planning.wishes import talks_of
from gm.scene.threads import appointments
from gm.scene.threads.appointments import find_type_for_all, people_of

LEAST_OUT, MOST_OUT = 2, SMALL_CIRCLE
"""Fewest of those without company that a scene brings out when it presses, and how many a later one can."""


@dataclass(frozen=True, slots=True)
class DaySoFar:
    """Input of the rules of pacing.

    Attributes:
        types: Of today's scenes in order, without reflections.
        seen: Number of today's scenes by character, without ARRIVAL.
        following: Types of the events and appointments directly after the coming scene.
        to_come: Types of today's unplayed events and appointments.
        arranged: The casts that meet later in the day, by an appointment or a plan.
        meeting_days: Days in a row before today with a meeting.
        here: Ids of those who attend today.
        lonely: Ids of those who want company and will have none by ``to_come``; ``lonely_set`` is the set of them.
        least_seen: The fewest scenes of a character today.
        fixed: How many events and appointments are still to come at the time of the coming scene.
        due: The same, with those whose time is over.
        reach: The largest number of them that one playable scene brings out.
    """

    types: tuple[str, ...]
    seen: Counter[str]
    following: tuple[str, ...]
    to_come: tuple[str, ...]
    arranged: frozenset[frozenset[str]]
    meeting_days: int
    slot: Slot
    focus: str
    here: tuple[str, ...]
    lonely: tuple[str, ...]
    lonely_set: frozenset[str]
    lonely_names: str
    least_seen: int
    fixed: int
    due: int
    reach: int = LEAST_OUT


def look_at_day(world: World, slot: Slot, focus: str = "") -> DaySoFar:
    """Return the input of the rules of pacing."""
    today = played_today(world)
    seen = Counter(name for entry in today if entry.type != ARRIVAL for name in entry.participants)
    here, lonely = attending(world), will_be_alone(world)
    coming = [
        (event.time, choose_type(world, (event.type, EVENT), len(event.cast or world.agents)))
        for _, event in events_to_come(world, find_answered(world))
    ]
    agreed = appointments.to_come(world)
    coming += [
        (appointments.part_of_day(world, one), kind) for one in agreed if (kind := find_type_for_all(world, one))
    ]
    return DaySoFar(
        types=tuple(entry.type for entry in today),
        seen=seen,
        following=tuple(kind for time, kind in coming if time and time_rank(time) <= time_rank(slot.next_time)),
        to_come=tuple(kind for _, kind in coming),
        arranged=frozenset(_meet_later(world, slot.time)),
        meeting_days=_meeting_days(world),
        slot=slot,
        focus=focus,
        here=here,
        lonely=lonely,
        lonely_set=frozenset(lonely),
        lonely_names=name_all(world, lonely),
        least_seen=min((seen[name] for name in here), default=0),
        fixed=sum(time == slot.time for time, _ in coming),
        due=sum(bool(time) and time_rank(time) <= time_rank(slot.time) for time, _ in coming),
    )


def _meet_later(world: World, time: str) -> Iterator[frozenset[str]]:
    # by an appointment, or by the plan of one of two
    for one in appointments.to_come(world):
        if not appointments.is_appointment_due(world, one, time):
            yield frozenset(people_of(world, one))
    for name in attending(world):
        for talk in talks_of(world, name):
            if talk.other != EVERYONE and not talk.is_due(time):
                yield frozenset((name, talk.other))


def count_to_bring_out(day: DaySoFar) -> int:
    """Return how many of those without company the next scene must bring out; usually 0."""
    left = day.slot.left - len(day.to_come)
    if not is_pressing(day.lonely, left):
        return 0
    rest = len(day.lonely) - MOST_OUT * max(0, left - 1)
    return min(max(LEAST_OUT, min(rest, day.reach)), len(day.lonely))


def needs_company(day: DaySoFar) -> tuple[str, ...]:
    """Return the ids of the characters that the next scene must bring together; usually none."""
    return day.lonely if count_to_bring_out(day) else ()


def count_brought_out(item: Candidate, day: DaySoFar) -> int:
    """Return how many of those without company a candidate brings out."""
    return len(day.lonely_set.intersection(item.cast)) if len(item.cast) > 1 else 0


def name_all(world: World, agents: Iterable[str]) -> str:
    """Return the call names of characters in one line."""
    return ", ".join(world.agents[name].call_name for name in agents)


def _meeting_days(world: World) -> int:
    held = {entry.day for entry in world.log if entry.type == MEETING}
    count = 0
    for day in range(world.clock.day - 1, 0, -1):
        if day in held:
            count += 1
        elif not is_day_off(world, day):
            break
    return count
