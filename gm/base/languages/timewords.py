"""What a language says of days, hours and dates: the values of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DayWords:
    """How sentences name days ahead (``gm.scene.dates``).

    Attributes:
        pattern: Finds one, with the groups ``before``, ``day``, ``part``, ``after``.
        until: Words before the day until which something holds.
        ahead: Days from today, by the word for them.
        parts: What is said for a part of the day behind a weekday, and behind a number.
        preposition: Before a weekday, and before a number.
        by_weekday: Whether the word goes where its weekday follows.
    """

    pattern: str
    until: str
    ahead: Mapping[str, int]
    parts: Mapping[str, tuple[str, str]]
    preposition: tuple[str, str]
    number: str
    by_weekday: bool = False


@dataclass(frozen=True, slots=True)
class HourWords:
    """How sentences name hours (``gm.scene.hours``); patterns of case-folded texts.

    Attributes:
        before: Words before a clock time.
        clocks: Patterns with the groups ``rel``, ``hour``, ``minute``, ``beside``, ``half_day``, in which ``{by}``,
            ``{hour}`` and ``{end}`` stand for the words before, the hour, and what may follow.
        ends: Words that may follow a clock time of which only the number is said.
        beside: Minutes from the hour.
        relations: -1 = before, 0 = at, 1 = after.
        meals: Their minute of the day.
        parts: Times of day, by patterns.
    """

    before: str
    clocks: tuple[str, ...]
    end: str
    ends: str
    numbers: str
    beside: Mapping[str, int]
    relations: Mapping[str, int]
    meals: Mapping[str, int]
    parts: Mapping[str, str]
    first: str
    anchor: str


@dataclass(frozen=True, slots=True)
class DateWords:
    """How questions and memories name dates, spans of time and numbers (``gm.memory.recall.dates``).

    All are patterns of case-folded texts.

    Attributes:
        months: January first.
        also_words: Months that are other words too: they count beside a number, or after ``at``.
        at: Words before a month.
        of: Words between a day and its month.
        ordinals: Endings of a day's number, beside a full stop.
        past: Days before today, by the word for them.
        ago: Days counted back from today, with the group ``count``.
        counts: Numbers from one on, as ``ago`` counts.
        last_week: The week before this one.
        last: Words before a weekday that is past.
        times: Words that tell a time, beside months, weekdays and units.
        units: Units of time.
        numbers: Words that tell a number.
        asks_time: A question for a time.
        asks_number: A question for a number.
    """

    months: tuple[str, ...]
    at: str
    of: str
    past: Mapping[str, int]
    ago: str
    counts: tuple[str, ...]
    last_week: str
    last: str
    times: str
    units: str
    numbers: str
    asks_time: str
    asks_number: str
    also_words: frozenset[str] = frozenset()
    ordinals: str = ""
