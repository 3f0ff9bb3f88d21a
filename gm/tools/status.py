"""How a world stands: the clock, and each character in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from gm.memory.reflect import is_due, select_due
from gm.model.ids import render_node_id
from gm.model.world import World
from gm.store.lock import Holder


def describe_status(
    world: World, *, pending: int = 0, holder: Holder | None = None, letters: Sequence[str] = ()
) -> dict[str, Any]:
    """Describe a world in the form of ``gm status --json``.

    Args:
        world: The world.
        pending: Files that an interrupted write still has to touch.
        holder: Who is writing to it now.
        letters: Questions in the mailbox that have no answer yet.
    """
    clock = world.clock
    return {
        "world": world.settings.world.title,
        "day": clock.day,
        "day_of_week": clock.day_of_week,
        "open": clock.day_open,
        "scenes_today": clock.scenes_today,
        "scenes_total": clock.scenes_total,
        "unfinished_write": pending,
        "writer": asdict(holder) if holder else None,
        "awaiting": list(letters),
        "agents": {
            name: {
                "name": agent.name,
                "mood": agent.state.mood,
                "position": agent.state.position,
                "current_task": agent.state.current_task,
                "accumulator": agent.state.importance_accumulator,
                "due": is_due(agent.state.importance_accumulator, world.settings.reflection),
                "next_id": render_node_id(name, agent.next_number),
                "memories": len(agent.stream) + len(agent.beside),
                "reflections": sum(node.depth > 0 for node in agent.stream),
                "last_reflection": agent.state.last_reflection,
                "persona": agent.persona is not None,
            }
            for name, agent in world.agents.items()
        },
    }


def describe_due(world: World, threshold: int | None = None) -> dict[str, Any]:
    """List who is due for a reflection, in the form of ``gm due --json``."""
    settings = world.settings.reflection
    if threshold is not None:
        settings = replace(settings, threshold=threshold)
    return {"threshold": settings.threshold, "due": list(select_due(world.agents.values(), settings))}
