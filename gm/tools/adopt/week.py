"""Fit the names of a week to the weekdays that a world's files name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.config.world import WEEKS, WORKING_DAYS, working_week
from gm.model.calendar import weekday
from gm.model.fold import fold

OTHER_NAMES = {"sonnabend": "samstag"}


@dataclass(frozen=True, slots=True)
class Week:
    """The names of a week, day 1 first, and why these."""

    names: tuple[str, ...]
    why: str
    is_certain: bool = False


def fit_week(days: Mapping[int, str], language: str) -> Week:
    """Find a week in which every known day has its name.

    Tried in this order: five days from Monday, seven days from Monday, seven days from another day, five days from
    another day. A week of five is taken first because the default is one; a Saturday or Sunday rules it out.

    Args:
        days: Names of weekdays by story day.
        language: Language of the names when no day has one.
    """
    if not days:
        return Week(working_week(language), "no file names a weekday; this is a guess")
    shown = ", ".join(f"day {day} is {' '.join(name.split())}" for day, name in sorted(days.items())[-3:])
    for names in WEEKS.values():
        for week in _weeks(names):
            if all(_key(weekday(day, week)) == _key(name) for day, name in days.items()):
                return Week(week, shown, is_certain=len(set(days.values())) > WORKING_DAYS)
    return Week((), f"{shown}; no week of known names fits")


def _weeks(names: Sequence[str]) -> list[tuple[str, ...]]:
    short, whole = tuple(names[:WORKING_DAYS]), tuple(names)
    return [short, *_turned(whole), *_turned(short)[1:]]


def _turned(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [names[place:] + names[:place] for place in range(len(names))]


def _key(name: str) -> str:
    folded = fold(name)
    return OTHER_NAMES.get(folded, folded)
