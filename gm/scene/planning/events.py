"""The events of the calendar: dated ones, weekly ones, deadlines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gm.model.calendar import is_time_of_day, render_day, same_weekday, time_rank, weekday
from gm.model.clock import WEEKLY_EVENT, ScheduledEvent
from gm.model.scene import EVENT
from gm.model.world import World
from gm.scene.grounding.attendance import days_passed_over, is_day_off


def events_on(world: World, day: int) -> tuple[tuple[str, ScheduledEvent], ...]:
    """Return a day's events by key: dated ones first, then weekly ones.

    On a day off, dated events move to the next played day.
    """
    name = weekday(day, world.settings.calendar.weekdays)
    if is_day_off(world, day):
        return ()
    days = {*days_passed_over(world, day), day}
    dated = [
        (f"event/{render_day(event.day)}/{event.event}", event)
        for event in world.clock.scheduled_events
        if event.day in days
    ]
    weekly = [
        (f"event/{render_day(day)}/{event.event}", replace(event, day=day, type=event.type or EVENT))
        for on, event in map(WEEKLY_EVENT.read, world.settings.calendar.weekly)
        if name and same_weekday(on, name)
    ]
    return tuple(dated + weekly)


def is_played(event: ScheduledEvent) -> bool:
    """Return whether an event is a scene, not a deadline."""
    return is_time_of_day(event.time)


def events_to_come(world: World, answered: Iterable[str]) -> tuple[tuple[str, ScheduledEvent], ...]:
    """Return today's events still to be played, by time."""
    taken = frozenset(answered)
    found = [item for item in events_on(world, world.clock.day) if is_played(item[1]) and item[0] not in taken]
    return tuple(sorted(found, key=lambda item: time_rank(item[1].time)))


def deadlines_ahead(world: World, days: int) -> tuple[tuple[int, ScheduledEvent], ...]:
    """Return the deadlines of the next ``days`` days, with days left."""
    today = world.clock.day
    return tuple(
        (max(0, event.day - today), event)
        for day in range(today, today + days)
        for _, event in events_on(world, day)
        if not is_played(event)
    )
