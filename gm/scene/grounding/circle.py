"""Whom a character has to do with, and reasons that all scenes share: bonds between two, a neglected goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice

from gm.layers.relationships import RELATIONSHIPS
from gm.model.derived import derived
from gm.model.world import World
from gm.scene.grounding.attendance import attending, in_house
from gm.scene.grounding.common_reasons import SMALL_CIRCLE

SMALL_CAST = 12
"""Most characters of a small cast, in which all have to do with each other."""
KNOWN, NEAR, MET, OTHERS = 4, 3, 2, 3
"""Most people of a circle in a larger cast: friends and quarrels, of the same place, met last, others of the day."""

Circles = Mapping[str, tuple[str, ...]]


def circle_of(world: World, name: str) -> tuple[str, ...]:
    """Return the attending characters that a character has to do with, in cast order."""
    here = attending(world)
    if len(here) <= SMALL_CAST:
        return tuple(other for other in here if other != name)
    return _circles(world).get(name, ())


@derived
def pairs_in_house(world: World) -> tuple[tuple[str, str], ...]:
    """Return related pairs in the house, in cast order."""
    here = in_house(world)
    if len(here) <= SMALL_CAST:
        return tuple(combinations(here, 2))
    place = {name: number for number, name in enumerate(here)}
    both = ((place[name], place[other]) for name in here for other in circle_of(world, name) if other in place)
    return tuple((here[one], here[two]) for one, two in sorted({(min(pair), max(pair)) for pair in both}))


def known_well(world: World, name: str) -> tuple[str, ...]:
    """Return the characters that prompts describe in a large cast: bonds and housemates, in each scene the same."""
    mates = (other for other in _housemates(world).get(world.agents[name].home, ()) if other != name)
    return tuple(islice(dict.fromkeys((*_bound(world).get(name, ()), *mates)), SMALL_CAST))


@derived
def _circles(world: World) -> Circles:
    here = attending(world)
    place = {name: number for number, name in enumerate(here)}
    bound, met, together = _bound(world), _list_met(world), _group_together(world, here)
    found: dict[str, tuple[str, ...]] = {}
    for name in here:
        near = together[world.agents[name].state.position]
        kinds = (
            (bound.get(name, ()), KNOWN),
            (_rotate_after(near, near.index(name)), NEAR),
            (met.get(name, ()), MET),
            (_rotate_after(here, place[name], world.clock.day * OTHERS), OTHERS),
        )
        chosen = {one for kind, most in kinds for one in islice((one for one in kind if one in place), most)}
        found[name] = tuple(sorted(chosen - {name}, key=place.__getitem__))
    return found


def _rotate_after(names: tuple[str, ...], place: int, turned: int = 0) -> Iterator[str]:
    rest = len(names) - 1
    return (names[(place + 1 + (turned + step) % rest) % len(names)] for step in range(rest))


@derived
def _housemates(world: World) -> Circles:
    found: dict[str, tuple[str, ...]] = {}
    for name, agent in world.agents.items():
        if agent.home:
            found[agent.home] = (*found.get(agent.home, ()), name)[: SMALL_CAST + 1]
    return found


@derived
def _bound(world: World) -> Mapping[str, list[str]]:
    found: dict[str, dict[str, float]] = {}
    for name, agent in world.agents.items():
        stated = {world.find_agent(one): 1.0 for one in (*agent.front_values.friends, *agent.front_values.quarrels)}
        known = agent.mind[RELATIONSHIPS] if RELATIONSHIPS.name in world.layers else {}
        for other, weight in (*stated.items(), *((one, abs(known[one].trust_level)) for one in known)):
            if other in world.agents and other is not None:
                for one, two in ((name, other), (other, name)):
                    mine = found.setdefault(one, {})
                    mine[two] = max(weight, mine.get(two, 0.0))
    return {name: sorted(mine, key=lambda one: (-mine[one], one)) for name, mine in found.items()}


def _list_met(world: World) -> Mapping[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for entry in reversed(world.log):
        for name in entry.participants if len(entry.participants) <= SMALL_CIRCLE else ():
            found.setdefault(name, {}).update(dict.fromkeys(one for one in entry.participants if one != name))
    return {name: list(others) for name, others in found.items()}


def _group_together(world: World, here: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in here:
        found.setdefault(world.agents[name].state.position, []).append(name)
    return {position: tuple(names) for position, names in found.items()}
