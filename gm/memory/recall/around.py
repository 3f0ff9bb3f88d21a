"""How much of a question a memory covers together with those around it.

What was asked for is often said in several turns: one names the place, the next the day, the third what happened there.
The best of several neighbours counts once for each word here, so that one word said again and again gains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from gm.memory.recall.matching import Word

NEAR = ((0, 1.0), (-1, 0.9), (-2, 0.6), (1, 0.6), (-3, 0.4), (2, 0.3))
"""Where a word may stand, in memories from this one on, and what it counts there; the dearest first."""


def cover_around(places: Iterable[int], words: Sequence[Word], sessions: Sequence[int]) -> dict[int, float]:
    """Tell which part of a question, by idf, is covered by each memory and its neighbours in the same conversation.

    Args:
        places: The memories.
        words: The words of the question, as they were found in the stream.
        sessions: The number of the conversation of each memory of the stream.

    Returns:
        From 0 to 1, by place.
    """
    whole = math.fsum(word.rarity for word in words)
    if not whole:
        return {}
    known = [(word.rarity / whole, word.held) for word in words if word.held]
    last = len(sessions)
    covered: dict[int, float] = {}
    for place in places:
        session = sessions[place]
        near = [
            (place + step, share)
            for step, share in NEAR
            if 0 <= place + step < last and sessions[place + step] == session
        ]
        covered[place] = sum(
            rarity * next((share for other, share in near if other in held), 0.0) for rarity, held in known
        )
    return covered
