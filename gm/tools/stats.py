"""Figures about the memories of a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from gm.model.fold import fold
from gm.model.node import Node
from gm.model.world import World

MOST_TAGS = 15


def describe_stats(world: World) -> dict[str, Any]:
    """Count what is in the streams, per agent and for the whole cast."""
    everything = [node for agent in world.agents.values() for node in agent.everything]
    return {
        "days": world.clock.day,
        "scenes": world.clock.scenes_total,
        "all": _figures(everything, world.clock.day),
        "agents": {name: _figures(agent.everything, world.clock.day) for name, agent in world.agents.items()},
    }


def _figures(nodes: Sequence[Node], days: int) -> dict[str, Any]:
    importance = [node.importance for node in nodes]
    tags = _count_tags(nodes)
    return {
        "memories": len(nodes),
        "per_day": round(len(nodes) / days, 1) if days else 0.0,
        "types": dict(sorted(Counter(node.type for node in nodes).items())),
        "depths": {str(depth): n for depth, n in sorted(Counter(node.depth for node in nodes).items())},
        "importance": {
            "mean": round(fmean(importance), 2) if importance else None,
            "spread": {str(value): n for value, n in sorted(Counter(importance).items())},
        },
        "with_evidence": sum(bool(node.evidence) for node in nodes),
        "description_characters": median(len(node.description) for node in nodes) if nodes else None,
        "tags": dict(tags.most_common(MOST_TAGS)),
    }


def _count_tags(nodes: Sequence[Node]) -> Counter[str]:
    """Count tags; spellings that differ in case or Unicode form are one tag, shown as it was written first."""
    shown: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for node in nodes:
        for tag in node.tags:
            counts[shown.setdefault(fold(tag), tag)] += 1
    return counts
