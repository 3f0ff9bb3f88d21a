"""Reinforced memories are recalled more easily; counters: ``files.streams.strength``; decay: ``recall.fading``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from gm.api.recall import RecalledMemory
from gm.files.layout import Layout
from gm.files.streams.strength import read_strengths
from gm.memory.recall.fading import UNTOUCHED


def reinforcements(layout: Layout, identifier: str) -> int:
    """Return how often a node was reinforced."""
    return read_strengths(layout).get(identifier, UNTOUCHED).reinforcements


def strengthen(layout: Layout, found: Sequence[RecalledMemory], weight: float) -> list[RecalledMemory]:
    """Raise the relevance of reinforced memories and sort anew, stably.

    relevance · (1 + weight · log2(1 + count)), at most 1; ``weight`` is ``tools.reinforced``.
    """
    counts = {key: count for key, item in read_strengths(layout).items() if (count := item.reinforcements)}
    if not counts or not weight:
        return list(found)
    raised = [(item.relevance * (1 + weight * math.log2(1 + counts.get(item.id, 0))), item) for item in found]
    raised.sort(key=lambda pair: -pair[0])
    return [replace(item, relevance=round(min(1.0, max(score, item.relevance)), 4)) for score, item in raised]
