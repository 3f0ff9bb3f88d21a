"""Numbers on the scale of importance, in the text of somebody who was asked for one."""

from __future__ import annotations

import re

# every repetition that another could take over is bounded: a looping model writes a million asterisks
VALUE = r"[*_`]{0,4}(?P<value>-?\d+(?:[.,]\d+)?)[*_`]{0,4}(?:\s*/\s*10)?"
# the scale itself, which a rating may mention: "1 to 10", "/10", "out of 10"
_SCALE = re.compile(r"\b1\s*(?:bis|to|–|—|-|…|\.\.\.?)\s*10\b|(?:/|\bvon|\bof)\s*10\b", re.IGNORECASE)
# not a part of a word, of an id (vera-012) or of a longer number
_NUMBER = re.compile(r"(?<![\w.,/-])-?\d+(?:[.,]\d+)?(?![\w/]|[.,]\d|-\w)")
_ALONE = re.compile(rf"\W{{0,40}}?{VALUE}\s*\.?")


def numbers_in(text: str) -> list[int | float]:
    """Find the different numbers of a text that may be a rating; those that stand alone on a line come first."""
    alone = [match["value"] for line in text.splitlines() if (match := _ALONE.fullmatch(line.strip()))]
    numbers = alone or _NUMBER.findall(_SCALE.sub(" ", text))
    return list(dict.fromkeys(number_of(item) for item in numbers))


def number_of(text: str) -> int | float:
    """Read a number, with a point or a comma."""
    value = float(text.replace(",", "."))
    return int(value) if value.is_integer() else value
