"""Strategy ``hybrid``: weigh memories with their context, by words and by vectors."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import takewhile

from gm.base.config import RecallSettings
from gm.memory.recall.columns import Columns, Decay
from gm.memory.recall.kinds import add_things
from gm.memory.recall.matching import Word, find_words, score_words
from gm.memory.recall.query import Query
from gm.memory.recall.question import ParsedQuestion, read_question, term_groups
from gm.memory.recall.scored import NO_VECTORS, RecallInputs, Scored, decay_at
from gm.memory.recall.signals import Weighed, weigh_memories

AROUND = 0.3
"""Weight, against the best, of covering the question together with neighbours."""
SPEAKER = 1.3
"""Factor for memories of the people that the question names, before neighbours share their scores."""
SPEAKER_BY_MEANING = 1.6
"""The same for similarities of vectors, which distinguish speakers less well."""
ABOVE = 1.0
"""Standard deviations above the mean from which a similarity counts."""
CLOSER = 200
"""Best memories of a stream that are considered again with their neighbours."""
NEAR = ((0, 1.0), (-1, 0.9), (-2, 0.6), (1, 0.6), (-3, 0.4), (2, 0.3))
"""Steps from a memory to where a word may stand, and its weight there; highest first."""
_FEW = 1_000  # memories that are weighed one by one


@dataclass(frozen=True, slots=True)
class Matched:
    """The words of a question in one stream, and their scores by place."""

    words: Sequence[Word]
    scores: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class SignalScores:
    """Scores of one stream by one signal: words, or vectors.

    Attributes:
        likely: Scores of memories with a signal of their own or of a neighbour.
        bound: No other memory scores more, before ``share``.
        share: Factor of its scores: its weight, by the best of all streams.
    """

    weighed: Weighed
    likely: Mapping[int, float]
    bound: float
    share: float

    def scores(self, places: Collection[int]) -> dict[int, float]:
        share, likely = self.share, self.likely
        if places is likely:
            return {place: share * score for place, score in likely.items()}
        rest = self.weighed.scores(place for place in places if place not in likely)
        return {place: share * (likely[place] if place in likely else rest[place]) for place in places}


@dataclass(frozen=True, slots=True)
class CombinedScores:
    """The scores of one stream by all signals.

    Attributes:
        signals: By words and, where there is an index, by vectors.
        around: Gain of the best for covering the question with their neighbours, by place.
        bound: No memory that is not in ``sums`` scores more than this.
    """

    signals: Sequence[SignalScores]
    around: Mapping[int, float]
    sums: Mapping[int, float]
    bound: float

    def rest(self) -> dict[int, float]:
        """Return the scores above 0 that are not in ``sums``."""
        places = set().union(*(signal.weighed.touched() for signal in self.signals))
        return {place: score for place, score in self.scores(places - self.sums.keys()).items() if score > 0}

    def scores(self, places: Iterable[int]) -> dict[int, float]:
        places = tuple(places)
        return _add_scores([signal.scores(places) for signal in self.signals])

    def score(self, place: int) -> float:
        return self.scores((place,))[place]

    def parts(self, place: int) -> dict[str, float]:
        """Return the parts of a score: own words, neighbours, conversation, date, meaning."""
        words, *others = (
            {name: one.share * value for name, value in one.weighed.parts(place).items()} for one in self.signals
        )
        for meaning in others:
            words["meaning"] = meaning.pop("own") + meaning.pop("beside")
            words |= {name: words[name] + value for name, value in meaning.items()}
        return words | ({"around": self.around[place]} if place in self.around else {})


def hybrid(query: Query, streams: Sequence[Columns], means: RecallInputs) -> tuple[list[Scored], tuple[str, ...]]:
    """Score memories by words and vectors, by speaker, neighbours and date.

    Purposes ``now`` and ``window`` add recency and importance. A memory without any signal is not found.
    """
    settings = means.settings
    asked = [read_question(query, stream.speakers, stream.lexicon.language) for stream in streams]
    matched = [_find(one, stream, means) for one, stream in zip(asked, streams, strict=True)]
    words = [
        weigh_memories(known.scores, one, stream, query.first_date, SPEAKER)
        for one, known, stream in zip(asked, matched, streams, strict=True)
    ]
    found = [_by_vectors(one, stream, means, query) for one, stream in zip(asked, streams, strict=True)]
    vectors = [one for one in found if one is not None]
    notices = () if means.similarity or not settings.vectors else (NO_VECTORS,)
    by_meaning = bool(vectors) and len(vectors) == len(streams)
    signals = [_scale_signals(words, [1.0] * len(words), every=by_meaning)]
    if by_meaning:
        weights = [means.vectors_in(stream.lexicon.language) for stream in streams]
        signals.append(_scale_signals(vectors, weights, every=True))
    by_stream = [
        _combine_signals(one, known.words, stream)
        for one, known, stream in zip(zip(*signals, strict=True), matched, streams, strict=True)
    ]
    # a memory without one signal may be the best by the other: the sum is scaled by its own best
    best = max((max(one.sums.values(), default=0.0) for one in by_stream), default=0.0) or 1.0
    if any(present := _weights_of(query, settings)):
        decay = decay_at(query, settings.now_half_life_days)
        return [_score_now(*item, decay, best, present) for item in zip(streams, by_stream, strict=True)], notices
    return [_score_past(*item, best) for item in zip(streams, by_stream, strict=True)], notices


def _scale_signals(weighed: Sequence[Weighed], weights: Sequence[float], *, every: bool) -> list[SignalScores]:
    likely = [one.likely(sys.maxsize if every else CLOSER) for one in weighed]
    best = max((max(scores.values(), default=0.0) for scores, _ in likely), default=0.0) or 1.0
    return [
        SignalScores(one, *found, weight / best) for one, found, weight in zip(weighed, likely, weights, strict=True)
    ]


def _add_scores(scores: Sequence[dict[int, float]]) -> dict[int, float]:
    first, *others = scores
    return {place: sum((value, *(one[place] for one in others))) for place, value in first.items()} if others else first


def _combine_signals(signals: Sequence[SignalScores], words: Sequence[Word], stream: Columns) -> CombinedScores:
    places = signals[0].likely if len(signals) == 1 else set().union(*(signal.likely for signal in signals))
    sums = {place: score for place, score in _add_scores([one.scores(places) for one in signals]).items() if score > 0}
    best = nlargest(CLOSER, sums, key=sums.__getitem__)
    around = {place: AROUND * share for place, share in cover_around(best, words, stream.sessions).items()}
    sums |= {place: sums[place] + value for place, value in around.items()}
    return CombinedScores(signals, around, sums, sum(signal.share * signal.bound for signal in signals))


def _score_past(stream: Columns, found: CombinedScores, best: float) -> Scored:
    def others(least: float) -> Iterator[tuple[int, float]]:
        if found.bound / best >= least:
            yield from ((place, score / best) for place, score in found.rest().items())

    scores = {place: score / best for place, score in found.sums.items()}
    return Scored(stream, scores, _parts(found, best), others, lambda place: found.score(place) / best)


def _weights_of(query: Query, settings: RecallSettings) -> tuple[float, float]:
    """Return the weights of recency and importance."""
    if query.purpose == "now":
        return settings.now_recency, settings.now_importance
    if query.purpose == "window":
        return settings.window_recency, settings.window_importance
    return 0.0, 0.0


def _score_now(
    stream: Columns, found: CombinedScores, decay: Decay, best: float, weights: tuple[float, float]
) -> Scored:
    whole = 1 + sum(weights)
    recent = stream.recencies(decay)
    both, order = stream.unasked(decay, *weights)
    scores = {place: (score / best + both[place]) / whole for place, score in found.sums.items()}
    parts = _parts(found, best)

    def others(least: float) -> Iterator[tuple[int, float]]:
        most = found.bound / best
        close = tuple(takewhile(lambda place: (most + both[place]) / whole >= least, order))
        known = found.rest() if len(close) > _FEW else found.scores(close)
        return ((place, (known.get(place, 0.0) / best + both[place]) / whole) for place in close if place not in scores)

    def own(place: int) -> dict[str, float]:
        added = weights[0] * recent[place], weights[1] * stream.importances[place]
        return parts(place) | dict(zip(("recency", "importance"), added, strict=True))

    return Scored(stream, scores, own, others, lambda place: (found.score(place) / best + both[place]) / whole)


def _parts(found: CombinedScores, best: float) -> Callable[[int], dict[str, float]]:
    return lambda place: {name: value / best for name, value in found.parts(place).items()}


def _find(asked: ParsedQuestion, stream: Columns, means: RecallInputs) -> Matched:
    language = stream.lexicon.language
    groups = add_things(term_groups(asked.words, language, means.glossary), language, means.things(language))
    words = find_words(groups, stream)
    return Matched(words, score_words(words, groups, stream))


def _by_vectors(asked: ParsedQuestion, stream: Columns, means: RecallInputs, query: Query) -> Weighed | None:
    settings = means.settings
    similar = means.similarity(asked.without_names) if means.similarity and settings.vectors else None
    if not similar:
        return None
    near = {place: similar[one] for place, one in enumerate(stream.lexicon.texts("id")) if one in similar}
    return weigh_memories(sharpen(near, ABOVE), asked, stream, query.first_date, SPEAKER_BY_MEANING)


def sharpen(similar: Mapping[int, float], above: float) -> dict[int, float]:
    """Return how much similarities exceed the stream's mean plus ``above`` standard deviations, by place.

    Cosines of any two texts are high: what all memories share would drown what a few say.
    """
    if not similar:
        return {}
    mean = math.fsum(similar.values()) / len(similar)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in similar.values()) / len(similar))
    least = mean + above * spread
    if max(similar.values()) <= least:  # with two memories no deviation is that large
        least = mean
    return {place: value - least for place, value in similar.items() if value > least}


def cover_around(places: Iterable[int], words: Sequence[Word], sessions: Sequence[int]) -> dict[int, float]:
    """Return which part of a question, by idf, each memory covers with its neighbours in a conversation.

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
        share_of_all = 0.0
        for rarity, held in known:
            for other, share in near:
                if other in held:
                    share_of_all += rarity * share
                    break
        covered[place] = share_of_all
    return covered
