"""Days in a text, and whether it asks for or tells a time or a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from gm.base.casefold import casefold
from gm.base.languages import all_languages, either
from gm.model.calendar import weekday

_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)")
TIME, NUMBER = 1, 2
"""What a memory names, or a question asks for; two bits, so that one number says both."""
_DOTTED = re.compile(r"\b(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?:\s?(?P<year>\d{4})\b)?")


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
    months = _number_names(one.months for one in words)
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
        counts=_number_names(one.counts for one in words),
        last_week=re.compile(rf"\b(?:{either(one.last_week for one in words)})\b"),
        last=either(one.last for one in words),
        tells_time=re.compile(rf"\b(?:{said}|\d{{4}}|\d{{1,2}}\.\s?\d{{1,2}}\.)(?!\w)"),
        tells_number=re.compile(rf"\b(?:\d+|{either(one.numbers for one in words)})\b"),
        asks_time=re.compile(either(one.asks_time for one in words)),
        asks_number=re.compile(either(one.asks_number for one in words)),
    )


def _number_names(tables: Iterable[Iterable[str]]) -> Mapping[str, int]:
    return {word: number for names in tables for number, name in enumerate(names, 1) for word in name.split("|")}


@dataclass(frozen=True, slots=True)
class NamedDays:
    """Days that a question names.

    Attributes:
        first: A story day, or an ordinal of the real calendar.
        real: Whether they are days of the real calendar.
        every_year: A date without its year: ``first`` and ``last`` are month · 100 + day.
    """

    first: int
    last: int
    real: bool = False
    every_year: bool = False
    text: str = ""

    def gap(self, day: int) -> float:
        """Return the days between a day and the span.

        Days before it weigh more: people rarely tell things before they happen.
        """
        if self.every_year:
            year = year_of(day)
            return min(self._in_year(near).gap(day) for near in (max(1, year - 1), year, year + 1))
        return float(self.first - day) if day < self.first else max(0, day - self.last) * AFTER

    def _in_year(self, year: int) -> NamedDays:
        first, last = (
            ordinal(year, date // 100, min(date % 100, _length(year, date // 100))) for date in (self.first, self.last)
        )
        return NamedDays(first, last, real=True)


AFTER = 0.6
"""Weight of a day after a named date, against 1 before it."""


def find_spans(question: str, today: int = 0, weekdays: Sequence[str] = ()) -> tuple[NamedDays, ...]:
    """Return the days that a question names.

    Args:
        today: The story day; 0 = unknown, then nothing is counted from it.
        weekdays: The story's, by name.
    """
    text = casefold(question)
    return (*_story_days(text, today, weekdays), *_real_days(text))


def without(question: str, spans: Sequence[NamedDays]) -> str:
    """Return a question without the words that count story days."""
    text = casefold(question)
    for span in spans:
        if not span.real:
            text = text.replace(span.text, " ")
    return text


def ordinal_of(text: str) -> int:
    """Return the ordinal of an ISO date (``2023-05-08``, also with a time behind it), or 0."""
    match = _ISO.match(text)
    return ordinal(int(match["year"]), int(match["month"]), int(match["day"])) if match else 0


def ordinal(year: int, month: int, day: int) -> int:
    """Return a Gregorian day as ``datetime.date.toordinal``; 0 for no such day."""
    if not 1 <= month <= 12 or not 1 <= day <= _length(year, month) or year < 1:
        return 0
    before = year - 1
    return 365 * before + before // 4 - before // 100 + before // 400 + _count_days_before(year, month) + day


def year_of(number: int) -> int:
    """Return the year of an ordinal."""
    year = number * 400 // 146_097 + 1
    while year > 1 and ordinal(year, 1, 1) > number:
        year -= 1
    while ordinal(year + 1, 1, 1) <= number:
        year += 1
    return year


def _length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _count_days_before(year: int, month: int) -> int:
    return sum(_length(year, earlier) for earlier in range(1, month))


def _story_days(text: str, today: int, weekdays: Sequence[str]) -> Iterator[NamedDays]:
    known = date_patterns()
    for match in known.story_day.finditer(text):
        first = int(match["first"])
        yield NamedDays(first, max(first, int(match["last"] or first)), text=match[0])
    if today <= 0:
        return
    for word, back in known.past.items():
        if re.search(rf"\b{word}\b", text):
            yield NamedDays(max(1, today - back), max(1, today - back), text=word)
    for match in chain.from_iterable(ago.finditer(text) for ago in known.ago):
        said = match["count"]
        back = int(said) if said.isdecimal() and len(said) < 7 else known.counts.get(said, 0)
        if back:
            yield NamedDays(max(1, today - back), max(1, today - back), text=match[0])
    for match in known.last_week.finditer(text):
        week = len(weekdays) or 7
        monday = (today - 1) // week * week + 1 - week
        if monday > 0:
            yield NamedDays(monday, monday + week - 1, text=match[0])
    yield from _weekdays(text, today, weekdays)


def _weekdays(text: str, today: int, names: Sequence[str]) -> Iterator[NamedDays]:
    last = date_patterns().last
    for name in dict.fromkeys(names):
        match = re.search(rf"\b(?:(?:{last})\s+){{0,2}}{re.escape(casefold(name))}\b", text)
        if match:
            for day in range(today - 1, max(0, today - 1 - len(names)), -1):
                if weekday(day, names) == name:
                    yield NamedDays(day, day, text=match[0])
                    break


def _real_days(text: str) -> Iterator[NamedDays]:
    for match in _ISO.finditer(text):
        yield from _make_real_days(int(match["year"]), int(match["month"]), int(match["day"]), match[0])
    for match in _DOTTED.finditer(text):
        yield from _make_real_days(int(match["year"] or 0), int(match["month"]), int(match["day"]), match[0])
    known = date_patterns()
    for match in known.date.finditer(text):
        day = int(match["before"] or match["after"] or 0)
        year = int(match["year"] or 0)
        if match["month"] in known.also_words and not (day or year or match["at"]):
            continue
        yield from _make_real_days(year, known.months[match["month"]], day, match[0])


def _make_real_days(year: int, month: int, day: int, text: str) -> Iterator[NamedDays]:
    within = year or 4  # a leap year
    if not ordinal(within, month, day or 1):
        return
    first, last = day or 1, day or _length(within, month)
    if year:
        yield NamedDays(ordinal(year, month, first), ordinal(year, month, last), real=True, text=text)
    else:
        yield NamedDays(100 * month + first, 100 * month + last, real=True, every_year=True, text=text)


def tells_of(text: str) -> int:
    """Return what a memory names: ``TIME``, ``NUMBER``, their sum, or 0."""
    known, folded = date_patterns(), casefold(text)
    time = TIME if known.tells_time.search(folded) else 0
    number = NUMBER if known.tells_number.search(folded) else 0
    return time + number


def find_wanted(question: str) -> int:
    """Return what a question asks for: ``TIME``, ``NUMBER``, or 0 for neither."""
    known, folded = date_patterns(), casefold(question)
    if known.asks_time.search(folded):
        return TIME
    return NUMBER if known.asks_number.search(folded) else 0
