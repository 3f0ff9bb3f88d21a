"""Two forms of a text, word by word: what stayed, what went, what came."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

ALIKE = 0.45
"""Texts less alike than this are told as one that went and one that came."""
MOST_WORDS = 6000
"""Words between the first and the last change up to which each is looked for; of more, all have changed."""
ALL_LOOKED_FOR = 400
"""Up to so many words, frequent ones too are looked for elsewhere, which takes the square of their number."""
_WORDS = re.compile(r"\w+\s?|\s+|[^\w\s]\s?")
Mark = Literal["", "del", "ins"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text.

    Attributes:
        text: The part.
        mark: ``del`` when only the text before has it, ``ins`` when only the text after has it, else empty.
    """

    text: str
    mark: Mark = ""


Segments = tuple[Segment, ...]


def compare_words(old: str, new: str) -> Segments:
    """Tell word by word what became of a text; texts that have little in common are set beside each other whole."""
    if SequenceMatcher(None, _WORDS.findall(old), _WORDS.findall(new), False).ratio() < ALIKE:
        return whole(old, "del") + whole(new, "ins")
    return merge_words(old, new)


def compare_lines(old: Sequence[str], new: Sequence[str]) -> tuple[Segments, ...]:
    """Tell line by line what became of a list of sentences; lines that stayed as they were are whole segments."""
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
    """Split two versions of a text into segments, and mark those that the other one lacks."""
    segments = merge_words(before, after)
    return (
        tuple(segment for segment in segments if segment.mark != "ins"),
        tuple(segment for segment in segments if segment.mark != "del"),
    )


def merge_words(before: str, after: str) -> Segments:
    """Write two versions of a text as one, with what goes and what is added marked."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    head, tail = "".join(old[:first]), "".join(old[len(old) - last :])
    between = _between(old[first : len(old) - last], new[first : len(new) - last])
    return whole(head) + between + whole(tail)


def _between(old: Sequence[str], new: Sequence[str]) -> Segments:
    most = max(len(old), len(new))
    if most > MOST_WORDS:
        return whole("".join(old), "del") + whole("".join(new), "ins")
    found: Segments = ()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=most > ALL_LOOKED_FOR).get_opcodes():
        gone, added = "".join(old[a:b]), "".join(new[c:d])
        found += whole(gone) if tag == "equal" else _replaced(gone, added)
    return found


def _replaced(gone: str, added: str) -> Segments:
    # the space behind a word belongs to it, and is not marked where both have it
    space = gone[len(gone.rstrip()) :]
    if not space or added[len(added.rstrip()) :] != space:
        space = ""
    cut = len(space)
    return whole(gone[: len(gone) - cut], "del") + whole(added[: len(added) - cut], "ins") + whole(space)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the words with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def whole(text: str, mark: Mark = "") -> Segments:
    """Make of a text one segment; of an empty one none."""
    return (Segment(text, mark),) if text else ()
