"""What a question says of the layers of a mind, as plain data; nothing of those that are switched off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.layers.soul import SOUL
from gm.layers.working import WORKING, page_lines, page_now, shown_prefixes
from gm.model.character import Agent
from gm.model.replies import SceneReply
from gm.model.world import World


def mind_facts(world: World, agent: Agent, own: Sequence[SceneReply]) -> dict[str, Any]:
    """Put the layers of a mind into data.

    Args:
        world: The world.
        agent: Whose mind.
        own: What the character has replied in the scene so far.
    """
    facts: dict[str, Any] = {}
    if "soul" in world.layers:
        facts["soul"] = [entry.text for entry in agent.mind[SOUL].entries]
    if "working" in world.layers:
        settings = world.settings
        page = page_now(agent.mind[WORKING], [reply.working for reply in own], settings.working.lines)
        prefixes = shown_prefixes(settings.working.migrate_prefixes, settings.language)
        facts["page"] = {
            "lines": [{"key": line.key, "text": line.text} for line in page_lines(page)],
            "room": settings.working.lines,
            "lesson": prefixes[0] if prefixes else "",
        }
    return facts
