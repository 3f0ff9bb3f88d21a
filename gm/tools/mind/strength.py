"""How often memories were reinforced: counters beside the streams, which raise relevance and nothing else (S0-41).

They lie in ``state/.gm/reinforced.json``. Without the file every memory counts alike; no memory is lost with it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from gm.store import disk
from gm.store.layout import Layout


def read_counts(layout: Layout) -> dict[str, int]:
    """Read how often each memory was reinforced, by id; a file that is absent or broken counts as none."""
    try:
        data = json.loads(disk.read(layout.reinforced) or b"{}")
    except (ValueError, RecursionError):
        return {}
    known = data if isinstance(data, dict) else {}
    return {key: count for key, count in known.items() if type(count) is int and count > 0}


def write_counts(layout: Layout, counts: dict[str, int]) -> None:
    """Write the counters, in one move. The caller holds the lock of the world."""
    text = json.dumps(dict(sorted(counts.items())), ensure_ascii=False, indent=1)
    with disk.explained(layout.root):
        disk.replace(layout.reinforced, f"{text}\n".encode())


def strengthen(layout: Layout, found: Sequence[dict[str, Any]], weight: float) -> list[dict[str, Any]]:
    """Raise the relevance of memories that were reinforced, and order anew.

    relevance · (1 + weight · log2(1 + count)), at most 1.

    Args:
        layout: The world.
        found: Memories with ``id`` and ``relevance``, best first.
        weight: ``tools.reinforced``.

    Returns:
        The memories, best first; equal ones in the order in which they came.
    """
    counts = read_counts(layout)
    if not counts or not weight:
        return list(found)
    raised = [(item["relevance"] * (1 + weight * math.log2(1 + counts.get(item["id"], 0))), item) for item in found]
    raised.sort(key=lambda pair: -pair[0])
    return [{**item, "relevance": round(min(1.0, max(score, item["relevance"])), 4)} for score, item in raised]
