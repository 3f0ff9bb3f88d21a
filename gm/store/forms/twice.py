"""A key that stands in one JSON object twice: readers differ in which value they take, so it cannot be read."""

from __future__ import annotations

import json
from typing import Any

from gm.errors import Problem
from gm.store.forms.places import twice
from gm.store.forms.text import place_in


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
