"""How much a memory is held on to, beside its importance: ``metadata.tier``.

score = 1 for a pinned memory, else the score of the strategy plus the boost of its tier, kept from 0 to 1
"""

from __future__ import annotations

from collections.abc import Mapping

PINNED = "pinned"
BOOSTS: Mapping[str, float] = {"critical": 0.3, "important": 0.15, "low": -0.1}
HIGHEST_BOOST = max(BOOSTS.values())
MOST_PINNED = 5
"""Pinned memories of one character beyond which pinning says nothing any more; `gm check` warns."""


def tiered(score: float, tier: str) -> float:
    """Return the score of a memory of some tier.

    Args:
        score: From 0 to 1.
        tier: One of ``gm.model.node.TIERS``; anything else counts as normal.

    Returns:
        From 0 to 1; 1 for a pinned memory.
    """
    if tier == PINNED:
        return 1.0
    return min(1.0, max(0.0, score + BOOSTS[tier])) if tier in BOOSTS else score
