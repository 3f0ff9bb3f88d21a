"""Importance as replies give it: what is plain is read, and what cannot be read counts as left out (S1-10, K7)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gm.model.weighing import IMPORTANCE, WEIGHED
from gm.reply.numbers import numbers_in

LEAST, MOST = 1, 10
MOST_CHARACTERS = 200
THEMES = "themes"


def read_importance(value: object) -> int | None:
    """Read an importance; None when it is not plainly a number from 1 to 10.

    Args:
        value: What stands there: 7; 7.5, which is rounded half up; "7", "7/10", "8 (important)".
    """
    if isinstance(value, str):
        numbers = numbers_in(value) if len(value) <= MOST_CHARACTERS else []
        value = numbers[0] if len(numbers) == 1 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST <= value <= MOST:
        return None
    return math.floor(value + 0.5)


@dataclass(frozen=True, slots=True)
class Settled:
    """The data of a reply, with every importance a whole number from 1 to 10 or None.

    Attributes:
        data: The data.
        read: One sentence for each importance that was read as another value than stands there.
        unusable: One sentence for each that cannot be read and counts as left out, by its place.
    """

    data: dict[str, Any]
    read: tuple[str, ...]
    unusable: Mapping[str, str]


def settle_importance(data: Mapping[str, Any]) -> Settled:
    """Bring the importance of all parts of a reply into form; what cannot be read is taken out, as if left out."""
    settled, read, unusable = dict(data), list[str](), dict[str, str]()

    def settle(item: Any, where: str) -> Any:
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
