"""Days in a text, and whether it asks for or tells a time or a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gm.base.casefold import casefold
from gm.model.calendar import weekday

MONTHS = (
    ("january", "januar", "jänner"),
    ("february", "februar"),
    ("march", "märz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
_NUMBER_WORDS = (
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"),
)
_NUMBERS = {word: value for words in _NUMBER_WORDS for value, word in enumerate(words, 1)} | {"a": 1, "einem": 1}
_MONTH_OF = {name: number for number, names in enumerate(MONTHS, 1) for name in names}
_NAMED = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_ALSO_A_WORD = {"may", "march"}  # of English; they name a month beside a number or after one of these
_AT = r"(?:in|during|of|on|since|until|before|after|by|last|this)"
_DAY = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th|\.)?"
_DATE = re.compile(
    rf"(?P<at>\b{_AT}\s+)?(?:\b{_DAY.format('before')}\s+(?:of\s+)?)?\b(?P<month>{_NAMED})\b"
    rf"(?:\s+{_DAY.format('after')}(?!\d))?(?:,?\s+(?P<year>\d{{4}})\b)?"
)
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)")
_DOTTED = re.compile(r"\b(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?:\s?(?P<year>\d{4})\b)?")
_STORY_DAY = re.compile(
    r"\b(?:day|tag|tages|tage)[ -](?P<first>\d{1,6})(?:\s?(?:-|–|to|bis|until)\s?(?P<last>\d{1,6}))?\b"
)
_AGO = re.compile(r"\bvor (?P<de>\w+) tag(?:en)?\b|\b(?P<en>\w+) days? ago\b")
_LAST_WEEK = re.compile(r"\b(?:letzte[nr]? woche|vorige[nr]? woche|last week)\b")
_NEAR = {"vorgestern": 2, "gestern": 1, "yesterday": 1, "heute": 0, "today": 0}
_LAST = r"\b(?:(?:am|on|letzte[nr]?|vorige[nr]?|last)\s+){{0,2}}{0}\b"


@dataclass(frozen=True, slots=True)
class DaySpan:
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

    def _in_year(self, year: int) -> DaySpan:
        first, last = (
            ordinal(year, date // 100, min(date % 100, _length(year, date // 100))) for date in (self.first, self.last)
        )
        return DaySpan(first, last, real=True)


AFTER = 0.6
"""Weight of a day after a named date, against 1 before it."""


def find_spans(question: str, today: int = 0, weekdays: Sequence[str] = ()) -> tuple[DaySpan, ...]:
    """Return the days that a German or English question names.

    Args:
        today: The story day; 0 = unknown, then nothing is counted from it.
        weekdays: The story's, by name.
    """
    text = casefold(question)
    return (*_story_days(text, today, weekdays), *_real_days(text))


def without(question: str, spans: Sequence[DaySpan]) -> str:
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
    return 365 * before + before // 4 - before // 100 + before // 400 + _before(year, month) + day


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


def _before(year: int, month: int) -> int:
    return sum(_length(year, earlier) for earlier in range(1, month))


def _story_days(text: str, today: int, weekdays: Sequence[str]) -> Iterator[DaySpan]:
    for match in _STORY_DAY.finditer(text):
        first = int(match["first"])
        yield DaySpan(first, max(first, int(match["last"] or first)), text=match[0])
    if today <= 0:
        return
    for word, back in _NEAR.items():
        if re.search(rf"\b{word}\b", text):
            yield DaySpan(max(1, today - back), max(1, today - back), text=word)
    for match in _AGO.finditer(text):
        said = match["de"] or match["en"]
        back = int(said) if said.isdecimal() and len(said) < 7 else _NUMBERS.get(said, 0)
        if back:
            yield DaySpan(max(1, today - back), max(1, today - back), text=match[0])
    for match in _LAST_WEEK.finditer(text):
        week = len(weekdays) or 7
        monday = (today - 1) // week * week + 1 - week
        if monday > 0:
            yield DaySpan(monday, monday + week - 1, text=match[0])
    yield from _weekdays(text, today, weekdays)


def _weekdays(text: str, today: int, names: Sequence[str]) -> Iterator[DaySpan]:
    for name in dict.fromkeys(names):
        match = re.search(_LAST.format(re.escape(casefold(name))), text)
        if match:
            for day in range(today - 1, max(0, today - 1 - len(names)), -1):
                if weekday(day, names) == name:
                    yield DaySpan(day, day, text=match[0])
                    break


def _real_days(text: str) -> Iterator[DaySpan]:
    for match in _ISO.finditer(text):
        yield from _real(int(match["year"]), int(match["month"]), int(match["day"]), match[0])
    for match in _DOTTED.finditer(text):
        yield from _real(int(match["year"] or 0), int(match["month"]), int(match["day"]), match[0])
    for match in _DATE.finditer(text):
        day = int(match["before"] or match["after"] or 0)
        year = int(match["year"] or 0)
        if match["month"] in _ALSO_A_WORD and not (day or year or match["at"]):
            continue
        yield from _real(year, _MONTH_OF[match["month"]], day, match[0])


def _real(year: int, month: int, day: int, text: str) -> Iterator[DaySpan]:
    within = year or 4  # a leap year
    if not ordinal(within, month, day or 1):
        return
    first, last = day or 1, day or _length(within, month)
    if year:
        yield DaySpan(ordinal(year, month, first), ordinal(year, month, last), real=True, text=text)
    else:
        yield DaySpan(100 * month + first, 100 * month + last, real=True, every_year=True, text=text)


TIME, NUMBER = 1, 2
_UNITS = "tage?s?n?|wochen?|monate?n?|jahre?n?|stunden?|days?|weeks?|months?|years?|hours?|weekend|wochenende"
_DAYS = (
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_MONTH_NAMES = "|".join(name for names in MONTHS for name in names)
_SAID = (
    "gestern|vorgestern|heute|übermorgen|neulich|kürzlich|seit|letzte[nrsm]?|vorige[nrsm]?|nächste[nrsm]?|abends|mittags|"
    "morgens|yesterday|today|tomorrow|tonight|recently|ago|since|last|next|morning"
)
_COUNTED = (
    "zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dutzend|einmal|zweimal|dreimal|mehrere|paar|"
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|several|couple|few"
)
_TELLS_TIME = re.compile(rf"\b(?:{_SAID}|{_UNITS}|{_DAYS}|{_MONTH_NAMES}|\d{{4}}|\d{{1,2}}\.\s?\d{{1,2}}\.)(?!\w)")
_TELLS_NUMBER = re.compile(rf"\b(?:\d+|{_COUNTED})\b")
_ASKS_TIME = re.compile(
    r"^\W*(?:(?:seit|bis|since|until|by) )?(?:wann|when)\b|\b(?:wie lange|how long)\b"
    r"|\b(?:welche[mnrs]?|what|which) (?:tag|woche|monat|jahr|datum|date|day|week|month|year)\b"
)
_ASKS_NUMBER = re.compile(r"\b(?:wie viele?|wieviele?|wie oft|wie alt|how many|how much|how often|how old)\b")


def tells_of(text: str) -> int:
    """Return what a memory names: ``TIME``, ``NUMBER``, their sum, or 0."""
    folded = casefold(text)
    return TIME * bool(_TELLS_TIME.search(folded)) + NUMBER * bool(_TELLS_NUMBER.search(folded))


def wanted_by(question: str) -> int:
    """Return what a German or English question asks for: ``TIME``, ``NUMBER``, or 0 for neither."""
    folded = casefold(question)
    if _ASKS_TIME.search(folded):
        return TIME
    return NUMBER if _ASKS_NUMBER.search(folded) else 0
