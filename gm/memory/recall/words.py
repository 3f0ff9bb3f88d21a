"""Words and stems; a long text split into sentences and pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Protocol

from gm.base.languages import language_of, languages
from gm.base.texts import casefold, search_key

WORD = re.compile(r"[^\W_]+(?:&[^\W_]+)*(?:['’][^\W_]+)?")
LONGEST = 100
"""A longer word is compared whole: it has no stem and no parts."""
_STEMMING = Lock()  # a stemmer is not thread-safe: it keeps the current word as state


class Stemmer(Protocol):
    """Returns a word's stem."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802


def split_words(text: str) -> list[str]:
    """Return a text's folded words: ``Aschen-Einöde`` is two, ``D&D`` is one, ``Vera's`` is ``vera``."""
    return [_without_genitive(word) for word in WORD.findall(casefold(text))]


def terms_of(text: str, language: str) -> list[str]:
    """Return each word's term, as in an index."""
    return [stem(word, language) for word in split_words(text)]


def stem(word: str, language: str) -> str:
    """Return a folded word's stem: ``Knochentürme``, ``Knochentuerme`` and ``Knochenturms`` are ``knochenturm``.

    Args:
        language: Words of a language without stemmer only lose the spelling of umlauts.

    Source:
        The Snowball stemmers; the German one reads ``ae``, ``oe``, ``ue`` as umlauts.
    """
    return _stem(word, language) if len(word) <= LONGEST else search_key(word)


@lru_cache(maxsize=65536)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    if stemmer is None:
        return search_key(word)
    with _STEMMING:
        return search_key(stemmer.stemWord(word))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a folded word has no content."""
    return word in language_of(language).stop_words


@cache
def stop_words() -> frozenset[str]:
    """Return the stop words of all languages."""
    return frozenset().union(*(language_of(code).stop_words for code in languages()))


@cache
def _telling_words() -> Mapping[str, frozenset[str]]:
    by = {code: language_of(code).stop_words for code in languages()}
    return {code: words.difference(*(by[other] for other in by if other != code)) for code, words in by.items()}


def count_languages(text: str) -> dict[str, int]:
    """Return for each language the number of stop words that only it has."""
    words = split_words(text)
    return {code: sum(word in telling for word in words) for code, telling in _telling_words().items()}


def guess_language(counts: Mapping[str, int], usual: str) -> str:
    """Return the language of a stream.

    Args:
        counts: Of ``count_languages``, over all memories.
        usual: The world's language: it decides ties, and always counts when it is not declared.
    """
    usual = language_of(usual).code
    if usual not in counts:
        return usual
    first, second = sorted(counts, key=lambda code: -counts[code])[:2]
    return usual if counts[first] == counts[second] else first


def content_words(text: str, language: str) -> list[str]:
    """Return a question's content words; all words where there are none."""
    words = split_words(text)
    return [word for word in words if not is_stop_word(word, language)] or words


def _without_genitive(word: str) -> str:
    for mark in ("'", "’"):
        if mark in word:
            return word[: word.index(mark)]
    return word


@cache
def _stemmer(language: str) -> Stemmer | None:
    name = language_of(language).stemmer
    if not name:
        return None
    import snowballstemmer

    made: Stemmer = snowballstemmer.stemmer(name)
    return made


CHUNK_CHARACTERS = 300
"""Characters (code points) of a piece, as a rule."""

_END = re.compile(r"[.!?…]+[\"'»«›‹“”’)\]]* (?=[\"'»«›‹„“”‚‘(\[]*(?P<first>\w))")


def chunk_text(text: str, most: int = CHUNK_CHARACTERS) -> list[str]:
    """Split a text into pieces of whole sentences; joined with spaces they are the text again.

    A sentence ends with ``.``, ``!`` or ``?`` before a space and a capital, with quotation marks and brackets on either
    side. A longer sentence is cut at its last space that fits; only a single word may exceed ``most`` characters.
    """
    pieces: list[str] = []
    for part in _parts(" ".join(text.split()), most):
        if pieces and len(pieces[-1]) + 1 + len(part) <= most:
            pieces[-1] += " " + part
        else:
            pieces.append(part)
    return pieces


def split_sentences(text: str) -> list[str]:
    """Split a text with single spaces into sentences."""
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
