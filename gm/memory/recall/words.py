"""Words and stems; a long text split into sentences and pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Protocol

from gm.base.casefold import casefold, search_key

WORD = re.compile(r"[^\W_]+(?:&[^\W_]+)*(?:['’][^\W_]+)?")
STEMMERS = {"de": "german", "en": "english"}
LONGEST = 100
"""A longer word is compared whole: it has no stem and no parts."""
_STEMMING = Lock()  # a stemmer is not thread-safe: it keeps the current word as state
_GERMAN = """
aber alle allem allen aller alles als also am an ans auch auf aus bei beim bin bis bist da dabei dadurch dafür dagegen
daher damit danach dann daran darauf daraus darin darüber darum das dass dazu dein deine deinem deinen deiner dem den
denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch eigentlich ein eine
einem einen einer eines einmal er erzählt erzählte erzählen es etwa etwas euch euer eure für gegen gehabt gesagt
gewesen geworden hab habe haben habt hast hat hatte hatten hattest hätte her hier hin hinter ich ihm ihn ihnen ihr
ihre ihrem ihren ihrer im immer in ins ist ja je jede jedem jeden jeder jedes jene jener jetzt kann kannst kein keine
keinem keinen keiner können könnte konnte machen man mein meine meinem meinen meiner mich mir mit muss musste müssen
nach nicht nichts noch nun nur ob oder ohne sagen sagt sagte schon sehr sein seine seinem seinen seiner seit selbst
sich sie sind so solche soll sollen sollte sondern sonst über um und uns unser unsere unserem unseren unter viel vom
von vor wann war waren warst warum was wegen weil weiß weißt welche welchem welchen welcher welches wem wen wenn wer
werde werden wessen weshalb wie wieder wieso will wir wird wirst wo woher wohin wollen wollte womit woran worauf
worüber worum wovon wozu würde wurde wurden zu zum zur zwar zwischen
"""
_ENGLISH = """
a about after again all also am an and any are as at be because been before being between both but by can could d did
do does doing done down during each few for from get got had has have he her here hers him his how i if in into is it
its just ll m may me might mine more most must my no nor not now of off on once only or other our out over own re s
same shall she should so some such t than that the their theirs them then there these they this those through to too
up us ve very was we were what when where which while who whom whose why will with would you your yours
"""
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(casefold(word) for word in words.split())
    for language, words in (("de", _GERMAN), ("en", _ENGLISH))
}
"""Words without content. They are left out of questions, never out of memories."""
_GUESSED_FROM = {
    language: frozenset(words - frozenset().union(*(other for name, other in STOP_WORDS.items() if name != language)))
    for language, words in STOP_WORDS.items()
}


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
        language: ``de`` or ``en``; words of others only lose the spelling of umlauts.

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
    return word in STOP_WORDS.get(language, frozenset())


def count_languages(text: str) -> tuple[int, int]:
    """Return the numbers of stop words that only German has, and that only English has."""
    words = split_words(text)
    return sum(word in _GUESSED_FROM["de"] for word in words), sum(word in _GUESSED_FROM["en"] for word in words)


def guess_language(counts: tuple[int, int], usual: str) -> str:
    """Return the language of a stream.

    Args:
        counts: Words that only German has and that only English has, over all memories.
        usual: The world's language: it decides ties, and always counts when it is a third one.
    """
    german, english = counts
    if german == english or usual not in STEMMERS:
        return usual
    return "de" if german > english else "en"


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
    if language not in STEMMERS:
        return None
    import snowballstemmer

    made: Stemmer = snowballstemmer.stemmer(STEMMERS[language])
    return made


MOST = 300
"""Characters (code points) of a piece, as a rule."""

_END = re.compile(r"[.!?…]+[\"'»«›‹“”’)\]]* (?=[\"'»«›‹„“”‚‘(\[]*(?P<first>\w))")


def chunk_text(text: str, most: int = MOST) -> list[str]:
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
