"""What it changes that memories were reinforced: they come to mind more easily.

The counters are those of ``files.streams.strength``; how memories fade is another matter (``memory.fading``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from gm.api.recall import RecalledMemory
from gm.files.layout import Layout
from gm.files.streams.strength import read_strengths
from gm.memory.fading import UNTOUCHED


def reinforcements(layout: Layout, identifier: str) -> int:
    """Tell how often a memory was reinforced."""
    return read_strengths(layout).get(identifier, UNTOUCHED).reinforcements


def strengthen(layout: Layout, found: Sequence[RecalledMemory], weight: float) -> list[RecalledMemory]:
    """Raise the relevance of memories that were reinforced, and order anew.

    relevance · (1 + weight · log2(1 + count)), at most 1.

    Args:
        layout: The world.
        found: Memories, best first.
        weight: ``tools.reinforced``.

    Returns:
        The memories, best first; equal ones in the order in which they came.
    """
    counts = {key: count for key, item in read_strengths(layout).items() if (count := item.reinforcements)}
    if not counts or not weight:
        return list(found)
    raised = [(item.relevance * (1 + weight * math.log2(1 + counts.get(item.id, 0))), item) for item in found]
    raised.sort(key=lambda pair: -pair[0])
    return [replace(item, relevance=round(min(1.0, max(score, item.relevance)), 4)) for score, item in raised]
