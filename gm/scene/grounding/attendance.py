"""Who is in the house, which days are played, and where scenes are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from gm.base.casefold import search_key
from gm.base.errors import GmError
from gm.model.calendar import same_weekday, weekday
from gm.model.derived import derived
from gm.model.scene import MEETING, Scene, SceneType
from gm.model.world import Agent, World

OFF, REMOTE = "off", "remote"
MOST_DAYS_OFF = 10_000
"""Days off in a row among which the next played day is looked for."""
KITCHENS = ("kueche", "kitchen", "kantine", "canteen", "cafeteria", "mensa")


@derived
def absences_on(world: World, day: int) -> Mapping[str, str]:
    """Return ``off`` or ``remote`` for each character out of the house."""
    found = {name: OFF for name, agent in world.agents.items() if not is_expected(agent, day)}
    for record in world.settings.calendar.away:
        who = world.find_agent(str(record["who"]))
        if who and found.get(who) != OFF and _is_absence_on(world, record, day):
            found[who] = str(record.get("how", OFF))
    return {name: found[name] for name in world.agents if name in found}


def is_expected(agent: Agent, day: int) -> bool:
    """Return whether a character belongs to a day: guests only to their own."""
    return not agent.front_values.visits or day in agent.front_values.visits


@derived
def attending(world: World) -> tuple[str, ...]:
    """Return the ids of those available today, ``remote`` included."""
    away = absences_on(world, world.clock.day)
    return tuple(name for name in world.agents if away.get(name) != OFF)


@derived
def in_house(world: World) -> tuple[str, ...]:
    """Return the ids of those who are in the house today."""
    away = absences_on(world, world.clock.day)
    return tuple(name for name in world.agents if name not in away)


def bystanders(world: World, scene: Scene) -> list[Agent]:
    """Return those in the room without a part; none when the place is unknown."""
    if not scene.place:
        return []
    away = absences_on(world, scene.ref.day)
    taken = {*scene.cast}
    return [agent for agent in _at_place(world, scene.place) if agent.id not in taken and agent.id not in away]


def place_after_scene(kind: SceneType, place: str, agent: Agent, starter: str) -> str:
    """Return where a participant of a scene at a place is afterwards, unless it goes elsewhere."""
    if kind.returns and agent.id != starter:
        return agent.state.position
    return (agent.home if kind.disperse else place) or agent.state.position


@derived
def _at_place(world: World, place: str) -> tuple[Agent, ...]:
    return tuple(agent for agent in world.agents.values() if agent.state.position == place)


@derived
def _at_home(world: World) -> Mapping[str, Set[str]]:
    found: dict[str, set[str]] = {}
    for name, agent in world.agents.items():
        found.setdefault(agent.home, set()).add(name)
    return found


def present_with(world: World, scene: Scene, name: str) -> tuple[str, ...]:
    """Return the ids of the others around a participant: the cast, then bystanders.

    A simultaneous scene without a place is at home: only those with the same home are there. Those not in the house
    have the others on the phone, and no room.
    """
    away = absences_on(world, scene.ref.day)
    others = tuple(other for other in scene.cast if other != name)
    if scene.place or scene.type.is_turn_by_turn:
        around = bystanders(world, scene) if name not in away else ()
        return (*others, *(agent.id for agent in around))
    same_home = _at_home(world)[world.agents[name].home] if name not in away else ()
    return tuple(other for other in others if other in same_home and other not in away)


@derived
def known_places(world: World) -> frozenset[str]:
    """Return the places of ``gm.yaml``, and of characters."""
    return frozenset((*world.settings.places, *(agent.state.position for agent in world.agents.values()))) - {""}


@derived
def is_day_off(world: World, day: int) -> bool:
    """Return whether a day is not played, by calendar or absences."""
    calendar = world.settings.calendar
    if any(item == day if isinstance(item, int) else _is_weekday(world, day, item) for item in calendar.off):
        return True
    away = absences_on(world, day)
    return bool(away) and all(away.get(agent) == OFF for agent in world.agents)


def next_day(world: World, after: int | None = None, days: int = 1) -> int:
    """Return the next played story day.

    Args:
        after: Count from this day; None = the last one opened.
        days: Played days ahead, at least 1.

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
    """Return the open day, else the next played one."""
    return world.clock.day if world.clock.day_open else next_day(world)


