"""Values of files and answers whose types are not known yet: one of another type than wanted counts as nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def object_in(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a text is, and an empty one for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text_at(record: Mapping[str, object], key: str) -> str:
    """Return the text under a key, else ""."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


def items_of(value: object) -> list[Any]:
    """Return a list, and an empty one for any other value."""
    return value if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; none for any other value."""
    return [item for item in items_of(value) if isinstance(item, dict)]


def texts_in(value: object) -> tuple[str, ...]:
    """Return the texts of a list; none for any other value."""
    return tuple(item for item in items_of(value) if isinstance(item, str))


def as_texts(value: object) -> tuple[str, ...]:
    """Return all items of a list as texts; none for any other value."""
    return tuple(map(str, items_of(value)))


def as_list(value: object) -> list[Any]:
    """Return a list as it is, and any other value as a list of one."""
    return value if isinstance(value, list) else [value]


def text_as_list(value: object) -> Any:
    """Return a text as a list of one; any other value unchanged."""
    return [value] if isinstance(value, str) else value


def text_or_null_as_list(value: object) -> object:
    """Return a text as a list of one, None as an empty list; any other value unchanged."""
    return [] if value is None else text_as_list(value)
