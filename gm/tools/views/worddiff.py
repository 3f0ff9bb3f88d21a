"""Two forms of a text, word by word: what stayed, what went, what came."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

ALIKE = 0.45
"""Texts less alike than this are told as one that went and one that came."""
_WORDS = re.compile(r"\s+|[^\s\w]+|\w+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text: ``same``, ``del`` or ``ins``."""

    how: Literal["same", "del", "ins"]
    text: str


def compare_words(old: str, new: str) -> tuple[Piece, ...]:
    """Tell word by word what became of a text; texts that have little in common are set beside each other whole."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, before, after, False)
    if matcher.ratio() < ALIKE:
        return tuple(piece for piece in (Piece("del", old), Piece("ins", new)) if piece.text)
    pieces: list[Piece] = []
    for kind, first, first_end, second, second_end in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(Piece("same", "".join(before[first:first_end])))
            continue
        gone, come = "".join(before[first:first_end]), "".join(after[second:second_end])
        pieces += [piece for piece in (Piece("del", gone), Piece("ins", come)) if piece.text]
    return tuple(pieces)


def compare_lines(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """Tell line by line what became of a list of sentences; lines that stayed as they were are whole pieces."""
    lines: list[tuple[Piece, ...]] = []
    for kind, first, first_end, second, second_end in SequenceMatcher(None, old, new, False).get_opcodes():
        gone, come = list(old[first:first_end]), list(new[second:second_end])
        if kind == "equal":
            lines += [(Piece("same", line),) for line in gone]
            continue
        while gone or come:
            if gone and come and SequenceMatcher(None, gone[0], come[0]).ratio() >= ALIKE:
                lines.append(compare_words(gone.pop(0), come.pop(0)))
            elif gone:
                lines.append((Piece("del", gone.pop(0)),))
            else:
                lines.append((Piece("ins", come.pop(0)),))
    return tuple(lines)
