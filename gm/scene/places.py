"""Where scenes are played."""

from __future__ import annotations

from collections import Counter

from gm.base.casefold import search_key
from gm.model.character import Agent
from gm.model.world import World
from gm.scene.attendance import in_house

KITCHENS = ("kueche", "kitchen", "kantine", "canteen", "cafeteria", "mensa")


def gathering_place(world: World) -> str:
    """Return where all meet: the place of the last meeting, else the first place that is no home."""
    for entry in reversed(world.log):
        if entry.type == "MEETING" and entry.place:
            return entry.place
    shared = shared_places(world)
    if shared:
        return shared[0]
    positions = Counter(agent.state.position for agent in world.agents.values() if agent.state.position)
    return positions.most_common(1)[0][0] if positions else ""


def lunch_place(world: World) -> str:
    """Return the place at noon: ``day.lunch``, else the first kitchen, else where all meet."""
    kitchens = (place for place in world.settings.places if any(word in search_key(place) for word in KITCHENS))
    return world.settings.day.lunch or next(kitchens, "") or gathering_place(world)


def shared_places(world: World) -> tuple[str, ...]:
    """Return the places that are no character's home, in the order of the settings."""
    homes = {agent.home for agent in world.agents.values()}
    return tuple(place for place in world.settings.places if place not in homes)


def chance_place(world: World, one: Agent, two: Agent, time: str) -> str:
    """Return where two run into each other: at lunch, in the room they share, else in a common room."""
    if time == "noon":
        return lunch_place(world)
    if one.state.position and one.state.position == two.state.position:
        return two.state.position
    shared = shared_places(world)
    if shared:
        return shared[(world.clock.day + world.clock.scenes_today) % len(shared)]
    return two.state.position or one.state.position


def talk_place(world: World, one: Agent, two: Agent, time: str) -> str:
    """Return where ``one`` visits ``two``: at lunch at noon, else where ``two`` is.

    When only one of them is in the house, the place of that one.
    """
    here = in_house(world)
    if one.id in here and two.id in here:
        return lunch_place(world) if time == "noon" else two.state.position or one.state.position
    return next((agent.state.position for agent in (two, one) if agent.id in here), "")


def work_place(world: World, agent: Agent) -> str:
    """Return where a character works: at home, or where it went by itself; empty outside the house."""
    if agent.id not in in_house(world):
        return ""
    last = next((entry for entry in reversed(world.scenes_of(world.clock.day)) if agent.id in entry.participants), None)
    moved = last is not None and agent.state.position not in (last.place, agent.home, "")
    return agent.state.position if moved else agent.home
