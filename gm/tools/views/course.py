"""How the days of one character went: the mood they ended in, and how much they weighed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gm.model.calendar import SceneRef
from gm.store.layout import Layout
from gm.store.streams.rows import Row
from gm.tools.graphs.base import Cast
from gm.tools.graphs.reading import source_of

LATEST = 14
_TRACES = "traces"


@dataclass(frozen=True, slots=True)
class DayOf:
    """A day of a character.

    Attributes:
        day: Story day.
        mood: The mood it ended in; empty where it is not kept.
        memories: How many memories there are of it.
        mean: Their mean importance; 0 without any.
        most: The highest; 0 without any.
    """

    day: int
    mood: str = ""
    memories: int = 0
    mean: float = 0.0
    most: int = 0

    @property
    def at(self) -> SceneRef:
        """The day as a moment."""
        return SceneRef(self.day)


def view_course(
    layout: Layout, cast: Cast, agent: str, rows: Iterable[Row], hidden: Collection[str] = ()
) -> tuple[DayOf, ...]:
    """Show the latest days of a character, the newest first.

    Args:
        layout: The world.
        cast: Who is in it.
        agent: Id of the character.
        rows: Its memories.
        hidden: What is left out: with ``diary`` and ``prompts``, moods from there.
    """
    weights: dict[int, list[int]] = {}
    for row in rows:
        if row.day:
            weights.setdefault(row.day, []).append(row.importance)
    days = sorted({*weights, *(day for day in layout.logged_days() if day)})[-LATEST:]
    moods = _moods(layout, Cast(cast.language, {agent: cast.names.get(agent, agent)}), days, hidden)
    return tuple(_day(day, moods.get(day, ""), weights.get(day, [])) for day in reversed(days))


def _day(day: int, mood: str, weights: Sequence[int]) -> DayOf:
    mean = sum(weights) / len(weights) if weights else 0.0
    return DayOf(day, mood, len(weights), mean, max(weights, default=0))


def _moods(layout: Layout, cast: Cast, days: Sequence[int], hidden: Collection[str]) -> dict[int, str]:
    without = {*(part for part in hidden if part == "diary"), *((_TRACES,) if "prompts" in hidden else ())}
    return {mood.day: mood.word for mood in source_of(layout).moods(cast, days, without)}
