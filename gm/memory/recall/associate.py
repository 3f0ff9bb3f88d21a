"""Lenses at association call up memories with other tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import nlargest

from gm.memory.lens import Lens, boosts_of
from gm.memory.recall.columns import Columns
from gm.memory.recall.query import Filters, Hit, Turn
from gm.memory.recall.strategies import no_turn

PART = "association"
MOST = 100
"""Newest memories considered that only an association speaks for."""


def associate(
    hits: Sequence[Hit],
    text: str,
    lenses: Sequence[Lens],
    streams: Sequence[Columns],
    filters: Filters,
    turn_of: Turn = no_turn,
) -> tuple[Hit, ...]:
    """Return the hits with the memories that an association calls up, best first; unchanged when no lens is set off.

    score = score that was found (1 is the best, 0 was not found) + what the lens adds for each tag

    Args:
        text: The text of the query.
        lenses: Other kinds are ignored.
    """
    boosts = boosts_of(text, lenses)
    if not boosts:
        return tuple(hits)
    known = {(hit.owner, hit.place): hit for hit in hits}
    for stream in streams:
        test = filters.test(stream.lexicon.owner, turn_of)
        entries = stream.lexicon.entries
        added = 0
        gains: dict[int, float] = {}
        for tag, by in boosts.items():
            for place in stream.tagged.get(tag, ()):
                gains[place] = gains.get(place, 0.0) + by
        for place, gain in sorted(gains.items(), reverse=True):
            if not gain or added >= MOST or (test is not None and not test(entries[place])):
                continue
            old = known.get((stream.lexicon.owner, place))
            added += old is None
            hit = old or Hit(stream.lexicon.owner, place, entries[place], 0.0)
            parts = {**hit.parts, PART: round(gain, 4)}
            known[hit.owner, place] = replace(hit, score=hit.score + gain, parts=parts)
    return tuple(nlargest(len(known), known.values(), key=lambda hit: hit.score))
