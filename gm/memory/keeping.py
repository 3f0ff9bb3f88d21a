"""Which memories may leave a stream, by self-care or by pruning.

The memory window, the input of the coming reflection, pinned and seed memories stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.memory.retrieve import count_fresh
from gm.memory.tiers import PINNED
from gm.model.character import Agent
from gm.model.node import Node

GIFTED = "gifted"


def select_movable(agent: Agent, settings: Settings, open_day: int | None) -> tuple[Node, ...]:
    """Return the memories that may go to the archive, in the order of the stream.

    Args:
        open_day: Its memories stay; None when no day is open.
    """
    stream = agent.stream
    end = min(len(stream) - settings.retrieval.last, len(stream) - count_fresh(stream, open_day))
    if settings.reflection.enabled and agent.state.last_reflection is not None:
        end = min(end, _place(stream, agent.state.last_reflection, end))
    return tuple(node for node in stream[: max(0, end)] if not is_held(node))


def is_held(node: Node) -> bool:
    """Return whether a memory stays, however old it gets."""
    return node.tier == PINNED or node.metadata.get("kind") == GIFTED


def _place(stream: Sequence[Node], identifier: str, otherwise: int) -> int:
    wanted = casefold(identifier)
    for place in range(len(stream) - 1, -1, -1):
        if stream[place].id == identifier or casefold(stream[place].id) == wanted:
            return place
    return otherwise
