"""Search terms as they are typed, and where they occur in a text.

As in ``memory.search``, but a word is also found in its other forms (``Türme``, ``Turm``), and text in quotation marks
is matched literally.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from gm.base.casefold import casefold, search_key
from gm.memory.recall.words import is_stop_word, stem

LEAST_STEM = 4
"""A stem of fewer letters occurs in unrelated words."""

Term = tuple[str, ...]
"""The forms of a word, as ``search_key`` spells them; one of them has to occur."""

_WANTED = re.compile(r'"([^"]*)"?|„([^“”]*)[“”]?|(\S+)')
_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}
_TURNED = {"a": "ae", "o": "oe", "u": "ue"}
_PIECE = re.compile(r"ae|oe|ue|ss|.", re.DOTALL)
_VOWELS = "aeiouy"


def terms_in(text: str, language: str) -> tuple[Term, ...]:
    """Return a term for each word and each quoted text of a search."""
    terms: list[Term] = []
    for match in _WANTED.finditer(text):
        if (quoted := match[1] if match[1] is not None else match[2]) is not None:
            terms.append((search_key(quoted),))
        else:
            terms.append(_forms_of(match[3], language))
    return tuple(term for term in dict.fromkeys(terms) if term[0])


def spans_of(text: str, terms: Iterable[Term]) -> tuple[tuple[int, int], ...]:
    """Return begin and end of terms in a text, in characters, in order; places that touch are merged."""
    forms = sorted({form for term in terms for form in term}, key=lambda form: (-len(form), form))
    if not forms:
        return ()
    spans: list[tuple[int, int]] = []
    # one pattern for each form: where forms overlap, the longest place must be found too
    for begin, end in sorted(match.span() for form in forms for match in _pattern(form).finditer(text)):
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((begin, end))
    return tuple(spans)


def matches(key: str, terms: Sequence[Term]) -> bool:
    """Return whether every term is in a text in its ``search_key`` form."""
    return all(any(form in key for form in term) for term in terms)


def _forms_of(word: str, language: str) -> Term:
    key = search_key(word)
    if not word.isalpha() or is_stop_word(casefold(word), language):
        return (key,)
    root = stem(casefold(word), language)
    if len(root) < LEAST_STEM:
        return (key,)
    forms = [key, root]
    if language == "de":
        forms.append(_turned(root))
    return tuple(dict.fromkeys(forms))


def needed(term: Term) -> Term:
    """Return a term without the forms that contain another of its forms."""
    return tuple(form for form in term if not any(other != form and other in form for other in term))


def _turned(root: str) -> str:
    """``turm`` becomes ``tuerm`` (``Türme``); unchanged where its last vowel has no umlaut."""
    place = max(root.rfind(vowel) for vowel in _TURNED)
    if place < 0 or any(letter in _VOWELS for letter in root[place + 1 :]):
        return root
    if root[place] == "u" and root[place - 1 : place] == "a":
        place -= 1  # Haus, Häuser
    return root[:place] + _TURNED[root[place]] + root[place + 1 :]


def _pattern(form: str) -> re.Pattern[str]:
    return re.compile("".join(_spelled(piece) for piece in _PIECE.findall(form)), re.IGNORECASE)


def _spelled(piece: str) -> str:
    if piece == " ":
        return r"\s+"
    if piece == "ss":
        return "(?:ss|ß)"
    if letter := _UMLAUTS.get(piece):
        return f"(?:{piece}|{letter}|{unicodedata.normalize('NFD', letter)})"
    apart = unicodedata.normalize("NFD", piece)
    # a plain letter does not match where a combining accent follows
    return re.escape(piece) if apart == piece else f"(?:{re.escape(piece)}|{re.escape(apart)})"
