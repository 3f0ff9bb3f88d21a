"""Parts of a piece: a long one cut, and its lines that name a character."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gm.base.texts import LEFT_OUT, casefold, cut_at_sentence, sentences_in, shorten_at_sentence, shorten_at_word
from gm.model.world import Agent
from gm.scene.grounding.mentions import content_words, mentioned
from gm.scene.pieces.known_pieces import PIECE_CHARACTERS

_GAP = f"\n\n{LEFT_OUT}\n\n"
_MARKS = re.compile(r"[*_`#]+|^[\s>|+-]+|[\s|]+$")
_CELLS = re.compile(r"\s*\|\s*")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
"""The row below the headings of a table."""
MOST_NAMING_LINES, NAMING_CHARACTERS = 2, 240
"""Limits for quoting lines that name the reader: lines of a piece, characters of a line."""


def shorten_piece(text: str, most: int = PIECE_CHARACTERS, about: str = "") -> str:
    """Return a piece cut to ``most`` characters: at paragraphs; where half would be lost, at sentences, else at lines.

    Its beginning stays; with ``about``, the first paragraph and those that share most content words with it.
    """
    if len(text) <= most:
        return text
    parts, matter = text.split("\n\n"), content_words(about)
    shared = [len(matter & content_words(part)) for part in parts]
    if any(shared[1:]):
        return _essential(parts, shared, most)
    return _cut(text, most) + _GAP.rstrip()


def _cut(text: str, most: int) -> str:
    cut = text[:most]
    by_paragraphs, by_lines = (cut.rpartition(end)[0].rstrip() for end in ("\n\n", "\n"))
    ways = (by_paragraphs, cut_at_sentence(text, most), by_lines)
    enough = (kept for kept in ways if 2 * len(kept) >= most)
    return next(enough, max(ways, key=len)) or shorten_at_word(text, most)


def keep_new_parts(text: str, before: str) -> str:
    """Return a later version of a piece without the paragraphs of the earlier one, of which only the first stays."""
    parts, known = text.split("\n\n"), {" ".join(part.split()) for part in before.split("\n\n")}
    kept = [place for place, part in enumerate(parts) if not place or " ".join(part.split()) not in known]
    return _tell_parts(parts, kept)


def _essential(parts: Sequence[str], shared: Sequence[int], most: int) -> str:
    if len(parts[0]) > most:
        return _cut(parts[0], most) + _GAP.rstrip()
    room, kept = most, set[int]()
    for place in sorted(range(len(parts)), key=lambda place: (place > 0, -shared[place], place)):
        if len(parts[place]) <= room:
            kept.add(place)
            room -= len(parts[place]) + len(_GAP)
    return _tell_parts(parts, sorted(kept))


def _tell_parts(parts: Sequence[str], kept: Sequence[int]) -> str:
    last = 0
    told = []
    for place in kept:
        told += [LEFT_OUT] if place > last + 1 else []
        told.append(parts[place])
        last = place
    return "\n\n".join(told if last == len(parts) - 1 else [*told, LEFT_OUT])


def lines_naming(agent: Agent, text: str) -> tuple[str, ...]:
    """Return a piece's lines that name a character, without Markdown, those that begin with the name first.

    Table headings are left out.
    """
    written = text.splitlines()
    below = (*written[1:], "")[: len(written)]
    rows = (row for row, rule in zip(written, below, strict=True) if not ("|" in row and _RULE.fullmatch(rule)))
    lines = [_CELLS.sub(" · ", " ".join(_MARKS.sub("", row).split())) for row in rows if mentioned(row, (agent,))]
    lines.sort(key=lambda line: casefold(line).find(casefold(agent.call_name)))
    return tuple(_excerpt(agent, line) for line in lines[:MOST_NAMING_LINES])


def _excerpt(agent: Agent, line: str) -> str:
    # its beginning, else from the sentence that names the character
    short, parts = shorten_at_sentence(line, NAMING_CHARACTERS), sentences_in(line)
    naming = next((place for place, part in enumerate(parts) if mentioned(part, (agent,))), 0)
    if not naming or mentioned(short, (agent,)):
        return short
    return f"{LEFT_OUT} {shorten_at_sentence(' '.join(parts[naming:]), NAMING_CHARACTERS)}"
