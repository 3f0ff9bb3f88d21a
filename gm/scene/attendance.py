"""Who is present on a day, and which days are played."""

from __future__ import annotations

from gm.base.errors import GmError
from gm.model.calendar import same_weekday, weekday
from gm.model.character import find_agent
from gm.model.world import World

OFF, REMOTE = "off", "remote"
MOST_DAYS_OFF = 10_000


def absences_on(world: World, day: int) -> dict[str, str]:
    """Return ``off`` or ``remote`` for each character not in the house on a day; ``off`` takes precedence."""
    found: dict[str, str] = {}
    for record in world.settings.calendar.away:
        who = find_agent(world.agents, str(record["who"]))
        if who and found.get(who) != OFF and _holds(world, record, day):
            found[who] = str(record.get("how", OFF))
    return {name: found[name] for name in world.agents if name in found}


def attending(world: World) -> tuple[str, ...]:
    """Return the ids of those who can be in a scene of the open day, ``remote`` included."""
    away = absences_on(world, world.clock.day)
    return tuple(name for name in world.agents if away.get(name) != OFF)


def in_house(world: World) -> tuple[str, ...]:
    """Return the ids of those who can be met in a room on the open day."""
    away = absences_on(world, world.clock.day)
    return tuple(name for name in world.agents if name not in away)


def is_day_off(world: World, day: int) -> bool:
    """Return whether a day is not played: by the calendar, or because every character is away."""
    calendar = world.settings.calendar
    name = weekday(day, calendar.weekdays)
    if any(item == day if isinstance(item, int) else bool(name) and same_weekday(item, name) for item in calendar.off):
        return True
    away = absences_on(world, day) if calendar.away else {}
    return bool(away) and all(away.get(agent) == OFF for agent in world.agents)


def next_day(world: World, after: int | None = None, days: int = 1) -> int:
    """Return the next story day that is played.

    Args:
        after: Story day to count from; None = the last one that was opened.
        days: Played days to go forward, at least 1.

    Raises:
        GmError: The calendar leaves no day to play.
    """
    day = world.clock.day if after is None else after
    for _ in range(days):
        last = day
        day = next((later for later in range(last + 1, last + MOST_DAYS_OFF) if not is_day_off(world, later)), last)
        if day == last:
            hint = "take something out of calendar.off or calendar.away in gm.yaml"
            raise GmError(f"the calendar leaves no day to play after day {last}", hint)
    return day


def coming_day(world: World) -> int:
    """Return the day of the coming scenes: the open one, else the next played one."""
    return world.clock.day if world.clock.day_open else next_day(world)


def days_passed_over(world: World, day: int) -> range:
    """Return the days off directly before a day."""
    first = day
    while first > 1 and is_day_off(world, first - 1):
        first -= 1
    return range(first, day)


def _holds(world: World, record: object, day: int) -> bool:
    assert isinstance(record, dict)
    if "weekday" in record:
        name = weekday(day, world.settings.calendar.weekdays)
        return bool(name) and same_weekday(str(record["weekday"]), name)
    if "day" in record:
        return bool(record["day"] == day)
    first, last = record["days"]
    return bool(first <= day <= last)
