"""The strategies by which memories are found, behind one interface (K1).

``recent`` takes the newest, ``tags`` those that carry a tag, ``scored`` adds relevance, recency and importance,
``hybrid`` reads the question (``question``, ``matching``, ``signals``) and, where there is an index of vectors, their
similarity. Filters leave memories out before the best are taken, never before they are weighed: what a memory shares in
does not depend on a filter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain

from gm.config import RecallSettings, SignalSettings
from gm.memory.recall.columns import Columns
from gm.memory.recall.entry import holds
from gm.memory.recall.fading import Fading
from gm.memory.recall.matching import match
from gm.memory.recall.query import Filters, Found, Hit, Query, Similarity, Turn
from gm.memory.recall.question import Asked, read_question, term_groups
from gm.memory.recall.signals import Weighed, weigh
from gm.memory.recall.words import content_words
from gm.memory.tiers import HIGHEST_BOOST, PINNED, tiered
from gm.model.calendar import SceneRef
from gm.model.fold import fold

PRESETS: Mapping[str, Mapping[str, float]] = {
    "adr006": {"relevance": 0.5, "recency": 0.3, "importance": 0.2},
    "park": {"relevance": 3.0, "recency": 0.5, "importance": 2.0},
}
"""Weights of strategy ``scored``: document 001's, and Park and others' (2023) as document 004 quotes them."""

WEIGHING = ("scored", "hybrid")
"""Strategies whose scores know how much somebody holds on to a memory."""

NO_VECTORS = "there are no vectors: relevance is that of the words"
NO_TAGS = "no memory carries one of these tags: the newest are shown"


def no_turn(_moment: SceneRef) -> int:
    """Stand in where nobody counts the scenes of the world."""
    return 0


@dataclass(frozen=True, slots=True)
class Means:
    """What the strategies work with beside the streams.

    Attributes:
        settings: Settings ``recall``.
        glossary: Words of the world and others that mean the same.
        similarity: Similarity of vectors; None when there is no index of them.
        turn_of: Counts scenes over the world.
        fading: How memories fade; None = they do not.
    """

    settings: RecallSettings = field(default_factory=RecallSettings)
    glossary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    similarity: Similarity | None = None
    turn_of: Turn = no_turn
    fading: Fading | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one stream.

    Attributes:
        columns: The stream.
        scores: By place; what is not in it is not chosen, or is among ``others``.
        parts: What the score of a place is made of.
        others: Scores of more memories, none of them above ``bound``; looked at only where they can matter.
        bound: See above.
    """

    columns: Columns
    scores: Mapping[int, float]
    parts: Callable[[int], dict[str, float]]
    others: Callable[[], Iterable[tuple[int, float]]] = tuple
    bound: float = -math.inf


Strategy = Callable[[Query, Sequence[Columns], Means], tuple[list[Scored], tuple[str, ...]]]


def rank(strategy: str, query: Query, streams: Sequence[Columns], filters: Filters, most: int, means: Means) -> Found:
    """Find the memories that answer a question best.

    Args:
        strategy: ``recent``, ``tags``, ``scored`` or ``hybrid``.
        query: The question.
        streams: Where to look; one stream as a rule.
        filters: What a memory must be to be found.
        most: How many to find at most.
        means: What the strategies work with.

    Returns:
        The best first; memories that score alike in the order of the streams. No more than there are.
    """
    scored, notices = STRATEGIES[strategy](query, streams, means)
    if means.fading is not None and strategy in FADES:
        scored = [_faded(stream, query, means.fading) for stream in scored]
    if strategy in WEIGHING:
        scored = [_with_tiers(stream) for stream in scored]
    used = "recent" if strategy == "tags" and NO_TAGS in notices else strategy
    found: list[tuple[float, int, int]] = []
    for number, stream in enumerate(scored):
        found += _best(stream, number, filters, most, means.turn_of)
    hits = (_hit(scored[number], place, -score) for score, number, place in nsmallest(most, found))
    return Found(used, tuple(hits), notices)


