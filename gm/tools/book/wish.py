"""What a book is to hold: which days, whose minds, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from gm.errors import UsageError
from gm.model.character import find_agent
from gm.model.world import World
from gm.tools.diary import parse_days

PARTS = (
    "cast",
    "thoughts",
    "reasons",
    "numbers",
    "plates",
    "closing",
    "soul",
    "diary",
    "reflections",
    "relationships",
    "memories",
    "private",
)
"""What can be left out of a book; ``private`` are memories and evenings with the tag private or privat."""
LEAST_IMPORTANCE = 7
_DAYS = re.compile(r"(day-)?[0-9]")


@dataclass(frozen=True, slots=True)
class Wish:
    """What ``gm export`` was asked for.

    Attributes:
        what: Days (``day-003``, ``3``, ``3-5``, ``day-003..day-010``) and characters; empty = the whole world.
        hidden: Parts that are left out, of ``PARTS``; other words mean nothing here.
        title: Title; empty = the world's, or the character's.
        author: Author; empty = none.
        least_importance: Memories of at least this importance stand in the book of a mind, 1 to 10.
    """

    what: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    title: str = ""
    author: str = ""
    least_importance: int = LEAST_IMPORTANCE

    def shows(self, part: str) -> bool:
        """Tell whether a part is in the book."""
        return part not in self.hidden


def parse_hidden(texts: Sequence[str], private: Collection[str] = ()) -> frozenset[str]:
    """Read which parts are left out, and add those that nobody outside may see.

    Args:
        texts: ``thoughts``, ``thoughts,reasons``, as on the command line.
        private: What a setting says; words that are no part of a book (``cost``, ``prompts``) mean nothing.

    Raises:
        UsageError: A word of ``texts`` is no part of a book.
    """
    named = {part.strip() for text in texts for part in text.split(",") if part.strip()}
    unknown = sorted(named - set(PARTS))
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no part of a book", "the parts: " + ", ".join(PARTS))
    return frozenset(named | (set(private) & set(PARTS)))


def choose(world: World, played: Sequence[int], what: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Find the days and the characters that are meant.

    Args:
        world: The world.
        played: Days that have a logbook, in order.
        what: As in ``Wish``.

    Returns:
        Days in order, and ids of characters in the order in which they were named.

    Raises:
        UsageError: No such day was played, or nobody is called that.
    """
    if not what:
        return tuple(played), ()
    days: set[int] = set()
    minds: list[str] = []
    for text in what:
        agent = find_agent(world.agents, text)
        if agent is not None:
            minds.append(agent)
        elif _DAYS.match(text.strip()):
            days |= _days(world, played, text)
        else:
            hint = f"days are written 3, day-003, 3-5 or day-003..day-005; the cast: {', '.join(world.agents)}"
            raise UsageError(f"{text!r} is neither a day nor anybody here", hint)
    return tuple(sorted(days)), tuple(dict.fromkeys(minds))


def _days(world: World, played: Sequence[int], text: str) -> set[int]:
    wanted = parse_days(text.strip().replace("..", "-"))
    if isinstance(wanted, str):
        number = _day_of(world, wanted)
        wanted = (number, number)
    days = {day for day in played if wanted[0] <= day <= wanted[1]}
    if not days:
        hint = f"the days: {played[0]} to {played[-1]}" if played else "no day was played yet: gm advance-day"
        raise UsageError(f"day {text} has left no trace", hint)
    return days


def _day_of(world: World, text: str) -> int:
    """Find the story day of a date of the real calendar.

    Raises:
        UsageError: There is no such date, or the world has no dates.
    """
    start = world.settings.calendar.start
    if start is None:
        raise UsageError(f"{text} is a date, and this world has none", "set calendar.start in gm.yaml, or name the day")
    try:
        return (date.fromisoformat(text) - date.fromisoformat(start)).days + 1
    except ValueError as error:
        raise UsageError(f"{text!r} is no date", "write 2026-03-04") from error
