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
LEAST_LETTERS = 4
RELATED_WEIGHT = 0.4
"""How much it counts that a word only begins or ends with another one, beside one for the same stem."""

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

    score = sum over the query's words of s(stem) + RELATED_WEIGHT · s(related stems), with

    s = idf · f · (K1 + 1) / (f + K1 · (1 - B + B · length / mean length)), idf = ln(1 + (N - n + 0.5) / (n + 0.5)),

    f how often the stem, or any of the related ones, occurs in the text, n in how many of N texts. Two stems are
    related when a word of one begins or ends with the other, so that ``Knochenturm`` finds ``Knochen``. Function
    words of the query do not count.

    Args:
        query: What somebody looks for, in any words.
        texts: What is looked through.
        language: Language of both; words of others than German and English are compared as they stand.

    Returns:
        Place and score of every text with a score above 0, best first; equal scores in the order of the texts.

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). The related stems are ours.
    """
    counted = [Counter(_stem(word, language) for word in _words(text)) for text in texts]
    known = {stem for count in counted for stem in count}
    lengths = [count.total() for count in counted]
    mean = max(sum(lengths) / max(1, len(lengths)), 1.0)
    scores = [0.0] * len(texts)
    for stem in _stems_of_query(query, language):
        related = {other for other in known if other != stem and _are_related(stem, other)}
        for weight, group in ((1.0, {stem}), (RELATED_WEIGHT, related)):
            often = [sum(count[term] for term in group) for count in counted]
            idf = _rarity(sum(1 for number in often if number), len(texts))
            for place, number in enumerate(often):
                norm = K1 * (1 - B + B * lengths[place] / mean)
                scores[place] += weight * idf * number * (K1 + 1) / (number + norm)
    found = [(place, score) for place, score in enumerate(scores) if score > 0]
    return sorted(found, key=lambda item: (-item[1], item[0]))


def _rarity(number: int, of: int) -> float:
    return math.log(1 + (of - number + 0.5) / (number + 0.5))


def _are_related(one: str, other: str) -> bool:
    """Tell whether one stem is the beginning or the end of the other, as in compounds."""
    short, long = sorted((one, other), key=len)
    return len(short) >= LEAST_LETTERS and (long.startswith(short) or long.endswith(short))


def _stems_of_query(query: str, language: str) -> list[str]:
    """Give the stems of a query, each once; where it has nothing but function words, these count."""
    stop = _STOP.get(language, frozenset())
    words = [word for word in _words(query) if len(word) > 1]
    kept = [word for word in words if search_key(word) not in stop] or words
    return list(dict.fromkeys(_stem(word, language) for word in kept))


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


@lru_cache(maxsize=65536)
def _stem(word: str, language: str) -> str:
    """Cut a folded word to its stem, in the form in which it is searched."""
    stemmer = _stemmer(_STEMMERS.get(language, ""))
    return search_key(stemmer.stemWord(word) if stemmer else word)


@cache
def _stemmer(name: str) -> Any:
    """Make the stemmer of a language, when it is needed first; None when there is none."""
    if not name:
        return None
    import snowballstemmer

    return snowballstemmer.stemmer(name)
