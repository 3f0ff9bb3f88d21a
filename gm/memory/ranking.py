"""Rank texts by how much a query is about them (BM25)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from gm.base.languages import in_any_language
from gm.memory.recall.matching import rarity
from gm.memory.recall.words import content_words, stem, terms_of

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""BM25: how soon a repeated word counts no more (k1), and how much of a text's length is evened out (b)."""
LEAST_LETTERS = 4
"""Letters from which a word that begins or ends another one is related to it."""
RELATED_WEIGHT = 0.4
"""Weight of a related stem, against 1 for the same stem."""


def rank(query: str, texts: Sequence[str], language: str) -> list[tuple[int, float]]:
    """Rank texts by how much a query is about them.

    score = sum over the query's words of s(stem) + RELATED_WEIGHT · s(related stems), with

    s = idf · f · (k + 1) / (f + k · (1 - b + b · length / mean length)), idf = ln(1 + (N - n + 0.5) / (n + 0.5)),

    f how often the stem, or any of the related ones, occurs in the text, n in how many of N texts. Two stems are
    related when one begins or ends with the other (``Knochenturm``, ``Knochen``). Function words of the query do not
    count.

    Returns:
        Place and score of every text with a score above 0, best first; equal scores in the order of the texts.

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). The related stems are ours.
    """
    counted = [_count_terms(text, language) for text in texts]
    known = {term for count in counted for term in count}
    lengths = [count.total() for count in counted]
    mean = max(sum(lengths) / max(1, len(lengths)), 1.0)
    scores = [0.0] * len(texts)
    for term in _stems_of_query(query, language):
        related = {other for other in known if other != term and _are_related(term, other)}
        for weight, group in ((1.0, {term}), (RELATED_WEIGHT, related)):
            often = [sum(count[one] for one in group) for count in counted]
            idf = rarity(len(texts), sum(1 for number in often if number))
            for place, number in enumerate(often):
                norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths[place] / mean)
                scores[place] += weight * idf * number * (SATURATION + 1) / (number + norm)
    found = [(place, score) for place, score in enumerate(scores) if score > 0]
    return sorted(found, key=lambda item: (-item[1], item[0]))


@lru_cache(maxsize=1024)
def _count_terms(text: str, language: str) -> Counter[str]:
    return Counter(terms_of(text, language))


def _are_related(one: str, other: str) -> bool:
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return len(short) >= LEAST_LETTERS and (long.startswith(short) or long.endswith(short))


def _stems_of_query(query: str, language: str) -> list[str]:
    words = content_words(query, language)
    visiting = in_any_language(lambda one: one.looking_up)
    kept = [word for word in words if word not in visiting] or words
    return list(dict.fromkeys(stem(word, language) for word in kept))
