"""Chance encounters, and lunch at one table."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.scene import ENCOUNTER, Candidate
from gm.model.world import World
from gm.scene.grounding.attendance import chance_place, in_house, lunch_place
from gm.scene.grounding.circle import circle_of, pairs_in_house
from gm.scene.grounding.common_reasons import DayBonds, bonds_of
from gm.scene.score import reason


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield related pairs in the house; at noon also tables of three."""
    here = in_house(world)
    for pair in pairs_in_house(world):
        yield _meeting(world, pair, time)
    if time == "noon" and len(here) > 2:
        bonds = bonds_of(world)
        yield from (_meeting(world, cast, time) for cast in _tables(world, bonds, here))


def _tables(world: World, bonds: DayBonds, here: tuple[str, ...]) -> list[tuple[str, ...]]:
    found = {}
    place = {name: number for number, name in enumerate(here)}
    for one, two in pairs_in_house(world):
        rest = place.keys() - {one, two}
        others = {*circle_of(world, one), *circle_of(world, two)} & rest or rest
        _, third = max((bonds.apart(one, name) + bonds.apart(two, name), name) for name in others)
        found[frozenset((one, two, third))] = tuple(sorted((one, two, third), key=place.__getitem__))
    return list(found.values())


def _meeting(world: World, cast: tuple[str, ...], time: str) -> Candidate:
    agents = [world.agents[name] for name in cast]
    names = [agent.call_name for agent in agents]
    place = lunch_place(world) if time == "noon" else chance_place(world, agents[0], agents[1], time)
    values = {"one": names[0], "two": names[-1], "names": ", ".join(names[:-1]), "place": place}
    at_noon = time == "noon"
    return Candidate(
        type=ENCOUNTER,
        cast=cast,
        place=place,
        reasons=(reason(world, "lunch", 0.5 * (len(cast) - 1), **values),) if at_noon else (),
        premise=("premise_lunch" if at_noon else "premise_chance", values),
    )
