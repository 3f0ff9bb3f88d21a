"""A memory window chosen by scene instead of age, and associations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import nlargest

from gm.base.config import RetrievalSettings
from gm.memory.lens import Lens, boosts_of
from gm.memory.recall.columns import Columns
from gm.memory.recall.query import Filters, Hit, Query, Turn
from gm.memory.recall.scored import RecallInputs, no_turn
from gm.memory.recall.strategies import VECTOR, rank_memories
from gm.memory.retrieve import Selection, count_fresh, select_recent
from gm.model.node import Node

BY_QUESTION = ("scored", "hybrid", VECTOR)
ON_MIND = 5
"""Newest memories at the opening of a day that are always in the window."""
NO_WINDOW = "there is no embedding index: the window shows the newest memories"


def split_settled(settled: Sequence[Node], last: int) -> tuple[Sequence[Node], Sequence[Node]]:
    """Split settled memories into older ones and the newest, which stay."""
    newest = min(last, ON_MIND)
    return settled[:-newest], settled[-newest:]


def choose_settled(
    older: Columns, newest: Sequence[Node], strategy: str, last: int, query: Query, means: RecallInputs
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Choose from the memories at the opening of a day, by a scene's question.

    Nothing within the scene changes the choice, so that a prompt's beginning stays the same from turn to turn.

    Args:
        strategy: ``scored``, ``hybrid`` or ``vector``.
        last: How many to choose, the newest included.
        query: Without text, the newest memories are the question.

    Returns:
        Ids of the chosen ones, and notices. None instead of ids where the strategy cannot choose.
    """
    if not query.text.strip():
        query = replace(query, text=" ".join(node.description for node in newest))
    found = rank_memories(strategy, query, [older], Filters(), last - len(newest), means)
    if found.strategy != strategy:
        return None, () if means.similarity else (NO_WINDOW,)
    return frozenset((*(node.id for node in newest), *(hit.entry.id for hit in found.hits))), found.notices


def select_chosen(
    stream: Sequence[Node], chosen: frozenset[str], settings: RetrievalSettings, open_day: int | None
) -> Selection:
    """Return the window: chosen memories, every reflection if configured, and the open day's memories.

    ``chosen`` are ids from before it; ``open_day`` is None when none is open.
    """
    settled = len(stream) - count_fresh(stream, open_day)
    window = tuple(
        node
        for place, node in enumerate(stream)
        if place >= settled or node.id in chosen or (settings.all_reflections and node.depth > 0)
    )
    if not window:  # then the open day has brought nothing either
        return select_recent(stream, settings.last, all_reflections=settings.all_reflections)
    return Selection(settings.strategy, (), window)


PART = "association"
MOST_ASSOCIATED = 100
"""Newest memories considered that only an association speaks for."""


def associate(
    hits: Sequence[Hit],
    text: str,
    lenses: Sequence[Lens],
    streams: Sequence[Columns],
    filters: Filters,
    turn_of: Turn = no_turn,
) -> tuple[Hit, ...]:
    """Return the hits and associated memories, best first; unchanged when no lens is set off.

    score = score found (1 is the best, 0 was not found) + what the lens adds for each tag
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
            if not gain or added >= MOST_ASSOCIATED or (test is not None and not test(entries[place])):
                continue
            old = known.get((stream.lexicon.owner, place))
            added += old is None
            hit = old or Hit(stream.lexicon.owner, place, entries[place], 0.0)
            parts = {**hit.parts, PART: round(gain, 4)}
            known[hit.owner, place] = replace(hit, score=hit.score + gain, parts=parts)
    return tuple(nlargest(len(known), known.values(), key=lambda hit: hit.score))
