"""Where scenes are played: rooms for all, the table at noon, and where one finds somebody."""

from __future__ import annotations

from collections import Counter

from gm.model.character import Agent
from gm.model.fold import search_key
from gm.model.world import World
from gm.scene.attendance import in_house

KITCHENS = ("kueche", "kitchen", "kantine", "canteen", "cafeteria", "mensa")


def gathering_place(world: World) -> str:
    """Where all meet: the place of the last meeting, else the first place that is nobody's home."""
    for entry in reversed(world.log):
        if entry.type == "MEETING" and entry.place:
            return entry.place
    shared = shared_places(world)
    if shared:
        return shared[0]
    positions = Counter(agent.state.position for agent in world.agents.values() if agent.state.position)
    return positions.most_common(1)[0][0] if positions else ""


def lunch_place(world: World) -> str:
    """Where people are at noon: ``day.lunch``, else the first place called a kitchen, else where all meet."""
    kitchens = (place for place in world.settings.places if any(word in search_key(place) for word in KITCHENS))
    return world.settings.day.lunch or next(kitchens, "") or gathering_place(world)


def shared_places(world: World) -> tuple[str, ...]:
    """List the places that are nobody's home, in the order of the settings."""
    homes = {agent.home for agent in world.agents.values()}
    return tuple(place for place in world.settings.places if place not in homes)


def chance_place(world: World, one: Agent, two: Agent, time: str) -> str:
    """Where two run into each other: at table, in the room they are in both, else in a room that is nobody's own."""
    if time == "noon":
        return lunch_place(world)
    if one.state.position and one.state.position == two.state.position:
        return two.state.position
    shared = shared_places(world)
    if shared:
        return shared[(world.clock.day + world.clock.scenes_today) % len(shared)]
    return two.state.position or one.state.position


def talk_place(world: World, one: Agent, two: Agent, time: str) -> str:
    """Where a talk takes place for which one comes to two: at table at noon, else where two is.

    Who is not in the house is called from where the other one is.
    """
    here = in_house(world)
    if one.id in here and two.id in here:
        return lunch_place(world) if time == "noon" else two.state.position or one.state.position
    return next((agent.state.position for agent in (two, one) if agent.id in here), "")


def work_place(world: World, agent: Agent) -> str:
    """Where somebody works: in their own room, or where they went of their own accord after their last scene.

    Nowhere in the house, when they are not in it.
    """
    if agent.id not in in_house(world):
        return ""
    last = next((entry for entry in reversed(world.scenes_of(world.clock.day)) if agent.id in entry.participants), None)
    moved = last is not None and agent.state.position not in (last.place, agent.home, "")
    return agent.state.position if moved else agent.home
