"""Values for scoring a stream, computed once for each state of its index."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from gm.base.casefold import casefold
from gm.memory.recall.dates import NUMBER, TIME
from gm.memory.recall.lexicon import Lexicon
from gm.memory.recall.words import BETWEEN, join_folded, split_words, stem

Places = frozenset[int]
NO_PLACES: Places = frozenset()
Relate = Callable[[str, Lexicon], Mapping[str, float]]
"""Finds terms related to a word, with their weights."""
SATURATION = 0.8
"""BM25: weight of repeated words; low, as memories are short."""
LENGTH_SHARE = 0.3
"""BM25: penalty of long memories; low, as more words carry more."""
LENGTH = 0.2
"""Gain of a memory that is longer than others."""


class Decay(NamedTuple):
    """How recency falls until a scene (0 = the end of the day): the factor by which a day lowers it."""

    day: int
    scene: int
    factor: float


class Unasked(NamedTuple):
    """Scores by place without a question, and all places, best first."""

    scores: Sequence[float]
    order: Sequence[int]


class Columns:
    """Values of all memories of one stream, by place. Each is computed when it is first asked for."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._spoken_by: dict[frozenset[str], Places] = {}
        self._related: dict[tuple[Relate, str], Mapping[str, float]] = {}
        # only for the last moment asked for: a day that is over is not asked for again
        self._recencies: dict[Decay, Sequence[float]] = {}
        self._unasked: dict[tuple[Decay, float, float], Unasked] = {}

    @property
    def size(self) -> int:
        return len(self.lexicon.entries)

    @cached_property
    def lengths(self) -> Sequence[int]:
        return self.lexicon.numbers("length")

    @cached_property
    def mean(self) -> float:
        return max(1.0, sum(self.lengths) / len(self.lengths)) if self.lengths else 1.0

    @cached_property
    def questions(self) -> Sequence[int]:
        """1 for memories that are questions, else 0."""
        return self.lexicon.numbers("is_question")

    @cached_property
    def importances(self) -> list[float]:
        return [importance / 10 for importance in self.lexicon.numbers("importance")]

    @cached_property
    def tagged(self) -> Mapping[str, list[int]]:
        """Ascending places by folded tag."""
        found: dict[str, list[int]] = {}
        for place, tags in enumerate(self.lexicon.texts("tags")):
            for tag in dict.fromkeys(tags.split(BETWEEN)):
                if tag:
                    found.setdefault(tag, []).append(place)
        return found

    @cached_property
    def telling(self) -> Mapping[int, Places]:
        """Places of memories that name a time, and a number."""
        kinds = self.lexicon.numbers("tells")
        return {kind: frozenset(place for place, tells in enumerate(kinds) if tells & kind) for kind in (TIME, NUMBER)}

    @cached_property
    def tiers(self) -> dict[int, str]:
        """By place, of the memories that have one."""
        if not self.lexicon.different("tier"):
            return {}
        return {place: tier for place, tier in enumerate(self.lexicon.texts("tier")) if tier}

    @cached_property
    def days(self) -> Sequence[int]:
        """Story days; 0 when unknown."""
        return self.lexicon.numbers("day")

    @cached_property
    def moments(self) -> list[tuple[int, int]]:
        return list(zip(self.days, self.lexicon.numbers("scene"), strict=True))

    @cached_property
    def distinct_moments(self) -> frozenset[tuple[int, int]]:
        return frozenset(self.moments)

    @cached_property
    def last_scenes(self) -> dict[int, int]:
        """The last known scene of each day; at least 1."""
        scenes: dict[int, int] = {}
        for day, scene in self.distinct_moments:
            scenes[day] = max(scenes.get(day, 1), scene)
        return scenes

    def moment_of(self, day: int, scene: int) -> tuple[float, Mapping[int, int]]:
        """Return a question's moment in story days, and the last known scene of each day.

        A scene is a fraction of its day: the last one ends it. Day 0 means the moment of the last memory, scene 0 the
        end of the day.
        """
        scenes = self.last_scenes
        if not day:
            return max((known + one / scenes[known] for known, one in self.distinct_moments), default=0.0), scenes
        last = max(scenes.get(day, 1), scene)
        return day + (scene / last if scene else 1.0), {**scenes, day: last}

    def recencies(self, decay: Decay) -> Sequence[float]:
        """Return each memory's recency: the factor to the power of its age in days; 1 for a later memory."""
        if decay not in self._recencies:
            self._recencies = {decay: self._find_recencies(decay)}
        return self._recencies[decay]

    def _find_recencies(self, decay: Decay) -> Sequence[float]:
        now, scenes = self.moment_of(decay.day, decay.scene)
        by_moment = {  # many memories are of one scene
            (day, scene): decay.factor ** max(0.0, now - day - scene / scenes[day])
            for day, scene in self.distinct_moments
        }
        return [by_moment[moment] for moment in self.moments]

    def unasked(self, decay: Decay, recency: float, importance: float) -> Unasked:
        """Return each memory's score by the weights of recency and importance alone."""
        key = decay, recency, importance
        if key not in self._unasked:
            pairs = zip(self.recencies(decay), self.importances, strict=True)
            scores = [recency * one + importance * two for one, two in pairs]
            order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
            self._unasked = {key: Unasked(scores, order)}
        return self._unasked[key]

    def related(self, word: str, find: Relate) -> Mapping[str, float]:
        """Return the terms that ``find`` relates to a word, with their weights."""
        key = find, word
        if key not in self._related:
            self._related[key] = find(word, self.lexicon)
        return self._related[key]

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """In alphabetical order; without the owner."""
        return tuple(sorted(self.lexicon.different("speaker")))

    @cached_property
    def norms(self) -> Mapping[int, float]:
        """Length term in BM25, by length."""
        return {
            length: SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / self.mean) for length in set(self.lengths)
        }

    @cached_property
    def length_factors(self) -> Mapping[int, float]:
        """1 + LENGTH · ln(1 + length / mean length), by length."""
        return {length: 1 + LENGTH * math.log(1 + length / self.mean) for length in self.norms}

    @cached_property
    def longest(self) -> float:
        """The highest of the factors of length."""
        return max(self.length_factors.values(), default=1.0)

    def is_of_owner(self, named: Collection[str]) -> bool:
        """Return whether names include the owner's and no other speaker's."""
        owner = casefold(self.lexicon.owner)
        return owner in named and not any(name in self.speakers for name in named if name != owner)

    def spoken_by(self, named: Collection[str]) -> Places | None:
        """Return the places of the memories whose speaker a question names; None if it names nobody.

        An utterance belongs to its speaker; the owner's own words to those whom their tags, metadata or text name, or
        to the owner when the question names no other.
        """
        if not named:
            return None
        key = frozenset(named)
        if key not in self._spoken_by:
            self._spoken_by[key] = frozenset(self._find_spoken(key))
        return self._spoken_by[key]

    def _find_spoken(self, named: Collection[str]) -> Iterator[int]:
        owner = casefold(self.lexicon.owner)
        others = [name for name in named if name != owner]
        mentioned = frozenset(place for name in others for place in self._mentions(name))
        is_owners = self.is_of_owner(named)
        parts = tuple(join_folded((name,)) for name in others)

        def is_spoken(place: int, speaker: str, tags: str, people: str) -> bool:
            if speaker:
                return speaker in named
            if is_owners or place in mentioned:
                return True
            return any(part in tags or part in people for part in parts)

        said = zip(*map(self.lexicon.texts, ("speaker", "tags", "people")), strict=True)
        return (place for place, texts in enumerate(said) if is_spoken(place, *texts))

    def _mentions(self, name: str) -> Sequence[int]:
        words = split_words(name)
        return self.lexicon.find(stem(words[0], self.lexicon.language)).places if len(words) == 1 else ()

    @cached_property
    def sessions(self) -> Sequence[int]:
        """Number of each memory's conversation (or story day)."""
        if not self.lexicon.different("session"):
            return self.days
        numbers: dict[object, int] = {}
        said = zip(self.lexicon.texts("session"), self.days, strict=True)
        return [numbers.setdefault(session or day, len(numbers)) for session, day in said]
