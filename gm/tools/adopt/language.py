"""Guess the language of a world from its texts, by counting small words that only one language has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d_]+")
SMALL_WORDS = {
    language: frozenset(words.split())
    for language, words in (
        ("de", "der und nicht ist ich ein eine mit auf für von den dem das zu sich auch aber noch wie"),
        ("en", "the and not is of with for on that this it to are but has have what from who they"),
    )
}
FEWEST = 20
CLEARLY = 3


@dataclass(frozen=True, slots=True)
class Guess:
    """A language, and how it was guessed.

    Attributes:
        language: ``de`` or ``en``; None when neither is clear.
        counts: Small words of each language that were found.
    """

    language: str | None
    counts: dict[str, int]


def guess_language(texts: Iterable[str]) -> Guess:
    """Guess the language of texts.

    A language is taken when at least 20 of its small words occur, and three times as many as of the other one.
    """
    counts = dict.fromkeys(SMALL_WORDS, 0)
    for text in texts:
        for word in _WORD.findall(text.casefold()):
            for language, words in SMALL_WORDS.items():
                counts[language] += word in words
    best, second = sorted(counts, key=lambda language: -counts[language])[:2]
    is_clear = counts[best] >= FEWEST and counts[best] >= CLEARLY * counts[second]
    return Guess(best if is_clear else None, counts)
