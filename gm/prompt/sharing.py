"""What a question says about memories that characters ask each other for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.model.character import Agent
from gm.model.replies import SceneReply
from gm.model.world import World
from gm.prompt.render import view
from gm.scene.exchange import wanted_of

NO_SHARING = view({"wanted": [], "asked": []})


def view_sharing(world: World, agent: Agent, own: Sequence[SceneReply]) -> Any:
    """Show who wants memories of a character, and whom it has asked itself; nothing while nobody may ask.

    Args:
        world: The world before the scene.
        agent: Who is asked.
        own: What it has replied in the scene so far: whom it has answered already.
    """
    on = "share" in world.layers
    cast = world.agents
    wanted = [item for item in wanted_of(world, agent.id, own) if on and item.asker in cast]
    asked = [item for item in world.links if on and item.asker == agent.id and item.giver in cast]
    return view(
        {
            "wanted": [
                view({"id": item.asker, "name": cast[item.asker].call_name, "about": item.about}) for item in wanted
            ],
            "asked": [view({"name": cast[item.giver].call_name, "about": item.about}) for item in asked],
        }
    )
