"""Decay as a factor of scores (``decay.enabled``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gm.base.casefold import casefold
from gm.base.config import DecaySettings
from gm.memory.fading import EMOTIONAL, GOAL, PLAN, UNTOUCHED, Strength, half_life, retention
from gm.memory.recall.columns import Columns
from gm.memory.recall.entry import Entry, holds
from gm.memory.recall.query import Query


@dataclass(frozen=True, slots=True)
class Fading:
    """How memories fade in one world.

    What happens to a memory during a day counts from the next day on, so that lookups do not change what else is
    recalled on that day, however often it is interrupted.

    Attributes:
        strengths: How often each memory was needed, by id.
    """

    settings: DecaySettings
    strengths: Mapping[str, Strength]

    def retention_in(self, stream: Columns, query: Query) -> Callable[[int], float]:
        """Return the retention at the moment of a query, as a function of the place."""
        now, scenes = stream.when(query.day, query.scene)
        today = int(now) + 1 if not query.day else query.day + (0 if query.scene else 1)
        entries, moments = stream.lexicon.entries, stream.moments

        def left(place: int) -> float:
            day, scene = moments[place]
            times, last_day = self.strengths.get(entries[place].id, UNTOUCHED).before(today)
            since = max(day + scene / scenes[day], last_day + 1.0 if times else 0.0)
            return retention(max(0.0, now - since), self._half_life(entries[place], times), self.settings.floor)

        return left

    def factor(self, left: float) -> float:
        """Return the factor of a score: 1 - weight · (1 - retention)."""
        return 1 - self.settings.weight * (1 - left)

    def _half_life(self, entry: Entry, times: int) -> float:
        goal = entry.type == PLAN or entry.kind == GOAL
        goal = goal or any(holds(entry.tags, casefold(tag)) for tag in self.settings.goal_tags)
        return half_life(entry.importance, times, self.settings, emotional=entry.kind == EMOTIONAL, goal=goal)
