"""How sentences name a day, and when in a day something takes place; relative days become the days they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY
from gm.base.languages import HourWords, language_of
from gm.model.thread import HOURS, time_of_day

Found = TypeVar("Found")
BEFORE, AT, AFTER = -1, 0, 1
BEGINS: Mapping[str, int] = {word: 60 * hour for word, hour in HOURS.items()}
"""The minute at which each time of day begins."""
_HALF_DAY = 12 * 60
_WORDS_OF_A_THING = 3
_THING = rf"(?P<what>\w[\w&-]*(?:\s+\w[\w&-]*){{0,{_WORDS_OF_A_THING - 1}}})"
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
class Anchor:
    """What a text takes place before or after.

    Attributes:
        what: Its first words.
        relation: ``BEFORE`` or ``AFTER`` it.
        minute: Of the day, where a clock time stands right behind it ("after the rehearsal at three").
    """

    what: str
    relation: int
    minute: int | None = None


def read_hour(text: str, language: str, part: str = "") -> Hour | None:
    """Return the point of the day that a text names; None where it names none.

    The clock comes before a meal, that before "first thing", that before a part of the day. ``part``: the known time of
    day, which tells whether four is early or late.
    """
    known = language_of(language).hours
    if known is None:
        return None
    said = casefold(" ".join(text.split()))
    named = _find(known, said, known.parts)
    part = part or (named[0] if named else "")
    for _, hour, relation in _clocks(known, said):
        return Hour(_shift_to_afternoon(hour, part), relation, is_clock=True)
    if meal := _find(known, said, known.meals):
        return Hour(meal[0], meal[1])
    if re.search(known.first, said):
        return Hour(BEGINS[part or TIMES_OF_DAY[0]])
    return Hour(BEGINS[named[0]], named[1]) if named else None


def read_anchor(text: str, language: str, part: str = "") -> Anchor | None:
    """Return what a text takes place before or after ("after the rehearsal"); None without.

    ``part``: as for ``read_hour``.
    """
    known = language_of(language).hours
    said = casefold(" ".join(text.split()))
    found = re.search(known.anchor + _THING, said) if known else None
    if known is None or found is None:
        return None
    rest = said[found.start("what") :]
    start, hour, relation = next(_clocks(known, rest), (len(rest), 0, AT))
    is_its_own = start < len(rest) and relation == AT and len(rest[:start].split()) <= _WORDS_OF_A_THING
    minute = _shift_to_afternoon(hour, part) if is_its_own else None
    return Anchor(found["what"], known.relations[found["rel"]], minute)


def _shift_to_afternoon(minute: int, part: str) -> int:
    first = _FIRST_OF_A_MORNING if part == TIMES_OF_DAY[0] else _FIRST_OF_THE_DAY
    is_early = minute < first * 60
    is_late = part in TIMES_OF_DAY[2:] and minute < _HALF_DAY
    return minute + _HALF_DAY if is_early or is_late else minute


def _clocks(known: HourWords, said: str) -> Iterator[tuple[int, int, int]]:
    # where each clock time begins, its minute and relation
    numbers = known.numbers.split()
    found = (match for one in known.clocks for match in _clock(known, one).finditer(said))
    for match in sorted(found, key=re.Match.start):
        values = match.groupdict("")
        hour = numbers.index(values["hour"]) + 1 if values["hour"] in numbers else int(values["hour"])
        minute = int(values.get("minute") or 0) + known.beside.get(values.get("beside", ""), 0)
        late = 12 if casefold(values.get("half_day", "")).startswith("p") and hour < 12 else 0
        if hour + late < 24:
            yield match.start(), (hour + late) * 60 + minute, known.relations.get(values["rel"], AT)


def _clock(known: HourWords, pattern: str) -> re.Pattern[str]:
    parts = {
        "{by}": rf"\b(?P<rel>{known.before})\s+",
        "{hour}": rf"(?P<hour>\d{{1,2}}|{'|'.join(known.numbers.split())})\b",
        "{end}": rf"(?={known.end}|\s+(?:{'|'.join(known.ends.split())})\b)",
    }
    for name, part in parts.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)


def _find(known: HourWords, said: str, table: Mapping[str, Found]) -> tuple[Found, int] | None:
    for words, found in table.items():
        if match := re.search(rf"(?:(?<!\w)(?P<rel>{'|'.join(known.relations)})\s+(?:\w+\s+)?)?(?:{words})", said):
            return found, known.relations.get(match["rel"], AT)
    return None
