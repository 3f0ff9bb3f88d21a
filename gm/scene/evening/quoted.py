"""Quotations in a chapter that are not what was said on its day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gm.base.casefold import says
from gm.memory.recall.words import split_sentences
from gm.model.scene import LogEntry

LEAST_WORDS = 4
"""Words of a sentence that is compared; a shorter one may be a title or a name."""
_QUOTATION = re.compile(r"»([^«]*)«|„([^“”]*)[“”]|“([^”]*)”|\"([^\"]*)\"")


def find_misquoted(text: str, told: Iterable[LogEntry]) -> Iterator[str]:
    """Yield the quoted sentences, or parts of them, that no turn of these scenes has word for word.

    Punctuation, case and quotation marks aside; what stands before an ellipsis and after it is compared by itself.
    """
    turns = [turn for entry in told for turn in entry.turns]
    said = [part for turn in turns for part in (turn.action, *(line.text for line in turn.lines)) if part]
    for quotation in _quotations(text):
        for sentence in split_sentences(quotation):
            for part in map(str.strip, sentence.split("…")):
                if len(part.split()) >= LEAST_WORDS and not any(says(one, part) for one in said):
                    yield part


def _quotations(text: str) -> list[str]:
    return ["".join(groups) for groups in _QUOTATION.findall(" ".join(text.split()))]
