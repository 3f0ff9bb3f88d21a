"""Inputs and outputs of the strategies, and strategy ``scored``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from gm.base.config import RecallSettings
from gm.memory.recall.columns import Columns, Decay
from gm.memory.recall.fading import Fading
from gm.memory.recall.kinds import ThingsIn, no_things
from gm.memory.recall.matching import match
from gm.memory.recall.query import Query, Similarity, Turn
from gm.memory.recall.question import term_groups
from gm.memory.recall.words import content_words
from gm.model.calendar import SceneRef

NO_VECTORS = "there is no embedding index: memories are compared by their words"


def no_turn(_moment: SceneRef) -> int:
    """Return 0: a ``Turn`` that counts no scenes."""
    return 0


@dataclass(frozen=True, slots=True)
class RecallInputs:
    """Inputs beside the streams.

    Attributes:
        similarity: None without an index of vectors.
        languages: Those of the model of the vectors; empty = all.
        things: Of general kinds, and near words, by the language of a stream.
    """

    settings: RecallSettings = field(default_factory=RecallSettings)
    glossary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    similarity: Similarity | None = None
    turn_of: Turn = no_turn
    fading: Fading | None = None
    languages: tuple[str, ...] = ()
    things: ThingsIn = no_things

    def vectors_in(self, language: str) -> float:
        known = not self.languages or language in self.languages
        return self.settings.vectors if known else min(self.settings.vectors, self.settings.vectors_foreign)


def no_others(_least: float) -> tuple[()]:
    """Return nothing: the ``others`` where all scores are known."""
    return ()


def no_score(_place: int) -> float:
    """Return 0: the ``other`` where all scores are known."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one stream.

    Attributes:
        scores: By place; other places are not chosen, or are among ``others``.
        others: Yields more scores: of each place not in ``scores`` that scores at least so much, maybe of more.
        other: Returns the score of one of the ``others``.
        in_order: Whether ``others`` come best first, ties in order: then only the first are read.
    """

    columns: Columns
    scores: Mapping[int, float]
    parts: Callable[[int], dict[str, float]]
    others: Callable[[float], Iterable[tuple[int, float]]] = no_others
    other: Callable[[int], float] = no_score
    in_order: bool = False

    def score(self, place: int) -> float:
        """Return the score of a memory; 0 when it has none."""
        return self.scores[place] if place in self.scores else self.other(place)


Ranked = tuple[list[Scored], tuple[str, ...]]
"""The scores of each stream, and notices about what was not available."""
Strategy = Callable[[Query, Sequence[Columns], RecallInputs], Ranked | None]
"""Returns None when there is nothing to rank by."""


PRESETS: Mapping[str, Mapping[str, float]] = {
    "relevance_first": {"relevance": 0.5, "recency": 0.3, "importance": 0.2},
    "park": {"relevance": 3.0, "recency": 0.5, "importance": 2.0},
}
"""Weights of document 001, and of Park and others (2023) as quoted in document 004."""


def scored(query: Query, streams: Sequence[Columns], means: RecallInputs) -> tuple[list[Scored], tuple[str, ...]]:
    """Return ``(a * relevance + b * recency + c * importance) / (a + b + c)`` of each memory, from 0 to 1.

    ``a``, ``b`` and ``c`` are the weights of ``PRESETS`` and ``recall.weights``. Each part lies between 0 and 1:
    relevance is the similarity of vectors (at least 0), else the score by words relative to the best; recency is
    ``0.5 ** (days / half_life_days)``, or ``exp(-days / tau_days)``. Source: documents 001 and 004.
    """
    settings = means.settings
    weights = {**PRESETS[settings.preset], **settings.weights}
    relevance, notices = _relevances(query, streams, means)
    whole = sum(weights.values()) or 1.0
    found = []
    alpha, beta, gamma = (weights[name] / whole for name in ("relevance", "recency", "importance"))
    for stream, relevant in zip(streams, relevance, strict=True):
        decay = decay_at(query, settings.half_life_days, settings.tau_days)
        both, order = stream.unasked(decay, beta, gamma)
        scores = {place: alpha * value + both[place] for place, value in relevant.items()}
        parts = _terms(relevant, stream.recencies(decay), stream.importances)
        found.append(Scored(stream, scores, parts, _all_but(scores, both, order), both.__getitem__, in_order=True))
    return found, notices


def _all_but(
    scores: Mapping[int, float], both: Sequence[float], order: Sequence[int]
) -> Callable[[float], Iterator[tuple[int, float]]]:
    return lambda least: (
        (place, both[place]) for place in takewhile(lambda place: both[place] >= least, order) if place not in scores
    )


def _terms(
    relevant: Mapping[int, float], recent: Sequence[float], important: Sequence[float]
) -> Callable[[int], dict[str, float]]:
    return lambda place: {
        "relevance": relevant.get(place, 0.0),
        "recency": recent[place],
        "importance": important[place],
    }


def _relevances(
    query: Query, streams: Sequence[Columns], means: RecallInputs
) -> tuple[list[Mapping[int, float]], tuple[str, ...]]:
    similar = means.similarity(query.text) if means.similarity else None
    if similar is not None:
        return [
            {
                place: min(1.0, value)
                for place, identifier in enumerate(stream.lexicon.texts("id"))
                if (value := similar.get(identifier, 0.0)) > 0
            }
            for stream in streams
        ], ()
    found = [_words_only(query, stream, means) for stream in streams]
    best = max((max(scores.values(), default=0.0) for scores in found), default=0.0) or 1.0
    # a similarity that is not available has given its own notice
    notices = () if means.similarity else (NO_VECTORS,)
    return [{place: score / best for place, score in scores.items()} for scores in found], notices


def _words_only(query: Query, stream: Columns, means: RecallInputs) -> dict[int, float]:
    language = stream.lexicon.language
    return match(term_groups(content_words(query.text, language), language, means.glossary), stream)


def decay_at(query: Query, half_life_days: float, tau_days: float | None = None) -> Decay:
    """Return how recency falls until a query's moment: ``0.5 ** (days / half-life)``, or ``exp(-days / tau)``."""
    factor = 0.5 ** (1 / half_life_days) if tau_days is None else math.exp(-1 / tau_days)
    return Decay(query.day, query.scene, factor)
