"""Tiers of memories beside their importance: ``metadata.tier``.

score = 1 for a pinned memory, else the score of the strategy plus the boost of its tier, kept from 0 to 1
"""

from __future__ import annotations

from collections.abc import Mapping

PINNED = "pinned"
BOOSTS: Mapping[str, float] = {"critical": 0.3, "important": 0.15, "low": -0.1}
HIGHEST_BOOST = max(BOOSTS.values())
MOST_PINNED = 5
"""Above this number of pinned memories of one character `gm check` warns."""


def tiered(score: float, tier: str) -> float:
    """Return a score, from 0 to 1, with the boost of a tier; 1 for a pinned memory.

    Args:
        tier: One of ``gm.model.node.TIERS``; anything else counts as normal.
    """
    if tier == PINNED:
        return 1.0
    return min(1.0, max(0.0, score + BOOSTS[tier])) if tier in BOOSTS else score
