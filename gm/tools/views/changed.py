"""Which words of a line have changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gm.tools.confirm import LineChange

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
MOST_WORDS = 6000
"""Words of a line up to which single words are held against each other; a longer one has changed as a whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line, and whether the other side lacks it."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a file in pieces.

    Attributes:
        number: Line of the file, from 1.
        pieces: Together the line.
    """

    number: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ShownChange:
    """Lines that become others.

    Attributes:
        path: Path inside the world.
        line: Where they begin, from 1.
        before: As they stand; none = lines are added.
        after: As they would stand; none = lines go.
    """

    path: str
    line: int
    before: tuple[ShownLine, ...]
    after: tuple[ShownLine, ...]


def show_changes(changes: Sequence[LineChange]) -> tuple[ShownChange, ...]:
    """Mark the words that change; lines are held against each other one by one."""
    return tuple(_show(change) for change in changes)


def _show(change: LineChange) -> ShownChange:
    marked = [mark_words(old, new) for old, new in zip(change.before, change.after, strict=False)]
    # where lines are added or go as well, the first ones belong together, and the rest is new or gone
    before = [old for old, _ in marked] + [_whole(text) for text in change.before[len(marked) :]]
    after = [new for _, new in marked] + [_whole(text) for text in change.after[len(marked) :]]
    return ShownChange(change.path, change.line, _numbered(before, change.line), _numbered(after, change.line))


def mark_words(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Split two versions of a line into pieces, and mark those that the other one lacks."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return _whole(before), _whole(after)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if b > a:
            left.append(Piece("".join(old[a:b]), tag != "equal"))
        if d > c:
            right.append(Piece("".join(new[c:d]), tag != "equal"))
    return tuple(left), tuple(right)


def _whole(text: str) -> tuple[Piece, ...]:
    return (Piece(text, True),) if text else ()


def _numbered(lines: Sequence[tuple[Piece, ...]], first: int) -> tuple[ShownLine, ...]:
    return tuple(ShownLine(first + at, pieces) for at, pieces in enumerate(lines))