def is_away_throughout(world: World, name: str, days: int) -> bool:
    """Return whether a character is off on each of the next played days, the open one included."""
    day = coming_day(world)
    for _ in range(days - 1):
        if absences_on(world, day).get(name) != OFF:
            return False
        day = next_day(world, day)
    return absences_on(world, day).get(name) == OFF


def has_left(world: World, name: str) -> bool:
    """Return whether a character is away from now on, for good."""
    return any(
        world.find_agent(str(record["who"])) == name
        and record.get("how", OFF) == OFF
        and "days" in record
        and record["days"][0] <= world.clock.day
        and record["days"][1] is None
        for record in world.settings.calendar.away
    )


def days_passed_over(world: World, day: int) -> range:
    """Return the days off directly before a day."""
    first = day
    while first > 1 and is_day_off(world, first - 1):
        first -= 1
    return range(first, day)


def _is_weekday(world: World, day: int, wanted: str) -> bool:
    name = weekday(day, world.settings.calendar.weekdays)
    return bool(name) and same_weekday(wanted, name)


def _is_absence_on(world: World, record: object, day: int) -> bool:
    assert isinstance(record, dict)
    if "weekday" in record:
        return _is_weekday(world, day, str(record["weekday"]))
    if "day" in record:
        return bool(record["day"] == day)
    first, last = record["days"]
    return bool(first <= day and (last is None or day <= last))


@derived
def gathering_place(world: World) -> str:
    """Return the place of the last meeting, if the world still has it, else the first that is not a home."""
    for entry in reversed(world.log):
        if entry.type == MEETING and entry.place:
            if not world.settings.places or entry.place in world.settings.places:
                return entry.place
            break
    shared = shared_places(world)
    if shared:
        return shared[0]
    positions = Counter(agent.state.position for agent in world.agents.values() if agent.state.position)
    return positions.most_common(1)[0][0] if positions else ""


@derived
def lunch_place(world: World) -> str:
    """Return ``day.lunch``, else the first kitchen, else where all meet."""
    kitchens = (place for place in world.settings.places if any(word in search_key(place) for word in KITCHENS))
    return world.settings.day.lunch or next(kitchens, "") or gathering_place(world)


@derived
def shared_places(world: World) -> tuple[str, ...]:
    """Return the places that are not a home, as the settings order them."""
    homes = {agent.home for agent in world.agents.values()}
    return tuple(place for place in world.settings.places if place not in homes)


def chance_place(world: World, one: Agent, two: Agent, time: str) -> str:
    """Return where two run into each other: at lunch, in a shared room, else in a common room."""
    if time == "noon":
        return lunch_place(world)
    if one.state.position and one.state.position == two.state.position:
        return two.state.position
    shared = shared_places(world)
    if shared:
        return shared[(world.clock.day + world.clock.scenes_today) % len(shared)]
    return two.state.position or one.state.position


def talk_place(world: World, one: Agent, two: Agent, time: str) -> str:
    """Return where ``one`` visits ``two``: at lunch at noon, else where ``two`` is, or who is in the house."""
    here = in_house(world)
    if one.id in here and two.id in here:
        return lunch_place(world) if time == "noon" else two.state.position or one.state.position
    return next((agent.state.position for agent in (two, one) if agent.id in here), "")


def work_place(world: World, agent: Agent) -> str:
    """Return a character's work place; empty outside the house."""
    if agent.id not in in_house(world):
        return ""
    last = next((entry for entry in reversed(world.scenes_of(world.clock.day)) if agent.id in entry.participants), None)
    moved = last is not None and agent.state.position not in (last.place, agent.home, "")
    return agent.state.position if moved else agent.home
