"""Split a long text into pieces, which recall finds more precisely."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST = 300
"""Characters (code points) of a piece, as a rule."""

_END = re.compile(r"[.!?…]+[\"'»«›‹“”’)\]]* (?=[\"'»«›‹„“”‚‘(\[]*(?P<first>\w))")


def chunk_text(text: str, most: int = MOST) -> list[str]:
    """Split a text into pieces of whole sentences; joined with spaces they are the text again.

    A sentence ends with ``.``, ``!`` or ``?`` before a space and a capital, with quotation marks and brackets on either
    side. A longer sentence is cut at its last space that fits; only a single word may exceed ``most``.

    Args:
        text: White space of any length counts as one space.
        most: Characters of a piece, at least 1.
    """
    pieces: list[str] = []
    for part in _parts(" ".join(text.split()), most):
        if pieces and len(pieces[-1]) + 1 + len(part) <= most:
            pieces[-1] += " " + part
        else:
            pieces.append(part)
    return pieces


def split_sentences(text: str) -> list[str]:
    """Split a text with single spaces into its sentences."""
    ends = [match.end() for match in _END.finditer(text) if match["first"].isupper()]
    bounds = zip([0, *ends], [*ends, len(text)], strict=True)
    return [sentence for begin, end in bounds if (sentence := text[begin:end].strip())]


def _parts(text: str, most: int) -> Iterator[str]:
    for sentence in split_sentences(text):
        while len(sentence) > most:
            cut = sentence.rfind(" ", 0, most + 1)
            cut = cut if cut > 0 else sentence.find(" ")
            if cut < 0:
                break
            yield sentence[:cut]
            sentence = sentence[cut + 1 :]
        yield sentence
