"""What a question says of the layers of a mind, as plain data; nothing of those that are switched off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.model.character import Agent
from gm.model.page import page_lines
from gm.model.replies import SceneReply
from gm.model.world import World
from gm.scene.page import page_now, shown_prefixes


def mind_facts(world: World, agent: Agent, own: Sequence[SceneReply]) -> dict[str, Any]:
    """Put the layers of a mind into data.

    Args:
        world: The world.
        agent: Whose mind.
        own: What the character has replied in the scene so far.
    """
    facts: dict[str, Any] = {}
    if "soul" in world.layers:
        facts["soul"] = [entry.text for entry in agent.mind.soul.entries]
    if "working" in world.layers:
        settings = world.settings
        page = page_now(agent.mind.page, [reply.working for reply in own], settings.working.lines)
        prefixes = shown_prefixes(settings.working.migrate_prefixes, settings.language)
        facts["page"] = {
            "lines": [{"key": line.key, "text": line.text} for line in page_lines(page)],
            "room": settings.working.lines,
            "lesson": prefixes[0] if prefixes else "",
        }
    return facts
