"""Importance in replies: plain numbers are read, everything else counts as missing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gm.model.weighing import IMPORTANCE, WEIGHED

LEAST, MOST = 1, 10
MOST_CHARACTERS = 200
THEMES = "themes"


def read_importance(value: object) -> int | None:
    """Return an importance; None when the value is not plainly a number from 1 to 10.

    Args:
        value: 7; 7.5, which is rounded half up; "7", "7/10", "8 (important)".
    """
    if isinstance(value, str):
        numbers = numbers_in(value) if len(value) <= MOST_CHARACTERS else []
        value = numbers[0] if len(numbers) == 1 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST <= value <= MOST:
        return None
    return math.floor(value + 0.5)


@dataclass(frozen=True, slots=True)
class Settled:
    """The data of a reply, with every importance an integer from 1 to 10 or None.

    Attributes:
        read: A sentence for each one read as another value.
        unusable: By place, a sentence for each that counts as missing.
    """

    data: dict[str, object]
    read: tuple[str, ...]
    unusable: Mapping[str, str]


def settle_importance(data: Mapping[str, object]) -> Settled:
    """Normalise the importance of all parts of a reply; unreadable ones count as missing."""
    settled, read, unusable = dict(data), list[str](), dict[str, str]()

    def settle(item: object, where: str) -> object:
        if not isinstance(item, dict) or item.get(IMPORTANCE) is None:
            return item
        given, place = item[IMPORTANCE], f"{where}.{IMPORTANCE}"
        found = read_importance(given)
        if found is None:
            unusable[place] = f"{place}: {_shown(given)} is no number from {LEAST} to {MOST}; taken as left out"
        elif found != given:
            read.append(f"{place}: {_shown(given)} read as {found}")
        return {**item, IMPORTANCE: found}

    for key in (*WEIGHED, THEMES):
        value = data.get(key)
        if isinstance(value, list):
            settled[key] = [settle(item, f"{key}.{number}") for number, item in enumerate(value)]
        elif isinstance(value, dict):
            settled[key] = settle(value, key)
    return Settled(settled, tuple(read), unusable)


def _shown(value: object) -> str:
    return repr(value)[:80] if isinstance(value, str | int | float) else type(value).__name__


# repetitions with overlapping alternatives are bounded: a looping model writes a million asterisks
VALUE = r"[*_`]{0,4}(?P<value>-?\d+(?:[.,]\d+)?)[*_`]{0,4}(?:\s*/\s*10)?"
# the scale itself, which a rating may mention: "1 to 10", "/10", "out of 10"
_SCALE = re.compile(r"\b1\s*(?:bis|to|–|—|-|…|\.\.\.?)\s*10\b|(?:/|\bvon|\bof)\s*10\b", re.IGNORECASE)
# not a part of a word, of an id (vera-012) or of a longer number
_NUMBER = re.compile(r"(?<![\w.,/-])-?\d+(?:[.,]\d+)?(?![\w/]|[.,]\d|-\w)")
_ALONE = re.compile(rf"\W{{0,40}}?{VALUE}\s*\.?")


def numbers_in(text: str) -> list[int | float]:
    """Return the distinct numbers of a text that may be a rating; those alone on a line take precedence."""
    alone = [match["value"] for line in text.splitlines() if (match := _ALONE.fullmatch(line.strip()))]
    numbers = alone or _NUMBER.findall(_SCALE.sub(" ", text))
    return list(dict.fromkeys(number_of(item) for item in numbers))


def number_of(text: str) -> int | float:
    """Parse a number with a decimal point or comma."""
    value = float(text.replace(",", "."))
    return int(value) if value.is_integer() else value
