"""Quotations in a chapter that are not what was said on its day."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from gm.base.casefold import says
from gm.memory.recall.words import split_sentences

LEAST_WORDS = 4
"""Words of a sentence that is compared; a shorter one may be a title or a name."""
_QUOTATION = re.compile(r"»([^«]*)«|„([^“”]*)[“”]|“([^”]*)”|\"([^\"]*)\"")


def find_misquoted(text: str, told: Collection[str]) -> Iterator[str]:
    """Yield the quoted sentences, or parts of them, that no text of those told has word for word.

    Punctuation, case and quotation marks aside; what stands before an ellipsis and after it is compared by itself.
    """
    for quotation in _QUOTATION.findall(" ".join(text.split())):
        for sentence in split_sentences("".join(quotation)):
            for part in map(str.strip, sentence.split("…")):
                if len(part.split()) >= LEAST_WORDS and not any(says(one, part) for one in told):
                    yield part
