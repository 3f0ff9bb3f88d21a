"""The first line in which two files or values differ."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

DEEPEST = 20
"""Keys that lead to a difference, at most: what lies deeper is shown whole."""


@dataclass(frozen=True, slots=True)
class LineDifference:
    """The first differing line of a file or a scene.

    Attributes:
        at: ``line 12``, or the keys that lead there: ``dialogue 3 text``; empty = the whole.
        a: Text, or a value as JSON; None = absent in that run.
    """

    at: str
    a: str | None
    b: str | None


def compare_files(a: bytes | None, b: bytes | None) -> LineDifference | None:
    """Return the first differing line; None for equal files, absent ones, and those that are not text."""
    if a is None or b is None:
        return None
    try:
        one, other = a.decode("utf-8"), b.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return compare_values(one, other)


def compare_values(a: object, b: object, at: tuple[str, ...] = ()) -> LineDifference | None:
    """Return the first difference of two values as JSON has them; ``at`` leads to them. None = they are equal."""
    if a == b:
        return None
    if len(at) > DEEPEST:
        return LineDifference(" ".join(at), _render(a), _render(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _first(compare_values(a.get(key), b.get(key), (*at, str(key))) for key in dict.fromkeys((*a, *b)))
    if isinstance(a, list) and isinstance(b, list):
        return _compare_items(a, b, at)
    if isinstance(a, str) and isinstance(b, str) and "\n" in a + b:
        return _compare_items(a.split("\n"), b.split("\n"), (*at, "line"))
    return LineDifference(" ".join(at), _render(a), _render(b))


def _compare_items(a: Sequence[object], b: Sequence[object], at: tuple[str, ...]) -> LineDifference | None:
    return _first(compare_values(*pair, (*at, str(number))) for number, pair in enumerate(zip_longest(a, b), 1))


def _first(found: Iterable[LineDifference | None]) -> LineDifference | None:
    return next(filter(None, found), None)


def _render(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