def _faded(stream: Scored, query: Query, fading: Fading) -> Scored:
    """Multiply scores by what is left of each memory; a score never grows, so the bound holds."""
    left = fading.retention_in(stream.columns, query)

    def fade(items: Iterable[tuple[int, float]]) -> Iterator[tuple[int, float]]:
        return ((place, score * fading.factor(left(place))) for place, score in items)

    def unfaded(place: int) -> float:
        if place in stream.scores:
            return stream.scores[place]
        return next(score for other, score in stream.others() if other == place)

    def parts(place: int) -> dict[str, float]:
        lost = unfaded(place) * (fading.factor(left(place)) - 1)
        return stream.parts(place) | {"retention": left(place), "fading": lost}

    return Scored(stream.columns, dict(fade(stream.scores.items())), parts, lambda: fade(stream.others()), stream.bound)


def _best(stream: Scored, number: int, filters: Filters, most: int, turn_of: Turn) -> list[tuple[float, int, int]]:
    """Take the best of one stream: score with the sign turned, number of the stream, place."""
    entries = stream.columns.lexicon.entries
    test = filters.test(stream.columns.lexicon.owner, turn_of)

    def passing(items: Iterable[tuple[int, float]]) -> Iterator[tuple[float, int, int]]:
        return ((-score, number, place) for place, score in items if test is None or test(entries[place]))

    best = nsmallest(most, passing(stream.scores.items()))
    if stream.bound == -math.inf or (len(best) == most and -best[-1][0] > stream.bound):
        return best
    return nsmallest(most, chain(best, passing(stream.others())))


def _with_tiers(stream: Scored) -> Scored:
    """Add what the tier of a memory is worth; a pinned one is always found (S2-17)."""
    tiers = stream.columns.tiers
    if not tiers:
        return stream
    scores = {place: tiered(score, tiers.get(place, "")) for place, score in stream.scores.items()}
    scores |= {place: 1.0 for place, tier in tiers.items() if tier == PINNED}

    def parts(place: int) -> dict[str, float]:
        before = stream.scores.get(place, 0.0)
        return stream.parts(place) | ({"tier": scores.get(place, before) - before} if place in tiers else {})

    def others() -> Iterator[tuple[int, float]]:
        return (
            (place, tiered(score, tiers.get(place, "")))
            for place, score in stream.others()
            if tiers.get(place) != PINNED
        )

    return Scored(stream.columns, scores, parts, others, stream.bound + HIGHEST_BOOST)


def _hit(stream: Scored, place: int, score: float) -> Hit:
    lexicon = stream.columns.lexicon
    parts = {name: round(value, 4) for name, value in stream.parts(place).items()}
    return Hit(lexicon.owner, place, lexicon.entries[place], score, parts)


# -- recent, tags ---------------------------------------------------------------------------------------


def _recent(query: Query, streams: Sequence[Columns], means: Means) -> tuple[list[Scored], tuple[str, ...]]:
    """Take the newest: 1 for the last memory of a stream, falling to 0 before the first."""
    del query, means
    return [Scored(stream, scores := _by_place(stream), _only("recency", scores)) for stream in streams], ()


def _by_place(stream: Columns) -> dict[int, float]:
    size = stream.size
    return {place: (place + 1) / size for place in reversed(range(size))}  # the newest first: fewer are compared


def _only(name: str, scores: Mapping[int, float]) -> Callable[[int], dict[str, float]]:
    return lambda place: {name: scores[place]}


def _tags(query: Query, streams: Sequence[Columns], means: Means) -> tuple[list[Scored], tuple[str, ...]]:
    """Take those that carry a tag, by how many they carry; the newest when nothing does (K2)."""
    wanted = [fold(tag) for tag in query.tags] or [
        word for word in (fold(part) for part in query.text.replace(",", " ").split()) if word
    ]
    scored = []
    for stream in streams:
        scores = {place: share for place, tags in enumerate(stream.tags) if tags and (share := _share(tags, wanted))}
        scored.append(Scored(stream, scores, _only("tags", scores)))
    if any(stream.scores for stream in scored):
        return scored, ()
    return _recent(query, streams, means)[0], (NO_TAGS,)


