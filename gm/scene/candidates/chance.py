"""Chance encounters, and lunch at one table; bonds give most of their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gm.model.scene import ENCOUNTER, Candidate
from gm.model.world import World
from gm.scene.attendance import chance_place, in_house, lunch_place
from gm.scene.score import Bonds, bonds_of, reason


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield each pair in the house; at noon also groups of three at one table."""
    here = in_house(world)
    for one, two in combinations(here, 2):
        yield _meeting(world, (one, two), time)
    if time == "noon" and len(here) > 2:
        bonds = bonds_of(world)
        yield from (_meeting(world, cast, time) for cast in _tables(bonds, here))


def _tables(bonds: Bonds, here: tuple[str, ...]) -> list[tuple[str, ...]]:
    """For each pair, add the third one whom both have not met for longest."""
    found = {}
    for one, two in combinations(here, 2):
        others = [name for name in here if name not in (one, two)]
        _, third = max((bonds.apart(one, name) + bonds.apart(two, name), name) for name in others)
        found[frozenset((one, two, third))] = tuple(name for name in here if name in (one, two, third))
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
