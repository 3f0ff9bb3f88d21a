"""Lines of files that become others, with the words that change marked: what a form shows before it writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gm.tools.confirm import LineChange
from gm.tools.views.worddiff import Segments, mark_words, merge_words, whole


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a file, from 1, in segments."""

    number: int
    segments: Segments


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value that changes, by its key: what goes and what is added in one text."""

    name: str
    segments: Segments


@dataclass(frozen=True, slots=True)
class ShownChange:
    """Lines that become others.

    Attributes:
        path: Path inside the world.
        line: Where they begin, from 1.
        before: As they stand; none = lines are added.
        after: As they would stand; none = lines go.
        values: What changes, where one record becomes another; else none.
    """

    path: str
    line: int
    before: tuple[ShownLine, ...]
    after: tuple[ShownLine, ...]
    values: tuple[ShownValue, ...] = ()


def show_changes(changes: Sequence[LineChange]) -> tuple[ShownChange, ...]:
    """Mark the words that change; lines are held against each other one by one."""
    return tuple(_show(change) for change in changes)


def _show(change: LineChange) -> ShownChange:
    marked = [mark_words(old, new) for old, new in zip(change.before, change.after, strict=False)]
    # where lines are added or go as well, the first ones belong together, and the rest is new or gone
    before = [old for old, _ in marked] + [whole(text, "del") for text in change.before[len(marked) :]]
    after = [new for _, new in marked] + [whole(text, "ins") for text in change.after[len(marked) :]]
    is_one = len(change.before) == len(change.after) == 1
    values = _values(change.before[0], change.after[0]) if is_one else ()
    return ShownChange(change.path, change.line, _numbered(before, change.line), _numbered(after, change.line), values)


def _values(before: str, after: str) -> tuple[ShownValue, ...]:
    try:
        old, new = json.loads(before), json.loads(after)
    except (ValueError, RecursionError):
        return ()
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return ()
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return tuple(ShownValue(key, merge_words(_spoken(old.get(key)), _spoken(new.get(key)))) for key in changed)


def _spoken(value: object) -> str:
    """Write a value without the signs of its format, as far as it goes."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _numbered(lines: Sequence[Segments], first: int) -> tuple[ShownLine, ...]:
    return tuple(ShownLine(first + at, segments) for at, segments in enumerate(lines))
