"""Characters that ask their memory who they are (``persona.mode: discover``)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gm.ask.prompt.minds import page_rules
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.values import View
from gm.base.config import DISCOVER, PERSONA_MODES
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.world import World


def discovers(world: World, agent: Agent) -> bool:
    """Return whether a character asks for who it is; its persona overrides the setting of the world."""
    own = agent.own_mode
    return (own if own in PERSONA_MODES else world.settings.persona.mode) == DISCOVER


def render_discovery(
    prompts: Prompts, world: World, tools: Sequence[str], earlier: Sequence[Consulted]
) -> tuple[str, ...]:
    """Render what replaces persona and memories: a part common to all characters, then the character's own.

    ``earlier`` are the character's tool calls before this turn of the scene.
    """
    settings = world.settings.persona
    first = prompts.render(
        "discover.j2", tools=list(tools), consult=settings.consult, reason=settings.reason, **reply_rules(world)
    )
    found = [_shown(item) for item in earlier if not item.is_error]
    return (first, prompts.render("discovered.j2", found=found)) if found else (first,)


def reply_rules(world: World) -> dict[str, Any]:
    """Return the variables that decide about the form of a reply: the same for all characters."""
    settings = world.settings
    return {
        "layers": sorted(world.layers),
        "metacognitive": settings.metacognitive,
        **page_rules(world),
        "importance_from": settings.importance.from_,
    }


def _shown(item: Consulted) -> Any:
    called = ", ".join(json.dumps(value, ensure_ascii=False) for value in item.arguments.values())
    return View(tool=item.tool, called=called, lines=contents_of(item))


def contents_of(item: Consulted) -> list[str]:
    """Return the memories in the result of a call, one line each."""
    try:
        data = json.loads(item.text)
    except ValueError:
        return []
    memories = data.get("memories") if isinstance(data, dict) else None
    found = memories if isinstance(memories, list) else [data.get("memory")] if isinstance(data, dict) else []
    return [_line(memory) for memory in found if isinstance(memory, dict) and memory.get("content")]


def _line(memory: dict[str, Any]) -> str:
    text = " ".join(str(memory["content"]).split())
    return f"`{memory['id']}` {text}" if memory.get("id") else text
