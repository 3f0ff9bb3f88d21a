"""Quotations in a chapter that are not what was said on its day."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from gm.base.casefold import says
from gm.memory.recall.words import split_sentences

LEAST_WORDS = 4
"""Words of a sentence that is compared; a shorter one may be a title or a name."""
_QUOTATION = re.compile(r"»([^«]*)«|„([^“”]*)[“”]|“([^”]*)”|\"([^\"]*)\"")


def find_misquoted(text: str, texts: Collection[str]) -> Iterator[str]:
    """Yield the quoted sentences, or parts of them, that no text of those told has word for word.

    Punctuation, case and quotation marks aside; what stands before an ellipsis and after it is compared by itself. Two
    sentences between which others were left out without one are yielded together.
    """

    def is_said(part: str) -> bool:
        return len(part.split()) < LEAST_WORDS or any(says(one, part) for one in texts)

    for quotation in _QUOTATION.findall(" ".join(text.split())):
        for part in "".join(quotation).split("…"):
            before = ""
            for sentence in split_sentences(part.strip()):
                both = f"{before} {sentence}".strip()
                before = sentence if is_said(sentence) else ""
                if not before or not is_said(both):
                    yield both if before else sentence
