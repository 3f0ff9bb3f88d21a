"""Word-by-word comparison of texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from gm.api.editing.confirm import LineChange, common_ends

ALIKE = 0.45
"""Texts less similar than this are shown as one deletion and one insertion."""
MOST_WORDS = 6000
"""Above this number of words between the first and the last change, the whole range counts as changed."""
ALL_LOOKED_FOR = 400
"""Up to this number of words, frequent ones are matched too, in quadratic time."""
_WORDS = re.compile(r"\w+\s?|\s+|[^\w\s]\s?")
Mark = Literal["", "del", "ins"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text; ``del`` = only in the old text, ``ins`` = only in the new one."""

    text: str
    mark: Mark = ""


Segments = tuple[Segment, ...]


def compare_words(old: str, new: str) -> Segments:
    """Compare two texts by words; dissimilar texts are marked as a whole."""
    if SequenceMatcher(None, _WORDS.findall(old), _WORDS.findall(new), False).ratio() < ALIKE:
        return mark_whole(old, "del") + mark_whole(new, "ins")
    return merge_words(old, new)


def compare_sentences(old: Sequence[str], new: Sequence[str]) -> tuple[Segments, ...]:
    """Compare two lists of sentences; an unchanged one is a single segment."""
    lines: list[Segments] = []
    for kind, first, first_end, second, second_end in SequenceMatcher(None, old, new, False).get_opcodes():
        gone, come = list(old[first:first_end]), list(new[second:second_end])
        if kind == "equal":
            lines += [(Segment(line),) for line in gone]
            continue
        while gone or come:
            if gone and come and SequenceMatcher(None, gone[0], come[0]).ratio() >= ALIKE:
                lines.append(compare_words(gone.pop(0), come.pop(0)))
            elif gone:
                lines.append((Segment(gone.pop(0), "del"),))
            else:
                lines.append((Segment(come.pop(0), "ins"),))
    return tuple(lines)


def mark_words(before: str, after: str) -> tuple[Segments, Segments]:
    """Return both texts as segments, with the parts marked that the other one lacks."""
    segments = merge_words(before, after)
    return (
        tuple(segment for segment in segments if segment.mark != "ins"),
        tuple(segment for segment in segments if segment.mark != "del"),
    )


def merge_words(before: str, after: str) -> Segments:
    """Merge two texts into one, with deletions and insertions marked."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    first, last = common_ends(old, new)
    head, tail = "".join(old[:first]), "".join(old[len(old) - last :])
    between = _compare_parts(old[first : len(old) - last], new[first : len(new) - last])
    return mark_whole(head) + between + mark_whole(tail)


def _compare_parts(old: Sequence[str], new: Sequence[str]) -> Segments:
    most = max(len(old), len(new))
    if most > MOST_WORDS:
        return mark_whole("".join(old), "del") + mark_whole("".join(new), "ins")
    found: Segments = ()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=most > ALL_LOOKED_FOR).get_opcodes():
        gone, added = "".join(old[a:b]), "".join(new[c:d])
        found += mark_whole(gone) if tag == "equal" else _mark_replaced(gone, added)
    return found


def _mark_replaced(gone: str, added: str) -> Segments:
    # trailing space belongs to the word, and is not marked if both have it
    space = gone[len(gone.rstrip()) :]
    if not space or added[len(added.rstrip()) :] != space:
        space = ""
    cut = len(space)
    return mark_whole(gone[: len(gone) - cut], "del") + mark_whole(added[: len(added) - cut], "ins") + mark_whole(space)


def mark_whole(text: str, mark: Mark = "") -> Segments:
    """Return a text as one segment, "" as none."""
    return (Segment(text, mark),) if text else ()


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a file, from 1."""

    number: int
    segments: Segments


@dataclass(frozen=True, slots=True)
class WordChange:
    """A changed value or line, with its words marked."""

    key: str
    segments: Segments


@dataclass(frozen=True, slots=True)
class ShownChange:
    """Replaced lines."""

    path: str
    line: int
    before: tuple[ShownLine, ...]
    after: tuple[ShownLine, ...]
    values: tuple[WordChange, ...] = ()


def show_changes(changes: Sequence[LineChange]) -> tuple[ShownChange, ...]:
    """Mark the changed words; lines are compared pairwise."""
    return tuple(_show_change(change) for change in changes)


def _show_change(change: LineChange) -> ShownChange:
    marked = [mark_words(old, new) for old, new in zip(change.before, change.after, strict=False)]
    # with unequal numbers of lines, the first ones are paired, and the rest is added or removed
    before = [old for old, _ in marked] + [mark_whole(text, "del") for text in change.before[len(marked) :]]
    after = [new for _, new in marked] + [mark_whole(text, "ins") for text in change.after[len(marked) :]]
    is_one = len(change.before) == len(change.after) == 1
    values = _compare_values(change.before[0], change.after[0]) if is_one else ()
    return ShownChange(
        change.path, change.line, _number_lines(before, change.line), _number_lines(after, change.line), values
    )


def _compare_values(before: str, after: str) -> tuple[WordChange, ...]:
    try:
        old, new = json.loads(before), json.loads(after)
    except (ValueError, RecursionError):
        return ()
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return ()
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return tuple(
        WordChange(key, merge_words(_render_value(old.get(key)), _render_value(new.get(key)))) for key in changed
    )


def _render_value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _number_lines(lines: Sequence[Segments], first: int) -> tuple[ShownLine, ...]:
    return tuple(ShownLine(first + at, segments) for at, segments in enumerate(lines))
