"""A prompt describes everybody in a small cast; in a large one, those that the character knows well."""

from __future__ import annotations

import pytest

from gm.ask.prompt.context import MOST_PEOPLE, Assembler
from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import Settings
from gm.memory.retrieve import Selection
from gm.model.calendar import SceneRef
from gm.model.clock import Clock
from gm.model.persona import Persona
from gm.model.scene import Scene
from gm.model.state import AgentState
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Spoken
from tests.build import SCENE_TYPES
from tests.stories.test_habits import PROMPTS

SPEAKER = "p035"


def village(size: int) -> World:
    names = [f"p{number:03d}" for number in range(size)]
    agents = {name: agent(name, f"house-{number // 4}") for number, name in enumerate(names)}
    return World(Settings(language="en"), Clock(day=1, day_open=True), agents=agents, scene_types=SCENE_TYPES)


def agent(name: str, home: str) -> Agent:
    friends = {"friends": {"p039": "They fish together."}} if name == "p002" else {}
    return Agent(name, AgentState(name.title(), position=home), Persona({"home": home, "role": "baker", **friends}))


def rendered(world: World, name: str) -> tuple[str, str]:
    asking = Assembler(PROMPTS["en"])
    scene = Scene(SceneRef(1, 2), SCENE_TYPES["MEETING"], "noon", "square", tuple(world.agents), "", "All meet.")
    moment = TurnContext(dialogue=(Spoken(SPEAKER, "Who bakes?"),)) if SPEAKER in world.agents else TurnContext()
    system = asking.system(world, world.agents[name], Selection("recent", (), ()))
    return "".join(system), asking.question(world, world.agents[name], scene, moment)


@pytest.mark.parametrize("size", [MOST_PEOPLE, 60, 200])
def test_a_prompt_names_a_bounded_number_of_people(size: int) -> None:
    world = village(size)

    system, asked = rendered(world, "p002")

    assert sum(f"`{name}`" in system for name in world.agents) <= MOST_PEOPLE
    assert sum(name.title() in asked for name in world.agents) <= MOST_PEOPLE + 1


def test_a_character_of_a_large_cast_is_told_of_friends_and_housemates_and_sees_who_speaks() -> None:
    system, asked = rendered(village(60), "p002")

    assert all(f"`{name}`" in system for name in ("p039", "p000", "p001", "p003"))
    assert "Who is here" not in system
    assert "Whom you know well here" in system
    assert all(name in asked for name in ("P039", "P000", SPEAKER.title(), f"{59 - MOST_PEOPLE} more"))


def test_in_a_small_cast_everybody_is_told_of_everybody() -> None:
    world = village(MOST_PEOPLE)

    system, asked = rendered(world, "p002")

    assert all(f"`{name}`" in system for name in world.agents)
    assert "Whom you know well here" not in system
    assert all(name.title() in asked for name in world.agents if name != "p002")
