"""The strategies of recall, behind one interface.

Filters apply before the best are taken, never before scoring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, islice

from gm.base import plugins
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.memory.care import HIGHEST_BOOST, PINNED, tiered
from gm.memory.recall.columns import Columns
from gm.memory.recall.hybrid import hybrid
from gm.memory.recall.query import Filters, Hit, Query, QueryResult, Turn
from gm.memory.recall.scored import NO_VECTORS, Fading, Ranked, RecallInputs, Scored, Strategy, scored

NOTHING = "strategy {} found nothing to rank by: the newest are shown"
NO_TAGS = "no memory carries one of these tags: the newest are shown"
LONGEST_QUESTION = 20_000
"""Characters of a question that are read: the time grows with its words."""
TOO_LONG = f"the question has more than {LONGEST_QUESTION:,} characters: only its beginning was looked for"
VECTOR = "vector"
INSTEAD: Mapping[str, tuple[str, str]] = {"tags": ("recent", NO_TAGS), VECTOR: ("hybrid", NO_VECTORS)}
"""The strategy where one has nothing to rank by, and the notice."""
WEIGHING = ("scored", "hybrid")
"""Strategies to which tiers and decay apply."""


def rank_memories(
    strategy: str, query: Query, streams: Sequence[Columns], filters: Filters, most: int, means: RecallInputs
) -> QueryResult:
    """Return the best memories; equal scores in the order of the streams.

    Args:
        strategy: ``recent``, ``tags``, ``scored``, ``hybrid``, ``vector``, or one that an installed package adds.
    """
    query, cut = _cut(query)
    used, weighed, notices = _weigh(strategy, query, streams, means)
    if means.fading is not None and used in WEIGHING:
        weighed = [_fade_scores(stream, query, means.fading) for stream in weighed]
    if used in WEIGHING:
        weighed = [_with_tiers(stream) for stream in weighed]
    found: list[tuple[float, int, int]] = []
    for number, stream in enumerate(weighed):
        found += _best(stream, number, filters, most, means.turn_of)
    hits = (_hit(weighed[number], place, -score) for score, number, place in nsmallest(most, found))
    return QueryResult(used, tuple(hits), (*cut, *notices))


def _cut(query: Query) -> tuple[Query, tuple[str, ...]]:
    if len(query.text) <= LONGEST_QUESTION:
        return query, ()
    text = query.text[:LONGEST_QUESTION]
    return replace(query, text=text[: text.rfind(" ") + 1] or text), (TOO_LONG,)


def _weigh(
    strategy: str, query: Query, streams: Sequence[Columns], means: RecallInputs
) -> tuple[str, list[Scored], tuple[str, ...]]:
    ranked = strategy_of(strategy)(query, streams, means)
    if ranked is not None:
        return strategy, *ranked
    used, notice = INSTEAD.get(strategy, ("recent", NOTHING.format(strategy)))
    instead = STRATEGIES[used](query, streams, means)
    assert instead is not None
    # a similarity that is not available has given its own notice
    missing = () if strategy == VECTOR and means.similarity else (notice,)
    return used, instead[0], tuple(dict.fromkeys((*missing, *instead[1])))


def _fade_scores(stream: Scored, query: Query, fading: Fading) -> Scored:
    # A score never grows: what had to be enough before still is.
    left = fading.retained_share_in(stream.columns, query)

    def fade(items: Iterable[tuple[int, float]]) -> Iterator[tuple[int, float]]:
        return ((place, score * fading.factor(left(place))) for place, score in items)

    def parts(place: int) -> dict[str, float]:
        lost = stream.score(place) * (fading.factor(left(place)) - 1)
        return stream.parts(place) | {"retention": left(place), "fading": lost}

    return Scored(
        stream.columns,
        dict(fade(stream.scores.items())),
        parts,
        lambda least: fade(stream.others(least)),
        lambda place: stream.other(place) * fading.factor(left(place)),
    )


def _best(stream: Scored, number: int, filters: Filters, most: int, turn_of: Turn) -> list[tuple[float, int, int]]:
    if most < 1:
        return []
    entries = stream.columns.lexicon.entries
    test = filters.test(stream.columns.lexicon.owner, turn_of)

    def passing(items: Iterable[tuple[int, float]]) -> Iterator[tuple[float, int, int]]:
        return ((-score, number, place) for place, score in items if test is None or test(entries[place]))

    best = nsmallest(most, passing(stream.scores.items()))
    others = passing(stream.others(-best[-1][0] if len(best) == most else -math.inf))
    return nsmallest(most, chain(best, islice(others, most) if stream.in_order else others))


def _with_tiers(stream: Scored) -> Scored:
    tiers = stream.columns.tiers
    if not tiers:
        return stream
    scores = {place: tiered(score, tiers.get(place, "")) for place, score in stream.scores.items()}
    scores |= {place: 1.0 for place, tier in tiers.items() if tier == PINNED}

    def parts(place: int) -> dict[str, float]:
        if place not in tiers:
            return stream.parts(place)
        before = stream.score(place)
        after = 1.0 if tiers[place] == PINNED else tiered(before, tiers[place])
        return stream.parts(place) | {"tier": after - before}

    def others(least: float) -> Iterator[tuple[int, float]]:
        return (
            (place, tiered(score, tiers.get(place, "")))
            for place, score in stream.others(least - HIGHEST_BOOST)
            if tiers.get(place) != PINNED
        )

    return Scored(
        stream.columns, scores, parts, others, lambda place: tiered(stream.other(place), tiers.get(place, ""))
    )


def _hit(stream: Scored, place: int, score: float) -> Hit:
    lexicon = stream.columns.lexicon
    parts = {name: round(value, 4) for name, value in stream.parts(place).items()}
    return Hit(lexicon.owner, place, lexicon.entries[place], score, parts)


def _recent(_query: Query, streams: Sequence[Columns], _means: RecallInputs) -> Ranked:
    return [Scored(stream, scores := _by_place(stream), _make_parts("recency", scores)) for stream in streams], ()


def _by_place(stream: Columns) -> dict[int, float]:
    size = stream.size
    return {place: (place + 1) / size for place in reversed(range(size))}  # newest first, which saves comparisons


def _make_parts(name: str, scores: Mapping[int, float]) -> Callable[[int], dict[str, float]]:
    return lambda place: {name: scores[place]}


def _tags(query: Query, streams: Sequence[Columns], _means: RecallInputs) -> Ranked | None:
    wanted = [casefold(tag) for tag in query.tags] or [
        word for word in (casefold(part) for part in query.text.replace(",", " ").split()) if word
    ]
    found = []
    for stream in streams:
        scores: dict[int, float] = {}
        for tag in wanted:
            for place in stream.tagged.get(tag, ()):
                scores[place] = scores.get(place, 0.0) + 1 / len(wanted)
        found.append(Scored(stream, scores, _make_parts("tags", scores)))
    return (found, ()) if any(stream.scores for stream in found) else None


def _vector(query: Query, streams: Sequence[Columns], means: RecallInputs) -> Ranked | None:
    similar = means.similarity(query.text) if means.similarity else None
    if not similar:
        return None
    found = []
    for stream in streams:
        ids = stream.lexicon.texts("id")
        scores = {place: similar[identifier] for place, identifier in enumerate(ids) if identifier in similar}
        found.append(Scored(stream, scores, _make_parts("meaning", scores)))
    return found, ()


STRATEGIES: Mapping[str, Strategy] = {
    "recent": _recent,
    "tags": _tags,
    "scored": scored,
    "hybrid": hybrid,
    VECTOR: _vector,
}


def strategy_of(name: str) -> Strategy:
    """Return a strategy, built in or added by an installed package.

    Raises:
        UsageError: There is none of this name.
        PluginError: The package's strategy cannot be loaded.
    """
    found = STRATEGIES.get(name) or plugins.load_plugin(plugins.STRATEGIES, name)
    if found is None:
        known = (*STRATEGIES, *plugins.plugin_names(plugins.STRATEGIES))
        raise UsageError(f"no strategy is called {name!r}", "there are: " + ", ".join(known))
    return found
