"""Which words of a line have changed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from gm.tools.confirm import LineChange

_WORDS = re.compile(r"\w+\s?|\s+|[^\w\s]\s?")
MOST_WORDS = 6000
"""Words between the first and the last change up to which each is looked for; of more, all have changed."""
ALL_LOOKED_FOR = 400
"""Up to so many words, frequent ones too are looked for elsewhere, which takes the square of their number."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Attributes:
        text: The piece.
        mark: ``del`` when only the text before has it, ``ins`` when only the text after has it, else empty.
    """

    text: str
    mark: str = ""


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a file, from 1, in pieces."""

    number: int
    pieces: Pieces


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value that changes, by its key: what goes and what is added in one text."""

    name: str
    pieces: Pieces


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
    before = [old for old, _ in marked] + [_whole(text, "del") for text in change.before[len(marked) :]]
    after = [new for _, new in marked] + [_whole(text, "ins") for text in change.after[len(marked) :]]
    is_one = len(change.before) == len(change.after) == 1
    values = _values(change.before[0], change.after[0]) if is_one else ()
    return ShownChange(change.path, change.line, _numbered(before, change.line), _numbered(after, change.line), values)


def mark_words(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Split two versions of a text into pieces, and mark those that the other one lacks."""
    pieces = merge_words(before, after)
    return (
        tuple(piece for piece in pieces if piece.mark != "ins"),
        tuple(piece for piece in pieces if piece.mark != "del"),
    )


def merge_words(before: str, after: str) -> Pieces:
    """Write two versions of a text as one, with what goes and what is added marked."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    head, tail = "".join(old[:first]), "".join(old[len(old) - last :])
    between = _between(old[first : len(old) - last], new[first : len(new) - last])
    return _whole(head) + between + _whole(tail)


def _between(old: Sequence[str], new: Sequence[str]) -> Pieces:
    most = max(len(old), len(new))
    if most > MOST_WORDS:
        return _whole("".join(old), "del") + _whole("".join(new), "ins")
    found: Pieces = ()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=most > ALL_LOOKED_FOR).get_opcodes():
        gone, added = "".join(old[a:b]), "".join(new[c:d])
        found += _whole(gone) if tag == "equal" else _replaced(gone, added)
    return found


def _replaced(gone: str, added: str) -> Pieces:
    # the space behind a word belongs to it, and is not marked where both have it
    space = gone[len(gone.rstrip()) :]
    if not space or added[len(added.rstrip()) :] != space:
        space = ""
    cut = len(space)
    return _whole(gone[: len(gone) - cut], "del") + _whole(added[: len(added) - cut], "ins") + _whole(space)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the words with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


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


def _whole(text: str, mark: str = "") -> Pieces:
    return (Piece(text, mark),) if text else ()


def _numbered(lines: Sequence[Pieces], first: int) -> tuple[ShownLine, ...]:
    return tuple(ShownLine(first + at, pieces) for at, pieces in enumerate(lines))