def _share(tags: str, wanted: Sequence[str]) -> float:
    return sum(holds(tags, tag) for tag in wanted) / len(wanted) if wanted else 0.0


# -- scored ---------------------------------------------------------------------------------------------


def _scored(query: Query, streams: Sequence[Columns], means: Means) -> tuple[list[Scored], tuple[str, ...]]:
    """Add up relevance, recency and importance, each from 0 to 1, with named weights.

    Relevance is the similarity of vectors (those that point away count 0), else what the words say beside the best.
    The sum is divided by the sum of the weights.
    """
    settings = means.settings
    weights = {**PRESETS[settings.preset], **settings.weights}
    relevance, notices = _relevances(query, streams, means)
    whole = sum(weights.values()) or 1.0
    scored = []
    alpha, beta, gamma = (weights[name] / whole for name in ("relevance", "recency", "importance"))
    for stream, relevant in zip(streams, relevance, strict=True):
        recent = recencies(stream, query, settings.half_life_days, settings.tau_days)
        both = [beta * one + gamma * two for one, two in zip(recent, stream.importances, strict=True)]
        scores = {place: both[place] for place in reversed(range(stream.size))}  # the newest first: see ``_by_place``
        for place, value in relevant.items():
            scores[place] += alpha * value
        scored.append(Scored(stream, scores, _terms(relevant, recent, stream.importances)))
    return scored, notices


def _terms(
    relevant: Mapping[int, float], recent: Sequence[float], important: Sequence[float]
) -> Callable[[int], dict[str, float]]:
    return lambda place: {
        "relevance": relevant.get(place, 0.0),
        "recency": recent[place],
        "importance": important[place],
    }


def _relevances(
    query: Query, streams: Sequence[Columns], means: Means
) -> tuple[list[Mapping[int, float]], tuple[str, ...]]:
    similar = means.similarity(query.text) if means.similarity else None
    if similar is not None:
        return [
            {
                place: min(1.0, value)
                for place, entry in enumerate(stream.lexicon.entries)
                if (value := similar.get(entry.id, 0.0)) > 0
            }
            for stream in streams
        ], ()
    found = [_words_only(query, stream, means) for stream in streams]
    best = max((max(scores.values(), default=0.0) for scores in found), default=0.0) or 1.0
    return [{place: score / best for place, score in scores.items()} for scores in found], (NO_VECTORS,)


def _words_only(query: Query, stream: Columns, means: Means) -> dict[int, float]:
    """Score a stream by all words of a question, and by nothing but its words."""
    language = stream.lexicon.language
    weights = means.settings.signals
    words = content_words(query.text, language)
    return match(term_groups(words, language, means.glossary, weights.synonyms), stream, weights)


def recencies(stream: Columns, query: Query, half_life_days: float, tau_days: float | None = None) -> list[float]:
    """Weigh each memory by the story time that has passed since, as ``0.5 ** (days / half-life)``.

    Or as ``exp(-days / tau)``. A scene is a part of its day (K5): the last scene of a day, as far as the stream knows,
    ends it. Without a day of the question, it is asked when the last memory was made; a memory from after the question
    counts as made now.
    """
    base = 0.5 ** (1 / half_life_days) if tau_days is None else math.exp(-1 / tau_days)
    key = (query.day, query.scene, base)
    if key not in stream.recencies:
        stream.recencies.clear()  # those of another day are not asked for again
        stream.recencies[key] = _recencies(stream, query, base)
    return stream.recencies[key]


def _recencies(stream: Columns, query: Query, base: float) -> list[float]:
    known: dict[tuple[int, int], float] = {}  # many memories are of one scene
    moments, scenes = stream.moments, stream.last_scenes
    now = max((day + scene / scenes[day] for day, scene in stream.distinct_moments), default=0.0)
    if query.day:
        last = max(scenes.get(query.day, 1), query.scene)
        now = query.day + (query.scene / last if query.scene else 1.0)
        scenes = {**scenes, query.day: last}
    for day, scene in stream.distinct_moments:
        known[day, scene] = base ** max(0.0, now - day - scene / scenes[day])
    return [known[moment] for moment in moments]


