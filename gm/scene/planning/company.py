"""Who had no company today, and when the day must provide it."""

from __future__ import annotations

from math import ceil

from gm.model.derived import derived
from gm.model.scene import ARRIVAL
from gm.model.world import World
from gm.scene.grounding.attendance import attending, in_house
from gm.scene.pieces.waiting import answered
from gm.scene.planning.events import events_to_come
from gm.scene.planning.wishes import wants_no_company
from gm.scene.threads.appointments import people_of, to_come


@derived
def lonely_today(world: World) -> tuple[str, ...]:
    """Return those in the house who want company and had none today, arrival aside; none if switched off."""
    here = in_house(world)
    if not world.settings.day.company or len(here) < 2:
        return ()
    met = {
        name
        for entry in world.scenes_of(world.clock.day)
        if entry.type != ARRIVAL and len(entry.participants) > 1
        for name in entry.participants
    }
    return tuple(name for name in here if name not in met and not wants_no_company(world, world.agents[name]))


@derived
def will_be_alone(world: World) -> tuple[str, ...]:
    """Return those of ``lonely_today`` whom no later event or appointment brings together."""
    expected = {name for cast in casts_to_come(world) if len(cast) > 1 for name in cast}
    return tuple(name for name in lonely_today(world) if name not in expected)


def casts_to_come(world: World) -> list[tuple[str, ...]]:
    """Return the casts of today's events and appointments that are still to be played."""
    here = attending(world)
    named = [
        {world.find_agent(name) for name in event.cast} or {*here}
        for _, event in events_to_come(world, answered(world))
    ]
    events = [tuple(name for name in here if name in cast) for cast in named]
    return [*events, *(people_of(world, one) for one in to_come(world))]


def is_pressing(lonely: tuple[str, ...], left: int) -> bool:
    """Return whether the scenes left just suffice to pair them."""
    return bool(lonely) and left <= ceil(len(lonely) / 2)
