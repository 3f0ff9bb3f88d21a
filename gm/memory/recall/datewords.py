"""Patterns of dates and numbers in the words of every declared language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from gm.base.casefold import casefold
from gm.base.languages import all_languages, either


@dataclass(frozen=True, slots=True)
class DatePatterns:
    """Patterns of case-folded texts.

    Attributes:
        date: A day or a month of the real calendar: ``at``, ``before`` and ``after`` (the day), ``month``, ``year``.
        months: Numbers of months by name.
        also_words: Months that are other words too.
        story_day: ``first`` and ``last``.
        past: Days before today, by the word for them.
        ago: Patterns with the group ``count``.
        counts: Numbers by name.
        last: Words before the name of a weekday.
    """

    date: re.Pattern[str]
    months: Mapping[str, int]
    also_words: frozenset[str]
    story_day: re.Pattern[str]
    past: Mapping[str, int]
    ago: tuple[re.Pattern[str], ...]
    counts: Mapping[str, int]
    last_week: re.Pattern[str]
    last: str
    tells_time: re.Pattern[str]
    tells_number: re.Pattern[str]
    asks_time: re.Pattern[str]
    asks_number: re.Pattern[str]


@cache
def date_patterns() -> DatePatterns:
    """Return the patterns: a question may be in another language than its world."""
    spoken = all_languages()
    words = [one.dates for one in spoken if one.dates]
    months = _numbered(one.months for one in words)
    named = either(sorted(months, key=len, reverse=True))
    day = rf"(?P<{{}}>\d{{{{1,2}}}})(?:{either(one.ordinals for one in words)}|\.)?"
    at, of, to = either(one.at for one in words), either(one.of for one in words), either(one.to for one in spoken)
    story_day = either(one.story_day for one in spoken)
    weekdays = (casefold(name) for one in spoken for name in one.weekdays)
    said = either([*(one.times for one in words), *(one.units for one in words), *weekdays, *months])
    return DatePatterns(
        date=re.compile(
            rf"(?P<at>\b(?:{at})\s+)?(?:\b{day.format('before')}\s+(?:(?:{of})\s+)?)?\b(?P<month>{named})\b"
            rf"(?:\s+{day.format('after')}(?!\d))?(?:,?\s+(?P<year>\d{{4}})\b)?"
        ),
        months=months,
        also_words=frozenset(word for one in words for word in one.also_words),
        story_day=re.compile(rf"\b(?:{story_day})[ -](?P<first>\d{{1,6}})(?:\s?(?:-|–|{to})\s?(?P<last>\d{{1,6}}))?\b"),
        past={word: back for one in words for word, back in one.past.items()},
        ago=tuple(re.compile(one.ago) for one in words),
        counts=_numbered(one.counts for one in words),
        last_week=re.compile(rf"\b(?:{either(one.last_week for one in words)})\b"),
        last=either(one.last for one in words),
        tells_time=re.compile(rf"\b(?:{said}|\d{{4}}|\d{{1,2}}\.\s?\d{{1,2}}\.)(?!\w)"),
        tells_number=re.compile(rf"\b(?:\d+|{either(one.numbers for one in words)})\b"),
        asks_time=re.compile(either(one.asks_time for one in words)),
        asks_number=re.compile(either(one.asks_number for one in words)),
    )


def _numbered(tables: Iterable[Iterable[str]]) -> Mapping[str, int]:
    return {word: number for names in tables for number, name in enumerate(names, 1) for word in name.split("|")}
