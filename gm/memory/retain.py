"""What stays in a stream, and what goes to the archive without a summary (formula: ``README.md``).

Document 001 adds importance from 1 to 10 to a recency from 0 to 1; here both lie between 0 and 1. Observations are
nodes of depth 0, reflections all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gm.base.config import RetentionSettings, Settings
from gm.memory.reflect import place_after
from gm.memory.retrieve import count_fresh
from gm.model.character import Agent
from gm.model.node import GIFTED, Node

PINNED = "pinned"
BOOSTS: Mapping[str, float] = {"critical": 0.3, "important": 0.15, "low": -0.1}
HIGHEST_BOOST = max(BOOSTS.values())
MOST_PINNED = 5
"""Above this number of pinned memories of one character `gm check` warns."""


def tiered(score: float, tier: str) -> float:
    """Return a score, from 0 to 1, with a tier's boost; 1 for a pinned memory."""
    if tier == PINNED:
        return 1.0
    return min(1.0, max(0.0, score + BOOSTS[tier])) if tier in BOOSTS else score


def select_movable(agent: Agent, settings: Settings, open_day: int | None) -> tuple[Node, ...]:
    """Return the memories that may go to the archive; the open day's stay."""
    stream = agent.stream
    end = min(len(stream) - settings.retrieval.last, len(stream) - count_fresh(stream, open_day))
    if settings.reflection.enabled and (after := place_after(stream, agent.state.last_reflection)):
        end = min(end, after - 1)
    return tuple(node for node in stream[: max(0, end)] if not is_held(node))


def is_held(node: Node) -> bool:
    """Return whether a memory stays, however old it gets."""
    return node.tier == PINNED or node.kind == GIFTED


NEVER_PRUNED = ("pinned", "critical")
NONE = "none"


@dataclass(frozen=True, slots=True)
class Pruned:
    """A memory that goes, and its value from 0 to 1."""

    node: Node
    value: float


def select_pruned(agent: Agent, settings: Settings, retention: RetentionSettings, day: int) -> tuple[Pruned, ...]:
    """Return what exceeds the limits, in stream order; the lowest values go."""
    if retention.strategy == NONE:
        return ()
    movable = [node for node in select_movable(agent, settings, day) if node.tier not in NEVER_PRUNED]
    half_life = settings.recall.half_life_days
    chosen: list[Pruned] = []
    for is_deep, most in ((False, retention.max_observations), (True, retention.max_reflections)):
        if most is None:
            continue
        above = sum((node.depth > 0) == is_deep for node in agent.stream) - most
        if above > 0:
            found = [node for node in movable if (node.depth > 0) == is_deep]
            chosen += _least(found, _VALUES[retention.strategy], day, half_life)[:above]
    places = {node.id: place for place, node in enumerate(agent.stream)}
    return tuple(sorted(chosen, key=lambda item: places[item.node.id]))


def _least(nodes: Sequence[Node], value: Callable[[Node, float], float], day: int, half_life: float) -> list[Pruned]:
    valued = [Pruned(node, round(value(node, 0.5 ** (max(0, day - node.when.day) / half_life)), 4)) for node in nodes]
    return sorted(valued, key=lambda item: item.value)


_VALUES: dict[str, Callable[[Node, float], float]] = {
    "importance_weighted": lambda node, recency: tiered(0.7 * node.importance / 10 + 0.3 * recency, node.tier),
    "recency": lambda node, recency: tiered(recency, node.tier),
    "fifo": lambda _node, _recency: 0.0,
}
"""The value of a memory by strategy, from 0 to 1; recency is ``0.5 ** (days / half_life_days)``."""
