"""When in a day something takes place, as a sentence says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY
from gm.model.thread import time_of_day

Found = TypeVar("Found")
BEFORE, AT, AFTER = -1, 0, 1
BEGINS: Mapping[str, int] = {"morning": 0, "noon": 11 * 60, "afternoon": 14 * 60, "evening": 18 * 60}
"""The minute at which each time of day begins."""
_HALF_DAY = 12 * 60
_FIRST_OF_THE_DAY, _FIRST_OF_A_MORNING = 7, 5
"""The hour below which a clock time is meant for the afternoon; the second one where a morning is named."""


@dataclass(frozen=True, slots=True)
class Hour:
    """A point of a day.

    Attributes:
        minute: Of the day, from 0.
        relation: ``BEFORE`` it, ``AT`` it or ``AFTER`` it.
        is_clock: Whether it was said by the clock.
    """

    minute: int
    relation: int = AT
    is_clock: bool = False

    @property
    def order(self) -> int:
        return max(0, self.minute + self.relation)

    @property
    def part(self) -> str:
        return time_of_day(self.clock)

    @property
    def clock(self) -> str:
        return f"{self.order // 60:02d}:{self.order % 60:02d}"


@dataclass(frozen=True, slots=True)
class _Language:
    # Patterns of case-folded texts, with the groups ``rel``, ``hour``, ``minute``.
    clocks: Sequence[re.Pattern[str]]
    numbers: Sequence[str]
    relations: Mapping[str, int]
    meals: Mapping[str, int]
    parts: Mapping[str, str]
    first: re.Pattern[str]
    anchor: re.Pattern[str]


def read_hour(text: str, language: str, part: str = "") -> Hour | None:
    """Return the point of the day that a text names, in German or English; None where it names none.

    The clock comes before a meal, that before "first thing", that before a part of the day. ``part``: the known time of
    day, which tells whether four is early or late.
    """
    known = _LANGUAGES.get(language)
    if known is None:
        return None
    said = casefold(" ".join(text.split()))
    named = _find(known, said, known.parts)
    part = part or (named[0] if named else "")
    for hour, relation in _clocks(known, said):
        return Hour(_late(hour, part), relation, is_clock=True)
    if meal := _find(known, said, known.meals):
        return Hour(meal[0], meal[1])
    if known.first.search(said):
        return Hour(BEGINS[part or TIMES_OF_DAY[0]])
    return Hour(BEGINS[named[0]], named[1]) if named else None


def read_anchor(text: str, language: str) -> tuple[str, int] | None:
    """Return what a text takes place before or after ("after the rehearsal"), and which; None without."""
    known = _LANGUAGES.get(language)
    found = known.anchor.search(casefold(" ".join(text.split()))) if known else None
    return (found["what"], known.relations[found["rel"]]) if known and found else None


def _late(minute: int, part: str) -> int:
    first = _FIRST_OF_A_MORNING if part == TIMES_OF_DAY[0] else _FIRST_OF_THE_DAY
    is_early = minute < first * 60
    is_late = part in TIMES_OF_DAY[2:] and minute < _HALF_DAY
    return minute + _HALF_DAY if is_early or is_late else minute


def _clocks(known: _Language, said: str) -> Iterator[tuple[int, int]]:
    found = sorted((match for one in known.clocks for match in one.finditer(said)), key=lambda match: match.start())
    for match in found:
        values = match.groupdict("")
        hour = known.numbers.index(values["hour"]) + 1 if values["hour"] in known.numbers else int(values["hour"])
        minute = int(values.get("minute") or 0)
        minute += {"half": 30, "quarter": 15}.get(_BESIDE.get(values.get("past", ""), ""), 0)
        minute -= {"half": 30, "quarter": 15}.get(_BESIDE.get(values.get("to", ""), ""), 0)
        late = 12 if casefold(values.get("half_day", "")).startswith("p") and hour < 12 else 0
        if hour + late < 24:
            yield (hour + late) * 60 + minute, known.relations.get(values["rel"], AT)


_BESIDE = {
    "half past": "half",
    "quarter past": "quarter",
    "viertel nach": "quarter",
    "halb": "half",
    "viertel vor": "quarter",
    "quarter to": "quarter",
}


def _find(known: _Language, said: str, table: Mapping[str, Found]) -> tuple[Found, int] | None:
    for words, found in table.items():
        if match := re.search(rf"(?:(?<!\w)(?P<rel>{'|'.join(known.relations)})\s+(?:\w+\s+)?)?(?:{words})", said):
            return found, known.relations.get(match["rel"], AT)
    return None


_GERMAN_NUMBERS = ("eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
_ENGLISH_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_GERMAN_HOUR, _ENGLISH_HOUR = (
    rf"(?P<hour>\d{{1,2}}|{'|'.join(words)})\b" for words in (_GERMAN_NUMBERS, _ENGLISH_NUMBERS)
)
_GERMAN_BY, _ENGLISH_BY = (
    r"\b(?P<rel>um|bis|vor|nach|gegen|ab)\s+",
    r"\b(?P<rel>at|by|until|till|before|after|around)\s+",
)
# a number without "Uhr" is a clock time only where nothing is counted: "um zwei in der Küche", and not "um zwei Meter"
_GERMAN_END = (
    r"(?=\s+uhr\b|\s*(?:[.,;:!?)»«\"]|$)|\s+(?:abends|alle|allein|am|an|auf|aus|bei|beim|bis|bringe|bringt|da\w*|dem|den|der|die|dort|draussen"
    r"|drinnen|du|durch|ein|eine|er|es|etwas|euch|früh|für|gebe|gehe|gehen|geht|gemeinsam|gibt|heute|hier|hin\w*|hole|holt|ich|ihm|ihn|ihr|ihre|im|in|ins"
    r"|ist|komme|kommt|lese|lesen|liest|mit|mittags|morgens|nach|nachmittags|noch|ob|oben|ohne|reden|redet|sage|sagt|sein|seine|sich|sie|sind|spielen"
    r"|spielt|sprechen|spricht|treffen|trifft|um|und|uns|unten|von|vor|was|wegen|wie|wieder|wir|zeige|zeigt|zu|zum|zur|zusammen|zweit|über)\b)"
)
_ENGLISH_END = (
    r"(?=\s*(?:[.,;:!?)\"]|$|o['’]clock\b|(?P<half_day>[ap])\.?m\b)|\s+(?:about|again|and|at|before|by|for|from|he|her|his|in|it"
    r"|on|outside|over|sharp|she|so|the|their|they|this|to|today|together|tonight|under|upstairs|we|what|when|where|with)\b)"
)
_THING = r"(?P<what>\w[\w&-]*(?:\s+\w[\w&-]*){0,2})"
_LANGUAGES: Mapping[str, _Language] = {
    "de": _Language(
        clocks=(
            re.compile(
                r"(?:\b(?P<rel>um|bis|vor|nach|gegen|ab)\s+)?(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)\b(?!\.?\d)"
            ),
            re.compile(rf"(?:{_GERMAN_BY}(?:\w+\s+)?)?\b{_GERMAN_HOUR}(?=\s+uhr\b)"),
            re.compile(
                _GERMAN_BY + r"(?:(?P<to>halb|viertel vor)\s+|(?P<past>viertel nach)\s+)?" + _GERMAN_HOUR + _GERMAN_END
            ),
        ),
        numbers=_GERMAN_NUMBERS,
        relations={"bis": BEFORE, "vor": BEFORE, "bevor": BEFORE, "nach": AFTER, "nachdem": AFTER, "ab": AT, "um": AT},
        meals={
            r"frühstück": 8 * 60,
            r"mittagessen|mittagspause|mittagstisch": 12 * 60 + 30,
            r"kaffeepause|nachmittagskaffee": 15 * 60 + 30,
            r"feierabend|heimweg": 17 * 60 + 30,
            r"abendessen|abendbrot": 19 * 60,
        },
        parts={
            r"nachmittags?\b": "afternoon",
            r"vormittags?\b|\bmorgens\b|(?:tag|woch)morgen\b|\bam morgen\b|(?:tag|woch) früh\b": "morning",
            r"(?<![\w-])(?:\w*(?:tag|woch))?mittags?\b": "noon",
            r"(?<![\w-])(?:\w*(?:tag|woch))?abends?\b|(?:tag|woch)nacht\b|\bnachts\b": "evening",
        },
        first=re.compile(r"\b(?:als (?:aller)?erstes|gleich früh|in aller frühe)\b"),
        anchor=re.compile(r"\b(?P<rel>vor|nach)\s+(?:dem|der|den|unser\w*|eurem|eurer|ihr\w*)\s+" + _THING),
    ),
    "en": _Language(
        clocks=(
            re.compile(
                rf"(?:{_ENGLISH_BY})?"
                r"(?P<hour>\d{1,2})[:.](?P<minute>[0-5]\d)\b(?!\.?\d)"
                r"(?:\s*(?P<half_day>[ap])\.?m\b)?"
            ),
            re.compile(rf"(?:{_ENGLISH_BY})?" r"\b(?P<hour>\d{1,2})\s*(?P<half_day>[ap])\.?m\b"),
            re.compile(
                _ENGLISH_BY
                + r"(?:(?P<past>half past|quarter past)\s+|(?P<to>quarter to)\s+)?"
                + _ENGLISH_HOUR
                + _ENGLISH_END
            ),
        ),
        numbers=_ENGLISH_NUMBERS,
        relations={"by": BEFORE, "until": BEFORE, "till": BEFORE, "before": BEFORE, "after": AFTER, "at": AT},
        meals={
            r"\bbreakfast": 8 * 60,
            r"\blunch": 12 * 60 + 30,
            r"\bcoffee break|\bafternoon tea": 15 * 60 + 30,
            r"\b(?:end of the day|going home)": 17 * 60 + 30,
            r"\b(?:dinner|supper)": 19 * 60,
        },
        parts={
            r"\bafternoon\b": "afternoon",
            r"\bmorning\b": "morning",
            r"\b(?:noon|midday)\b": "noon",
            r"\b(?:evening|tonight|night)\b": "evening",
        },
        first=re.compile(r"\bfirst thing\b"),
        anchor=re.compile(r"\b(?P<rel>before|after)\s+(?:the|our|their|his|her)\s+" + _THING),
    ),
}
