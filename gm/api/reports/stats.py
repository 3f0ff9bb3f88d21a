"""Statistics of the memories of a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from gm.base.casefold import casefold
from gm.model.node import Node
from gm.model.world import World

MOST_TAGS = 15


@dataclass(frozen=True, slots=True)
class Importance:
    """The mean, and the number of nodes per importance (``"7"``)."""

    mean: float | None
    spread: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MemoryStatistics:
    """Statistics of nodes; types, depths and tags with counts."""

    memories: int
    per_day: float
    types: Mapping[str, int]
    depths: Mapping[str, int]
    importance: Importance
    with_evidence: int
    description_characters: float | None
    tags: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Stats:
    """Statistics of all characters together, and by agent id."""

    days: int
    scenes: int
    all: MemoryStatistics
    agents: Mapping[str, MemoryStatistics]


def describe_stats(world: World) -> Stats:
    """Return statistics of the memory streams, per character and in total."""
    day = world.clock.day
    everything = [node for agent in world.agents.values() for node in agent.everything]
    agents = {name: _count_figures(agent.everything, day) for name, agent in world.agents.items()}
    return Stats(day, world.clock.scenes_total, _count_figures(everything, day), agents)


def _count_figures(nodes: Sequence[Node], days: int) -> MemoryStatistics:
    importance = [node.importance for node in nodes]
    return MemoryStatistics(
        memories=len(nodes),
        per_day=round(len(nodes) / days, 1) if days else 0.0,
        types=dict(sorted(Counter(node.type for node in nodes).items())),
        depths={str(depth): n for depth, n in sorted(Counter(node.depth for node in nodes).items())},
        importance=Importance(
            round(fmean(importance), 2) if importance else None,
            {str(value): n for value, n in sorted(Counter(importance).items())},
        ),
        with_evidence=sum(bool(node.evidence) for node in nodes),
        description_characters=median(len(node.description) for node in nodes) if nodes else None,
        tags=dict(_count_tags(nodes).most_common(MOST_TAGS)),
    )


def _count_tags(nodes: Sequence[Node]) -> Counter[str]:
    shown: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for node in nodes:
        for tag in node.tags:
            counts[shown.setdefault(casefold(tag), tag)] += 1
    return counts
