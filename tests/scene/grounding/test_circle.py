"""In a large cast everybody has to do with a bounded number of others, and with everybody in the course of time."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from gm.model.clock import Clock
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.world import Agent, World
from gm.scene.candidates import list_candidates
from gm.scene.dialogue.turns import Spoken, partners_in
from gm.scene.grounding.circle import KNOWN, MET, NEAR, OTHERS, SMALL_CAST, circle_of, known_well, pairs_in_house
from tests.build import SCENE_TYPES, entry

MOST = KNOWN + NEAR + MET + OTHERS


def village(size: int, day: int = 1) -> World:
    agents = {f"p{number:03d}": agent(f"p{number:03d}", f"house-{number // 4}") for number in range(size)}
    return World(clock=Clock(day=day, day_open=True), agents=agents, scene_types=SCENE_TYPES)


def agent(name: str, place: str, **told: object) -> Agent:
    return Agent(name, AgentState(name.title(), position=place), Persona(told))


def test_in_a_small_cast_everybody_has_to_do_with_everybody() -> None:
    world = village(SMALL_CAST)

    assert pairs_in_house(world) == tuple(combinations(world.agents, 2))
    assert circle_of(world, "p003") == tuple(name for name in world.agents if name != "p003")


@pytest.mark.parametrize("size", [SMALL_CAST + 1, 50, 200])
def test_in_a_large_cast_circles_are_bounded(size: int) -> None:
    world = village(size)

    assert all(1 <= len(circle_of(world, name)) <= MOST for name in world.agents)
    assert len(pairs_in_house(world)) <= size * MOST
    assert {name for pair in pairs_in_house(world) for name in pair} == {*world.agents}


def test_a_circle_holds_friends_of_either_side_and_those_in_the_same_place() -> None:
    world = village(40)
    world = replace(world, agents={**world.agents, "p030": agent("p030", "house-7", friends={"P002": "neighbour"})})

    assert {"p000", "p001", "p003", "p030"} <= {*circle_of(world, "p002")}
    assert "p002" in circle_of(world, "p030")


def test_a_circle_holds_the_characters_met_last() -> None:
    world = village(40)
    met = replace(world, log=(entry(1, "ENCOUNTER", "p002", "p031"), entry(1, "MEETING", *list(world.agents)[:9])))

    assert "p031" not in circle_of(world, "p002")
    assert "p031" in circle_of(met, "p002")


def test_a_prompt_describes_friends_and_those_one_lives_with() -> None:
    world = village(40)
    homes = {"p002": "mill", "p003": "mill", "p004": "inn"}
    lives = {name: replace(world.agents[name], persona=Persona({"home": home})) for name, home in homes.items()}
    friend = agent("p030", "house-7", friends={"P002": "neighbour", "nobody": "gone"})
    world = replace(world, agents={**world.agents, **lives, "p030": friend, "p039": agent("p039", "")})

    assert known_well(world, "p002") == ("p030", "p003")
    assert known_well(world, "p004") == known_well(world, "p039") == ()


def test_in_the_course_of_time_everybody_comes_upon_everybody() -> None:
    days = [pairs_in_house(village(30, day)) for day in range(1, 12)]

    assert {pair for pairs in days for pair in pairs} == {*combinations(village(30).agents, 2)}


def test_candidates_grow_with_the_cast_and_not_with_its_square() -> None:
    fifty, hundred = (len(list_candidates(village(size), "noon")) for size in (50, 100))

    assert hundred <= 2.2 * fifty


def test_in_a_talk_of_many_only_those_who_dealt_with_each_other_are_partners() -> None:
    names = [f"p{number:03d}" for number in range(SMALL_CAST + 8)]
    spoken = [Spoken(name, "Yes.") for name in names] + [Spoken("p000", "And you?", to="p010")]

    partners = partners_in(spoken)

    assert partners["p005"] == ("p004", "p006")
    assert partners["p010"] == ("p000", "p009", "p011")
    assert partners_in(spoken[:3]) == {"p000": ("p001", "p002"), "p001": ("p000", "p002"), "p002": ("p000", "p001")}
