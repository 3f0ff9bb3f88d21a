"""Values in the documents of other tools, read leniently: what is of another kind than expected counts as empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from gm.api.imports.texts import clean_line, clean_text
from gm.base.errors import UsageError
from gm.base.texts import clip, shown

LONGEST = 8_000
"""Characters of a text; the rest is cut off."""
LONGEST_LINE = 500
MOST_ITEMS = 100
"""Items of a list; the rest is left aside."""
MOST_BITS = 1000
"""Bits of a whole number; a longer one is no text."""
NAME = 80
"""Characters of a name."""


def text_of(value: object) -> str:
    """Return a text, or a number as text, without control characters."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return ""
    if isinstance(value, float) and not isfinite(value):
        return ""
    return clip(clean_text(str(value)[: 2 * LONGEST]), LONGEST)


def line_of(value: object, most: int = LONGEST_LINE) -> str:
    """Return a text as one line of at most so many characters."""
    return clip(clean_line(text_of(value)), most)


def name_of(value: object) -> str:
    """Return the name of a person or a thing: one line."""
    return line_of(value, NAME)


def lines_of(value: object) -> tuple[str, ...]:
    """Return a text, or the texts of a list; of an object in a list, its values."""
    items = items_of(value) if isinstance(value, list) else [value]
    found = (_item_line(item) for item in items[:MOST_ITEMS])
    return tuple(dict.fromkeys(line for line in found if line))


def items_of(value: object) -> list[object]:
    """Return a list; empty for all other values."""
    return value if isinstance(value, list) else []


def object_of(value: object) -> Mapping[str, object]:
    """Return an object with texts as keys; empty for all other values."""
    return {key: item for key, item in value.items() if isinstance(key, str)} if isinstance(value, dict) else {}


def whole_of(value: object, least: int, most: int) -> int | None:
    """Return a number as a whole number within its range; None for all other values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        return None
    return int(value + 0.5)


def need_object(value: object, place: str) -> Mapping[str, object]:
    """Return an object that must be there.

    Args:
        place: The file, and the key in it.

    Raises:
        UsageError: It is something else.
    """
    if not isinstance(value, dict):
        found = "nothing" if value is None else shown_kind(value)
        raise UsageError(f"{place}: found {found}, expected an object {{…}}", "export the file again, or correct it")
    return object_of(value)


def shown_kind(value: object) -> str:
    """Say what a value is, for a message."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return shown(value)


def counted(number: int, one: str, several: str = "") -> str:
    """Return ``1 fact`` or ``1,234 facts``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def too_many(values: Iterable[tuple[str, object]]) -> list[tuple[str, str]]:
    """Return the lists that are longer than ``MOST_ITEMS``, with what is left of them."""
    return [
        (name, f"only the first {MOST_ITEMS} of {len(value):,}")
        for name, value in values
        if isinstance(value, list) and len(value) > MOST_ITEMS
    ]


def _item_line(item: object) -> str:
    if isinstance(item, dict):
        return clip(": ".join(filter(None, (line_of(value) for value in [*item.values()][:4]))), LONGEST_LINE)
    return line_of(item)
