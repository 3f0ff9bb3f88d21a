"""How the layers of a mind look in a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.model.character import Agent
from gm.model.page import KNOWN, KNOWN_NAMES, page_lines
from gm.model.replies import SceneReply
from gm.model.soul import SOUL_KINDS
from gm.model.world import World
from gm.prompt.values import View
from gm.scene.names import shorten
from gm.scene.page import LINE_CHARACTERS, page_now, shown_prefixes

MOST_GOALS = 8


def view_soul(world: World, agent: Agent) -> list[Any]:
    """Show a soul whole, kind by kind, the usual kinds first; nothing when it is empty or souls are switched off."""
    if "soul" not in world.layers:
        return []
    usual = list(SOUL_KINDS.values())
    kinds = dict.fromkeys((*usual, *(entry.kind for entry in agent.mind.soul.entries)))
    found = {kind: [entry.text for entry in agent.mind.soul.entries if entry.kind == kind] for kind in kinds}
    return [View(kind=kind, known=kind in usual, texts=texts) for kind, texts in found.items() if texts]


def view_page(world: World, agent: Agent, own: Sequence[SceneReply] = ()) -> Any:
    """Show a page of working memory, as its owner has rewritten it in the scene; None while they are switched off.

    Args:
        world: The world.
        agent: Whose page.
        own: What the character has replied in the scene so far.
    """
    if "working" not in world.layers:
        return None
    most = world.settings.working.lines
    lines = page_lines(page_now(agent.mind.page, [reply.working for reply in own], most))
    groups: dict[str, list[str]] = {}
    for line in lines[:most]:
        key = KNOWN if line.key in KNOWN_NAMES else line.key
        groups.setdefault(key, []).append(shorten(line.text, LINE_CHARACTERS))
    shown = [View(key=key, lines=texts) for key, texts in groups.items()]
    return View(groups=shown, more=max(0, len(lines) - most))


def page_rules(world: World) -> dict[str, Any]:
    """Say how long a page may be, and how a line begins that is to become a memory."""
    settings = world.settings
    return {
        "page_lines": settings.working.lines,
        "prefixes": shown_prefixes(settings.working.migrate_prefixes, settings.language),
    }


def view_goals(world: World, agent: Agent) -> list[Any]:
    """Show the goals that a character still has, with what it last said about each; nothing while there are none."""
    if "goals" not in world.layers:
        return []
    still = [goal for goal in agent.mind.goals if goal.is_open]
    return [View(id=goal.id, text=goal.text, last=goal.last, day=goal.touched_day) for goal in still[:MOST_GOALS]]