# -- hybrid ---------------------------------------------------------------------------------------------


def _hybrid(query: Query, streams: Sequence[Columns], means: Means) -> tuple[list[Scored], tuple[str, ...]]:
    """Read the question: its words, the people and the days it names, and weigh what stands beside a memory.

    With purpose ``now`` recency comes beside it: what the present needs mostly lies a few memories back. A memory that
    nothing speaks for is not found.
    """
    settings = means.settings
    notices: tuple[str, ...] = () if means.similarity or not settings.vectors else (NO_VECTORS,)
    weighed = [_weighed(query, stream, means) for stream in streams]
    likely = [one.likely() for one in weighed]
    best = max((max(scores.values(), default=0.0) for scores in likely), default=0.0) or 1.0
    if query.purpose == "now" and settings.now_recency:
        recent = [recencies(stream, query, settings.now_half_life_days) for stream in streams]
        return [
            _with_recency(stream, one, best, fresh, settings.now_recency)
            for stream, one, fresh in zip(streams, weighed, recent, strict=True)
        ], notices
    return [
        Scored(
            stream,
            {place: score / best for place, score in scores.items() if score > 0},
            _divided(one.parts, best),
            _others(one, scores, best),
            one.bound / best,
        )
        for stream, one, scores in zip(streams, weighed, likely, strict=True)
    ], notices


def _with_recency(stream: Columns, weighed: Weighed, best: float, recent: Sequence[float], weight: float) -> Scored:
    """Put recency beside what was weighed: the mean of both by their weights, 1 and ``weight``."""
    scores = {
        place: (weighed.score(place) / best + weight * fresh) / (1 + weight) for place, fresh in enumerate(recent)
    }
    return Scored(
        stream, scores, lambda place: _divided(weighed.parts, best)(place) | {"recency": weight * recent[place]}
    )


def _divided(parts: Callable[[int], dict[str, float]], best: float) -> Callable[[int], dict[str, float]]:
    return lambda place: {name: value / best for name, value in parts(place).items()}


def _others(weighed: Weighed, likely: Mapping[int, float], best: float) -> Callable[[], Iterator[tuple[int, float]]]:
    return lambda: ((place, score / best) for place, score in weighed.others(likely))


def _weighed(query: Query, stream: Columns, means: Means) -> Weighed:
    asked = read_question(query, stream.speakers, stream.lexicon.language)
    return weigh(_base(asked, stream, means), asked, stream, query.first_date, means.settings.signals)


def _base(asked: Asked, stream: Columns, means: Means) -> dict[int, float]:
    """Add up what words and vectors say: each from the least to the best of the stream.

    So neither drowns the other. Adding gains where ranks would lose: a weak leg spoils a fusion by ranks.
    """
    weights: SignalSettings = means.settings.signals
    language = stream.lexicon.language
    base = match(term_groups(asked.words, language, means.glossary, weights.synonyms), stream, weights)
    similar = means.similarity(asked.plain) if means.similarity and means.settings.vectors else None
    if not similar:
        return base
    near = {place: similar[entry.id] for place, entry in enumerate(stream.lexicon.entries) if entry.id in similar}
    least, most = min(near.values(), default=0.0), max(near.values(), default=0.0)
    scale = means.settings.vectors * (max(base.values(), default=0.0) or 1.0) / ((most - least) or 1.0)
    for place, value in near.items():
        base[place] = base.get(place, 0.0) + scale * (value - least)
    return base


FADES = ("scored", "hybrid")
"""Strategies in whose scores memories fade, where the world wants that."""
STRATEGIES: Mapping[str, Strategy] = {"recent": _recent, "tags": _tags, "scored": _scored, "hybrid": _hybrid}
