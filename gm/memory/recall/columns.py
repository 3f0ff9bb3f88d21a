"""What the weighing of a stream needs again and again, computed once for each state of its index."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from gm.base.casefold import casefold
from gm.memory.recall.answers import NUMBER, TIME
from gm.memory.recall.entry import BETWEEN
from gm.memory.recall.lexicon import Lexicon

SATURATION = 0.8
"""BM25: how much it counts that a word occurs again and again. Memories are short, so it soon says no more."""
LENGTH_SHARE = 0.3
"""BM25: how far a long memory is held against it. Less than for web pages: in a memory more words say more."""
LENGTH = 0.2
"""What a memory that is longer than others gains."""


class Columns:
    """Values of all memories of one stream, by place.

    Args:
        lexicon: The index of the stream, as it is now.

    Attributes:
        recencies: Recency of each memory by day, scene and decay, for the moment asked for last.
        told: Memories of people, by place, for those who were asked about.
        related: Terms that go with a word, as far as they were looked for.
        unasked: What the strategy ``scored`` makes of the stream without a question, at the moment asked for last.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.recencies: dict[tuple[int, int, float], list[float]] = {}
        self.told: dict[frozenset[str], frozenset[int]] = {}
        self.related: dict[str, dict[str, float]] = {}
        self.unasked: tuple[Sequence[float], tuple[float, float], list[float], list[int]] | None = None

    @property
    def size(self) -> int:
        """How many memories there are."""
        return len(self.lexicon.entries)

    @cached_property
    def lengths(self) -> list[int]:
        """Words of each description."""
        return [entry.length for entry in self.lexicon.entries]

    @cached_property
    def mean(self) -> float:
        """Mean number of words; 1 at least."""
        return max(1.0, sum(self.lengths) / len(self.lengths)) if self.lengths else 1.0

    @cached_property
    def questions(self) -> list[int]:
        """Whether each memory is a question: 1 or 0."""
        return [entry.is_question for entry in self.lexicon.entries]

    @cached_property
    def importances(self) -> list[float]:
        """Importance of each memory as a part of 1."""
        return [entry.importance / 10 for entry in self.lexicon.entries]

    @cached_property
    def tagged(self) -> Mapping[str, list[int]]:
        """Places of the memories that carry a tag, ascending, by the folded tag."""
        found: dict[str, list[int]] = {}
        for place, entry in enumerate(self.lexicon.entries):
            for tag in dict.fromkeys(entry.tags.split(BETWEEN)):
                if tag:
                    found.setdefault(tag, []).append(place)
        return found

    @cached_property
    def telling(self) -> Mapping[int, frozenset[int]]:
        """Places of the memories that name a time, and of those that name a number (``answers``)."""
        entries = self.lexicon.entries
        return {
            kind: frozenset(place for place, entry in enumerate(entries) if entry.tells & kind)
            for kind in (TIME, NUMBER)
        }

    @cached_property
    def tiers(self) -> dict[int, str]:
        """Tiers of those few memories that have one, by place."""
        return {place: entry.tier for place, entry in enumerate(self.lexicon.entries) if entry.tier}

    @cached_property
    def moments(self) -> list[tuple[int, int]]:
        """Story day and scene of each memory."""
        return [(entry.day, entry.scene) for entry in self.lexicon.entries]

    @cached_property
    def distinct_moments(self) -> frozenset[tuple[int, int]]:
        """The same, each once."""
        return frozenset(self.moments)

    @cached_property
    def last_scenes(self) -> dict[int, int]:
        """The last scene of each day, as far as the stream knows; 1 at least."""
        scenes: dict[int, int] = {}
        for day, scene in self.distinct_moments:
            scenes[day] = max(scenes.get(day, 1), scene)
        return scenes

    def when(self, day: int, scene: int) -> tuple[float, Mapping[int, int]]:
        """Return the moment of a question in story days, and the last scene of each day as far as the stream knows.

        A scene is a part of its day: the last one ends it. Without a day, the question is put when the last memory was
        made.

        Args:
            day: Story day of the question; 0 = none.
            scene: Its scene; 0 = the day is over.
        """
        scenes = self.last_scenes
        if not day:
            return max((known + one / scenes[known] for known, one in self.distinct_moments), default=0.0), scenes
        last = max(scenes.get(day, 1), scene)
        return day + (scene / last if scene else 1.0), {**scenes, day: last}

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """Who speaks in the stream, in alphabetical order; the owner's own words do not count."""
        return tuple(sorted({entry.speaker for entry in self.lexicon.entries} - {""}))

    @cached_property
    def norms(self) -> list[float]:
        """What the length of each memory holds against it in BM25."""
        return [SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / self.mean) for length in self.lengths]

    @cached_property
    def length_factors(self) -> list[float]:
        """Factor by which a longer memory gains, as it tells more: 1 + LENGTH · ln(1 + length / mean length)."""
        known = {length: 1 + LENGTH * math.log(1 + length / self.mean) for length in set(self.lengths)}
        return [known[length] for length in self.lengths]

    def is_of_owner(self, named: Collection[str]) -> bool:
        """Return whether names are the owner's, and none is that of another speaker of the stream."""
        owner = casefold(self.lexicon.owner)
        return owner in named and not any(name in self.speakers for name in named if name != owner)

    @cached_property
    def sessions(self) -> list[int]:
        """Number of the conversation of each memory: the one that its metadata names, else its story day."""
        numbers: dict[object, int] = {}
        return [numbers.setdefault(entry.session or entry.day, len(numbers)) for entry in self.lexicon.entries]
