"""The shape of a day: how many scenes, at which times, and which events fall on it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from gm.model.calendar import is_time_of_day, weekday
from gm.model.world import ScheduledEvent, World


def dice(seed: int, *names: object) -> random.Random:
    """Make the dice of one decision: the same seed and names always roll the same."""
    return random.Random(":".join(str(name) for name in (seed, *names)))


def scenes_planned(world: World, day: int, seed: int) -> int:
    """Decide how many scenes a day has beside its reflections, ARRIVAL included.

    At least one more than the lower setting, so that a day has that many scenes besides ARRIVAL; at most the
    upper one.
    """
    low, high = world.settings.day.scenes
    return dice(seed, "scenes", day).randint(min(low + 1, high), high)


def times_of(scenes: int, evening: bool) -> tuple[str, ...]:
    """Spread the scenes of a day over its times, ARRIVAL first.

    Args:
        scenes: How many, ARRIVAL included; at least 1.
        evening: Whether the last one takes place in the evening.
    """
    evening = evening and scenes > 1
    middle = scenes - 1 - evening
    pattern = {0: (), 1: ("morning",), 2: ("morning", "afternoon"), 3: ("morning", "noon", "afternoon")}
    if middle in pattern:
        between = pattern[middle]
    else:
        mornings = (middle - 1) // 2
        between = ("morning",) * mornings + ("noon",) + ("afternoon",) * (middle - 1 - mornings)
    return ("morning", *between, *(("evening",) if evening else ()))


def events_on(world: World, day: int) -> tuple[tuple[str, ScheduledEvent], ...]:
    """List the events of a day with a key for each: dated ones first, then weekly ones."""
    dated = [
        (f"event/day-{event.day:03d}/{event.event}", event)
        for event in world.clock.scheduled_events
        if event.day == day
    ]
    name = weekday(day, world.settings.calendar.weekdays)
    weekly = [
        (f"event/day-{day:03d}/{record.get('event', '')}", _weekly_event(record, day))
        for record in world.settings.calendar.weekly
        if name and record.get("weekday") == name
    ]
    return tuple(dated + weekly)


def cast_of(event: ScheduledEvent, everyone: Sequence[str]) -> tuple[str, ...]:
    """Name who takes part in an event, the one who leads it first.

    Args:
        event: The event.
        everyone: Who takes part when it names nobody, in the order in which they would open.
    """
    named = tuple(name for name in dict.fromkeys(event.cast) if name in everyone) or tuple(everyone)
    lead = (event.lead,) if event.lead in everyone else ()
    return (*lead, *(name for name in named if name != event.lead))


def is_played(event: ScheduledEvent) -> bool:
    """Tell whether an event is a scene of its own: it has one of the four times of day. Others are deadlines."""
    return is_time_of_day(event.time)


def _weekly_event(record: Mapping[str, object], day: int) -> ScheduledEvent:
    return ScheduledEvent(
        day=day,
        event=str(record.get("event", "")),
        time=str(record.get("time", "evening")),
        type=str(record.get("type", "EVENT")),
        place=str(record.get("place", "")),
        cast=tuple(map(str, cast)) if isinstance(cast := record.get("with"), list) else (),
        lead=str(record.get("lead", "")),
    )


def event_record(event: ScheduledEvent) -> dict[str, object]:
    """Put an event into the form of ``world.json``, leaving out what is empty."""
    record: dict[str, object] = {"day": event.day, "event": event.event, "time": event.time}
    if event.type:
        record["type"] = event.type
    if event.place:
        record["place"] = event.place
    if event.cast:
        record["with"] = list(event.cast)
    if event.lead:
        record["lead"] = event.lead
    return record
