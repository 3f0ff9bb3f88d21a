"""Decay and reinforcement of memories, in story days (document 000, "Decay Model"): a factor of scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gm.base.casefold import casefold
from gm.base.config import DecaySettings
from gm.memory.recall.columns import Columns
from gm.memory.recall.entry import IndexEntry, has_item
from gm.memory.recall.query import Query

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
