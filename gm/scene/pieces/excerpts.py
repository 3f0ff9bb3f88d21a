"""Parts of a piece: a long one cut, and its lines that name a character."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gm.base.casefold import casefold
from gm.base.texts import shorten_at_word
from gm.model.character import Agent
from gm.scene.grounding.mentions import content_words, mentioned
from gm.scene.pieces.known_pieces import PIECE_CHARACTERS

_LEFT_OUT = "\n\n[…]\n\n"
_MARKS = re.compile(r"[*_`#]+|^[\s>|+-]+|[\s|]+$")
_CELLS = re.compile(r"\s*\|\s*")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
"""The row below the headings of a table."""
MOST_NAMING_LINES, NAMING_CHARACTERS = 2, 240
"""Limits for quoting lines that name the reader: lines of a piece, characters of a line."""


def shorten_piece(text: str, most: int = PIECE_CHARACTERS, about: str = "") -> str:
    """Return a piece cut at paragraphs to ``most`` characters, at lines where half of that would be lost.

    Its beginning stays; with ``about``, the first paragraph and those that share most content words with it.
    """
    if len(text) <= most:
        return text
    parts, matter = text.split("\n\n"), content_words(about)
    shared = [len(matter & content_words(part)) for part in parts]
    if any(shared[1:]):
        return _essential(parts, shared, most)
    cut = text[:most]
    by_paragraphs, by_lines = (cut.rpartition(end)[0].rstrip() for end in ("\n\n", "\n"))
    best = by_paragraphs if 2 * len(by_paragraphs) >= most else by_lines
    return (best or cut.rstrip()) + _LEFT_OUT.rstrip()


def keep_new_parts(text: str, before: str) -> str:
    """Return a later version of a piece without the paragraphs of the earlier one, of which only the first stays."""
    parts, known = text.split("\n\n"), {" ".join(part.split()) for part in before.split("\n\n")}
    kept = [place for place, part in enumerate(parts) if not place or " ".join(part.split()) not in known]
    return _tell_parts(parts, kept)


def _essential(parts: Sequence[str], shared: Sequence[int], most: int) -> str:
    room, kept = most, set[int]()
    for place in sorted(range(len(parts)), key=lambda place: (place > 0, -shared[place], place)):
        part = parts[place][: max(0, room)] if not kept else parts[place]
        if len(part) <= room:
            kept.add(place)
            room -= len(part) + len(_LEFT_OUT)
    return _tell_parts([part[:most] for part in parts], sorted(kept))


def _tell_parts(parts: Sequence[str], kept: Sequence[int]) -> str:
    last = 0
    told = []
    for place in kept:
        told += [_LEFT_OUT.strip()] if place > last + 1 else []
        told.append(parts[place])
        last = place
    return "\n\n".join(told if last == len(parts) - 1 else [*told, _LEFT_OUT.strip()])


def lines_naming(agent: Agent, text: str) -> tuple[str, ...]:
    """Return a piece's lines that name a character, without Markdown, those that begin with the name first.

    Table headings are left out.
    """
    written = text.splitlines()
    below = (*written[1:], "")[: len(written)]
    rows = (row for row, rule in zip(written, below, strict=True) if not ("|" in row and _RULE.fullmatch(rule)))
    lines = [_CELLS.sub(" · ", " ".join(_MARKS.sub("", row).split())) for row in rows if mentioned(row, (agent,))]
    lines.sort(key=lambda line: casefold(line).find(casefold(agent.call_name)))
    return tuple(shorten_at_word(line, NAMING_CHARACTERS) for line in lines[:MOST_NAMING_LINES])
