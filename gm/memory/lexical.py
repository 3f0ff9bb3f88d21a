"""Which texts a query is about, by the words that they share: BM25 over stems, German and English."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from gm.model.fold import fold, search_key

K1, B = 1.2, 0.75
PREFIX_LETTERS = 5
PREFIX_WEIGHT = 0.4
"""How much it counts that two words only begin alike, beside one for the same stem: for compounds."""

_STEMMERS = {"de": "german", "en": "english"}
_WORD = re.compile(r"\w[\w'’]*")
_STOP_DE = """
aber alle allem allen aller alles als also am an auch auf aus bei bibliothek bin bis da damit dann das dass dem den der
des die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas fuer
gegen geht gibt hat habe haben hier ich ihm ihn ihr ihre im in ist ja jede jeder jedes kann man mehr mein meine mich mir
mit muss nach nachschlagen nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll ueber um
und uns unser unsere unter viel vom von vor war waren was wegen weil wenn wer werden wie wieder will wir wird wo wozu zu
zum zur zwischen
"""
_STOP_EN = """
a about after all also an and any are as at be been before but by can could did do does for from had has have he her
here him his how i if in into is it its just library look me more my no not of on only or our out over she should so
some than that the their them then there these they this those to too under up us was we were what when where which who
why will with would you your
"""
_STOP = {"de": frozenset(_STOP_DE.split()), "en": frozenset(_STOP_EN.split())}


def rank(query: str, texts: Sequence[str], language: str) -> list[tuple[int, float]]:
    """Rank texts by how much a query is about them.

    score = sum over the query's terms of weight · idf · f · (K1 + 1) / (f + K1 · (1 - B + B · length / mean length)),
    idf = ln(1 + (N - n + 0.5) / (n + 0.5))

    A word of the query counts as its stem, and with ``PREFIX_WEIGHT`` as its first letters, so that ``Knochenturm``
    finds ``Knochen``. Function words of the query do not count.

    Args:
        query: What somebody looks for, in any words.
        texts: What is looked through.
        language: Language of both; words of others than German and English are compared as they stand.

    Returns:
        Place and score of every text with a score above 0, best first; equal scores in the order of the texts.

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). The prefixes are ours.
    """
    wanted = _terms_of_query(query, language)
    counted = [Counter(_terms(text, language)) for text in texts]
    lengths = [sum(number for term, number in count.items() if not _is_prefix(term)) for count in counted]
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    found = {term: sum(1 for count in counted if term in count) for term in wanted}
    scores = []
    for place, count in enumerate(counted):
        norm = K1 * (1 - B + B * (lengths[place] / mean if mean else 1.0))
        score = sum(
            weight * _rarity(found[term], len(texts)) * count[term] * (K1 + 1) / (count[term] + norm)
            for term, weight in wanted.items()
            if count[term]
        )
        scores.append((place, score))
    return sorted((item for item in scores if item[1] > 0), key=lambda item: (-item[1], item[0]))


def _rarity(number: int, of: int) -> float:
    return math.log(1 + (of - number + 0.5) / (number + 0.5))


def _terms_of_query(query: str, language: str) -> dict[str, float]:
    """Give the terms of a query with their weights; where it has nothing but function words, these count."""
    stop = _STOP.get(language, frozenset())
    words = [word for word in _words(query) if len(word) > 1]
    kept = [word for word in words if search_key(word) not in stop] or words
    terms = {term for word in kept for term in _terms_of_word(word, language)}
    return {term: PREFIX_WEIGHT if _is_prefix(term) else 1.0 for term in sorted(terms)}


def _terms(text: str, language: str) -> list[str]:
    return [term for word in _words(text) for term in _terms_of_word(word, language)]


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


@lru_cache(maxsize=65536)
def _terms_of_word(word: str, language: str) -> tuple[str, ...]:
    """Give the stem of a word, and its beginning where that is shorter than the word."""
    stemmer = _stemmer(_STEMMERS.get(language, ""))
    stem = search_key(stemmer.stemWord(word) if stemmer else word)
    plain = search_key(word)
    return (stem, f"{plain[:PREFIX_LETTERS]}*") if len(plain) >= PREFIX_LETTERS else (stem,)


def _is_prefix(term: str) -> bool:
    return term.endswith("*")


@cache
def _stemmer(name: str) -> Any:
    """Make the stemmer of a language, when it is needed first; None when there is none."""
    if not name:
        return None
    import snowballstemmer

    return snowballstemmer.stemmer(name)
