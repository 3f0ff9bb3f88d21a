"""What the day so far rules out: runs of one type or of talks, too many meetings, the same people again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from gm.model.calendar import time_rank
from gm.model.scene import Candidate, Reason
from gm.model.world import World
from gm.scene.attendance import attending, is_day_off
from gm.scene.candidates import is_event
from gm.scene.mentions import type_for
from gm.scene.schedule import REFLECTION, Slot, events_to_come
from gm.scene.waiting import answered

ARRIVAL, MEETING, EVENT = "ARRIVAL", "MEETING", "EVENT"


@dataclass(frozen=True, slots=True)
class DaySoFar:
    """Input of the rules of pacing.

    Attributes:
        types: Of today's scenes in order, without reflections.
        seen: Number of today's scenes by character, without ARRIVAL.
        following: Types of the events directly after the coming scene.
        to_come: Types of today's unplayed events.
        meeting_days: Days in a row before today with a meeting.
        focus: Id of the character in focus; empty = none.
        here: Ids of those who attend today.
    """

    types: tuple[str, ...]
    seen: Counter[str]
    following: tuple[str, ...]
    to_come: tuple[str, ...]
    meeting_days: int
    slot: Slot
    focus: str
    here: tuple[str, ...]


def look_at_day(world: World, slot: Slot, focus: str = "") -> DaySoFar:
    """Return the input of the rules of pacing."""
    today = [entry for entry in world.scenes_of(world.clock.day) if REFLECTION not in entry.type]
    coming = [
        (event.time, type_for(world, (event.type, EVENT), len(event.cast or world.agents)))
        for _, event in events_to_come(world, answered(world))
    ]
    return DaySoFar(
        types=tuple(entry.type for entry in today),
        seen=Counter(name for entry in today if entry.type != ARRIVAL for name in entry.participants),
        following=tuple(kind for time, kind in coming if time_rank(time) <= time_rank(slot.next_time)),
        to_come=tuple(kind for _, kind in coming),
        meeting_days=_meeting_days(world),
        slot=slot,
        focus=focus,
        here=attending(world),
    )


def find_bar(item: Candidate, world: World, day: DaySoFar) -> Reason | None:
    """Return what rules a candidate out in any case, or None."""
    most = world.settings.day.in_a_row
    following = () if is_event(item) else day.following
    types = (*day.types, item.type, *following)
    place = len(day.types)
    if _run(types, place) > most:
        return Reason("in_a_row", 0.0, "bar_in_a_row", {"type": item.type, "most": str(most)})
    if _run([is_talk(world, kind) or number for number, kind in enumerate(types, 2)], place) > most:
        return Reason("talks", 0.0, "bar_talks", {"most": str(most)})
    if day.slot.is_extra and day.focus not in item.cast and not is_event(item):
        return Reason("extra", 0.0, "bar_extra", {"who": world.agents[day.focus].call_name})
    if item.type == MEETING and not _is_asked_for(item):
        return _meeting_bar(world, day)
    return None


def find_objection(item: Candidate, world: World, day: DaySoFar) -> Reason | None:
    """Return what rules a candidate out while there are others, or None."""
    if _is_asked_for(item):
        return None
    kind = world.scene_types[item.type]
    if kind.share and day.types.count(item.type) >= (most := ceil(day.slot.total / kind.share)):
        return Reason("enough", 0.0, "bar_enough", {"type": item.type, "most": str(most)})
    if kind.who:  # those whom a type names take part in it, however many scenes they have had
        return None
    most = world.settings.day.scenes_each
    least = min((day.seen[name] for name in day.here), default=0)
    tired = [name for name in item.cast if day.seen[name] >= most and day.seen[name] > least and name != day.focus]
    if tired and len(item.cast) < len(day.here):
        names = ", ".join(world.agents[name].call_name for name in tired)
        return Reason("scenes_each", 0.0, "bar_scenes_each", {"names": names, "most": str(most)})
    return None


def is_talk(world: World, kind: str) -> bool:
    """Return whether a scene type is a talk: sequential, and no event."""
    found = world.scene_types.get(kind)
    return kind != EVENT and found is not None and found.play == "sequential"


def _is_asked_for(item: Candidate) -> bool:
    return any(reason.part in ("event", "brief") for reason in item.reasons)


def _meeting_bar(world: World, day: DaySoFar) -> Reason | None:
    settings = world.settings.day
    if (day.types + day.to_come).count(MEETING) >= settings.meetings:
        return Reason("meetings", 0.0, "bar_meetings", {"most": str(settings.meetings)})
    if day.meeting_days >= settings.meeting_days:
        return Reason("meeting_days", 0.0, "bar_meeting_days", {"most": str(settings.meeting_days)})
    return None


def _meeting_days(world: World) -> int:
    held = {entry.day for entry in world.log if entry.type == MEETING}
    count = 0
    for day in range(world.clock.day - 1, 0, -1):
        if day in held:
            count += 1
        elif not is_day_off(world, day):
            break
    return count


def _run(values: Sequence[object], place: int) -> int:
    return 1 + _count(values[place], values[:place][::-1]) + _count(values[place], values[place + 1 :])


def _count(value: object, others: Iterable[object]) -> int:
    count = 0
    for other in others:
        if other != value:
            break
        count += 1
    return count
