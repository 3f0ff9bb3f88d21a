"""Characters as prompts show them, from outside and from inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.ask.prompt.turn_context import Moment
from gm.ask.prompt.values import PERSONA_LEVEL, PREMISE_LEVEL, View, prose
from gm.base.casefold import shorten
from gm.base.config import WorldSettings
from gm.model.character import Agent
from gm.model.scene import Scene
from gm.model.world import World

PERSON_CHARACTERS = 300
PERSONA_KEYS = (
    "role",
    "age",
    "pronouns",
    "archetype",
    "traits",
    "skills",
    "values",
    "decision_style",
    "communication",
    "friends",
    "quarrels",
    "wish",
)
_BEGINNING = Moment()


def view_world(settings: WorldSettings) -> Any:
    """Return what all know of the world; its premise keeps its lines."""
    return View(title=settings.title, rules=settings.rules, premise=prose(settings.premise, PREMISE_LEVEL))


def view_person(agent: Agent) -> Any:
    """Return the outside view of a character."""
    front: Mapping[str, Any] = agent.persona.front if agent.persona else {}
    return View(
        id=agent.id,
        name=agent.name,
        call_name=agent.call_name,
        role=front.get("role", ""),
        archetype=front.get("archetype", ""),
        pronouns=front.get("pronouns", ""),
    )


def call_name(world: World, name: str) -> str:
    """Return a character's call name; any other name unchanged."""
    return world.agents[name].call_name if name in world.agents else name


def shown_name(world: World, name: str) -> str:
    """Return a character's call name; any other name on one line."""
    return " ".join(name.split()) if name not in world.agents else world.agents[name].call_name


def part_of(agent: Agent, scene: Scene) -> str:
    """Return a character's part in scenes of this type (``roles`` of the persona)."""
    roles = agent.persona.front.get("roles") if agent.persona else None
    part = roles.get(scene.type.name.lower()) if isinstance(roles, Mapping) else None
    return " ".join(part.split()) if isinstance(part, str) else ""


def first_line(agent: Agent) -> str:
    """Return a character's archetype, else the beginning of the persona's prose, on one line."""
    persona = agent.persona
    archetype = str(persona.front.get("archetype") or "") if persona else ""
    lines = (line.strip() for line in persona.prose.splitlines()) if persona else iter(())
    said = archetype or next((line for line in lines if line and not line.startswith("#")), "")
    return shorten(said, PERSON_CHARACTERS)


def view_self(world: World, agent: Agent, moment: Moment = _BEGINNING) -> Any:
    """Return the inside view of a character: its files, and its changes in the scene so far."""
    front: Mapping[str, Any] = agent.persona.front if agent.persona else {}
    inside = {key: front.get(key) for key in PERSONA_KEYS}
    tasks = (reply.current_task for reply in reversed(moment.own) if reply.current_task)
    return View(
        **inside,
        id=agent.id,
        name=agent.name,
        call_name=agent.call_name,
        prose=prose(agent.persona.prose, PERSONA_LEVEL) if agent.persona else "",
        mood=moment.own[-1].mood if moment.own else agent.state.mood,
        position=agent.state.position,
        current_task=next(tasks, agent.state.current_task),
        plan=moment.plan or agent.state.today_plan,
        home=agent.home,
        home_text=world.settings.places.get(agent.home, ""),
    )
