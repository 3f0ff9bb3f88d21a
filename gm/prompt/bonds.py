"""What a question shows of two layers of a mind: what one thinks of those present, and what one wrote last night.

Of others' layers nothing is shown, ever: opinions are learned from what others say and do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.model.character import Agent, find_agent
from gm.model.diary import LAYER as DIARY
from gm.model.relationship import LAYER as RELATIONSHIPS
from gm.model.relationship import Relationship
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.values import View
from gm.scene.names import shorten

SHORT, LONG = 120, 240
LAST_NIGHT_CHARACTERS = 700
NO_BONDS: Mapping[str, Any] = {"regards": [], "last_night": None}


def bonds_view(world: World, agent: Agent, scene: Scene) -> dict[str, Any]:
    """Give the variables ``regards`` and ``last_night`` of a question; empty and None while their layers are off."""
    return {"regards": _regards(world, agent, scene), "last_night": _last_night(world, agent, scene)}


def _regards(world: World, agent: Agent, scene: Scene) -> list[Any]:
    """What a character thinks of those who are in a scene with it.

    Where nothing was said of a character yet, the words of the persona are shown, which name a friend or a quarrel: a
    beginning, and no invented value. Of whom there is nothing to say, nothing is said.
    """
    if RELATIONSHIPS not in world.layers:
        return []
    known = agent.mind.relationships or {}
    found = []
    for name in scene.cast:
        if name == agent.id or name not in world.agents:
            continue
        regard = known.get(name, Relationship())
        friend, quarrel = (_from_persona(world, agent, key, name) for key in ("friends", "quarrels"))
        if not (regard.is_stated or friend is not None or quarrel is not None):
            continue
        found.append(
            View(
                id=name,
                call_name=world.agents[name].call_name,
                stated=regard.is_stated,
                type=shorten(regard.relationship_type, SHORT),
                trust=trust_text(regard.trust_level),
                tone=shorten(regard.emotional_tone, SHORT),
                why=_sentence(regard.rationale),
                notes=_sentence(regard.relationship_notes),
                friend=friend is not None,
                quarrel=quarrel is not None,
                said=friend or quarrel or "",
            )
        )
    return found


def trust_text(value: float) -> str:
    """Write trust the way it is shown, with its sign: ``+0.4``, ``0``."""
    return f"{value:+g}" if value else "0"


def _sentence(text: str) -> str:
    """One line that ends like a sentence; empty for no text."""
    line = shorten(text, LONG)
    return line if not line or line[-1] in ".!?…" else f"{line}."


def _from_persona(world: World, agent: Agent, key: str, name: str) -> str | None:
    """Find what a persona says of a friend or of a quarrel; empty when it only names them, None when it does not."""
    value = agent.persona.front.get(key) if agent.persona else None
    named: Mapping[Any, Any] = (
        value if isinstance(value, Mapping) else dict.fromkeys(value or (), "") if isinstance(value, list) else {}
    )
    for other, text in named.items():
        if find_agent(world.agents, str(other)) == name:
            return shorten(text, LONG) if isinstance(text, str) else ""
    return None


def _last_night(world: World, agent: Agent, scene: Scene) -> Any:
    """The last entry of the character's diary before today, in the scene in which it plans its day."""
    if DIARY not in world.layers or not scene.type.plan:
        return None
    earlier = [entry for entry in agent.mind.diary or () if entry.day < scene.ref.day]
    if not earlier:
        return None
    entry = max(earlier, key=lambda entry: entry.day)
    return View(
        day=entry.day,
        yesterday=entry.day == scene.ref.day - 1,
        mood=shorten(entry.mood, SHORT),
        text=shorten(entry.text, LAST_NIGHT_CHARACTERS),
    )
