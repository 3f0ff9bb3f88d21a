"""Answer a call of a memory tool from outside of scenes."""

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
    """Call a tool and return its document.

    Args:
        agent: Id or name.
        notice: Called with notes on what was unavailable.

    Raises:
        GmError: The call cannot be carried out.
    """
    mind = open_mind(layout, agent, notice)
    document = tool.function(mind, **arguments)
    if mind.settings.decay.enabled and mind.recalled:
        _count(mind)
    return document


def _count(mind: Mind) -> None:
    """Count recalled nodes without the lock, for a call must not wait and no stream depends on it."""
    count_recalled(mind.layout, load_clock(mind.layout)[0].day, dict.fromkeys(mind.recalled))
