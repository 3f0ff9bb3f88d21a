"""Answer one call of a memory tool from outside of scenes: over MCP, or wherever a person asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gm.api.mind.catalogue import MindTool
from gm.api.mind.mind import Mind, open_mind
from gm.files.layout import Layout
from gm.files.load import load_clock
from gm.files.streams.strength import count_recalled


def answer_call(
    layout: Layout, agent: str, tool: MindTool, arguments: Mapping[str, Any], notice: Callable[[str], None]
) -> dict[str, Any]:
    """Call a tool.

    Args:
        layout: The world.
        agent: Whose mind: the id or the name of a character.
        tool: The tool.
        arguments: What it is given.
        notice: Told what was done without; the document has its own form and says nothing of it.

    Returns:
        The document of the tool.

    Raises:
        GmError: What is asked for cannot be done; says why.
    """
    mind = open_mind(layout, agent, notice)
    document = tool.function(mind, **arguments)
    if mind.settings.decay.enabled and mind.recalled:
        _count(mind)
    return document


def _count(mind: Mind) -> None:
    """Count what came up, beside whoever is writing: nobody waits for that, and no stream depends on it."""
    count_recalled(mind.layout, load_clock(mind.layout)[0].day, dict.fromkeys(mind.recalled))
