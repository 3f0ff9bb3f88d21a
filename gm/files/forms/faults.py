"""Faults of JSON that parsers let pass: deep nesting, lone halves of surrogate pairs, keys that stand twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from gm.base.errors import Problem
from gm.files.forms.places import twice
from gm.files.forms.text import place_in

DEEPEST = 200


def is_too_deep(value: Any) -> bool:
    """Return whether lists and objects lie in one another more than ``DEEPEST`` times."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        layer = [item for outer in layer for item in _inside(outer)]
        if not layer:
            return False
    return True


def may_be_too_deep(text: str, start: int = 0, stop: int | None = None) -> bool:
    """Return whether a JSON text may be nested too deeply, by counting brackets; fast, and never wrongly False."""
    return text.count("[", start, stop) + text.count("{", start, stop) > DEEPEST


def _inside(value: Any) -> Iterable[Any]:
    found = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in found if isinstance(item, dict | list)]


HALF_HINT = "take the escape out, or write the whole character"
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<alone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def may_have_halves(text: str) -> bool:
    """Return whether a text has escaped surrogates at all; much faster."""
    return "\\ud" in text or "\\uD" in text


def find_half(text: str) -> int:
    """Find the first surrogate that stands alone: its offset in a text that is JSON, -1 when there is none."""
    return next((match.start() for match in _ESCAPE.finditer(text) if match["alone"]), -1)


def half_message(text: str, at: int) -> str:
    """Return what stands at a place that ``find_half`` has found."""
    return f"{text[at : at + 6]} is half a character: it cannot be written"


def twice_problems(text: str, shown: str, line: int = 1) -> list[Problem]:
    """Name each key that stands in one object of a JSON text twice. ``line`` is the line on which the text begins."""
    doubled = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        data = dict(pairs)
        doubled = doubled or len(data) != len(pairs)
        return data

    json.loads(text, object_pairs_hook=look)
    if not doubled:
        return []
    return [_twice_problem(shown, str(keys[-1]), text, at, line) for keys, at in twice(text)]


def _twice_problem(shown: str, key: str, text: str, at: int, line: int) -> Problem:
    number, column = place_in(text, at)
    message = f"the key {key!r} stands here twice: it is not clear which value is meant"
    return Problem(shown, line + number - 1, column, "error", "key-twice", message, "delete one of the two")
