"""JSON faults that parsers accept: deep nesting, lone surrogates, duplicate keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from gm.base.errors import Problem, say
from gm.base.texts import items_of
from gm.files.formats.places import find_duplicates
from gm.files.formats.text import place_in

DEEPEST = 200


def is_too_deep(value: object) -> bool:
    """Return whether containers are nested more than ``DEEPEST`` levels deep."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        layer = [item for outer in layer for item in _values_in(outer)]
        if not layer:
            return False
    return True


def may_be_too_deep(text: str, start: int = 0, stop: int | None = None) -> bool:
    """Return whether JSON may be nested too deeply; fast, never falsely False."""
    return text.count("[", start, stop) + text.count("{", start, stop) > DEEPEST


def _values_in(value: object) -> Iterable[Any]:
    found = value.values() if isinstance(value, dict) else items_of(value)
    return [item for item in found if isinstance(item, dict | list)]


HALF_HINT = "take the escape out, or write the whole character"
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<alone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def may_have_halves(text: str) -> bool:
    """Return whether the text has any escaped surrogate; much faster than ``find_half``."""
    return "\\" in text and ("\\ud" in text or "\\uD" in text)


def find_half(text: str) -> int:
    """Return the offset of the first lone surrogate in a JSON text; -1 if there is none."""
    return next((match.start() for match in _ESCAPE.finditer(text) if match["alone"]), -1)


def half_message(text: str, at: int) -> str:
    """Return the message for a lone surrogate at an offset."""
    return f"{text[at : at + 6]} is half a character: it cannot be written"


def find_duplicate_keys(text: str, shown: str, line: int = 1) -> list[Problem]:
    """Return a problem for each duplicate key of a JSON text that begins on line ``line``."""
    doubled = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        data = dict(pairs)
        doubled = doubled or len(data) != len(pairs)
        return data

    json.loads(text, object_pairs_hook=look)
    if not doubled:
        return []
    return [_report_duplicate_key(shown, str(keys[-1]), text, at, line) for keys, at in find_duplicates(text)]


def _report_duplicate_key(shown: str, key: str, text: str, at: int, line: int) -> Problem:
    number, column = place_in(text, at)
    message = say("the key {key} occurs twice: it is not clear which value is meant", repr(key))
    return Problem(shown, line + number - 1, column, "error", "key-twice", message, "delete one of the two")
