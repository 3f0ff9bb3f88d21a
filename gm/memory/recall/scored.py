"""Inputs and outputs of the strategies, and strategy ``scored``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from gm.base.casefold import casefold
from gm.base.config import DecaySettings, RecallSettings
from gm.memory.recall.columns import Columns, Decay
from gm.memory.recall.kinds import ThingsIn, no_things
from gm.memory.recall.matching import score_memories
from gm.memory.recall.query import Query, Similarity, Turn
from gm.memory.recall.question import term_groups
from gm.memory.recall.words import IndexEntry, has_item, without_stop_words
from gm.model.calendar import SceneRef

EMOTIONAL = "emotional"
GOAL = "goal"
PLAN = "plan"


@dataclass(frozen=True, slots=True)
class Strength:
    """How often a memory was needed, by story day.

    Attributes:
        reinforced: How often its character wanted to keep it; day 0 = unknown.
        recalled: How often it was recalled or cited.
    """

    reinforced: Mapping[int, int] = field(default_factory=dict)
    recalled: Mapping[int, int] = field(default_factory=dict)

    @property
    def reinforcements(self) -> int:
        return sum(self.reinforced.values())

    def before(self, day: int) -> tuple[int, int]:
        """Return how often it was needed before a day, and when last."""
        days = [
            (when, count) for part in (self.reinforced, self.recalled) for when, count in part.items() if when < day
        ]
        return sum(count for _, count in days), max((when for when, _ in days), default=0)


UNTOUCHED = Strength()


def half_life(
    importance: int, times: int, settings: DecaySettings, *, emotional: bool = False, goal: bool = False
) -> float:
    """Return in how many story days a memory fades by half; above 0.

    half-life = h · (1 + i · (importance - 1) / 9) · e · g · (1 + r · log2(1 + times))

    with h = ``half_life_days``, i = ``importance``, e = ``emotional`` and g = ``goal`` (1 where it is neither), and
    r = ``recall`` of the settings ``decay``.

    Args:
        importance: From 1 to 10.
        times: How often it was recalled or reinforced; at least 0.
        goal: Whether a goal depends on it.

    Source:
        Document 000 names these influences, but no formula: this one is ours.
    """
    weight = min(10, max(1, importance)) - 1  # a line made by hand may say anything
    kept = settings.half_life_days * (1 + settings.importance * weight / 9)
    kept *= (settings.emotional if emotional else 1.0) * (settings.goal if goal else 1.0)
    return kept * (1 + settings.recall * math.log2(1 + times))


def retained_share(age_days: float, half_life_days: float, floor: float) -> float:
    """Return how much of a memory's strength is left, from ``floor`` to 1; outputs name it ``retention``.

    retention = floor + (1 - floor) · 0.5 ** (age / half-life)

    Args:
        age_days: Story days since it was made, or since the end of the day on which it was last needed; at least 0.
        floor: From 0 to 1.
    """
    return floor + (1 - floor) * math.pow(0.5, age_days / half_life_days)


@dataclass(frozen=True, slots=True)
class Fading:
    """How memories fade in one world.

    A day's events count from the next day on, so that lookups do not change that day's recall.
    """

    settings: DecaySettings
    strengths: Mapping[str, Strength]

    def retained_share_in(self, stream: Columns, query: Query) -> Callable[[int], float]:
        """Return the retained share by place at the moment of a query."""
        now, scenes = stream.moment_of(query.day, query.scene)
        today = int(now) + 1 if not query.day else query.day + (0 if query.scene else 1)
        entries, moments = stream.lexicon.entries, stream.moments

        def left(place: int) -> float:
            day, scene = moments[place]
            times, last_day = self.strengths.get(entries[place].id, UNTOUCHED).before(today)
            since = max(day + scene / scenes[day], last_day + 1.0 if times else 0.0)
            return retained_share(max(0.0, now - since), self._half_life(entries[place], times), self.settings.floor)

        return left

    def factor(self, left: float) -> float:
        return 1 - self.settings.weight * (1 - left)

    def _half_life(self, entry: IndexEntry, times: int) -> float:
        goal = entry.type == PLAN or entry.kind == GOAL
        goal = goal or any(has_item(entry.tags, casefold(tag)) for tag in self.settings.goal_tags)
        return half_life(entry.importance, times, self.settings, emotional=entry.kind == EMOTIONAL, goal=goal)


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
    return score_memories(term_groups(without_stop_words(query.text, language), language, means.glossary), stream)


def decay_at(query: Query, half_life_days: float, tau_days: float | None = None) -> Decay:
    """Return how recency falls until a query's moment: ``0.5 ** (days / half-life)``, or ``exp(-days / tau)``."""
    factor = 0.5 ** (1 / half_life_days) if tau_days is None else math.exp(-1 / tau_days)
    return Decay(query.day, query.scene, factor)
