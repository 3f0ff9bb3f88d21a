"""How deep values may lie in one another in a file: what lies deeper overflows one reader or another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

DEEPEST = 200


def is_too_deep(value: Any) -> bool:
    """Tell whether lists and objects lie in one another more than ``DEEPEST`` times."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        layer = [item for outer in layer for item in _inside(outer)]
        if not layer:
            return False
    return True


def may_be_too_deep(text: str, start: int = 0, stop: int | None = None) -> bool:
    """Tell whether a JSON text may be nested too deeply, by counting brackets; much faster, and never wrongly False."""
    return text.count("[", start, stop) + text.count("{", start, stop) > DEEPEST


def _inside(value: Any) -> Iterable[Any]:
    found = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in found if isinstance(item, dict | list)]
