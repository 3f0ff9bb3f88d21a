"""What is typed into a search field, and where it occurs in a text.

As in ``memory.search``, every word has to be there, a part of a word is enough, and neither case nor Unicode form nor
the spelling of umlauts makes a difference. Beyond that a word is found in its other forms: ``Türme`` finds ``Turm``,
and ``Turm`` finds ``Türme``. What stands between quotation marks is looked for as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from gm.base.casefold import casefold, search_key
from gm.memory.recall.words import is_stop_word, stem

LEAST_STEM = 4
"""A stem of fewer letters stands in words that have nothing to do with it."""

Term = tuple[str, ...]
"""The forms of a word that is looked for, as ``search_key`` spells them; one of them has to be there."""

_WANTED = re.compile(r'"([^"]*)"?|„([^“”]*)[“”]?|(\S+)')
_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}
_TURNED = {"a": "ae", "o": "oe", "u": "ue"}
_PIECE = re.compile(r"ae|oe|ue|ss|.", re.DOTALL)
_VOWELS = "aeiouy"


def terms_in(text: str, language: str) -> tuple[Term, ...]:
    """Read the text of a search.

    Args:
        text: As it was typed.
        language: Of the world: in which a word has other forms.

    Returns:
        One term for each word and for each text between quotation marks; none for an empty text.
    """
    terms: list[Term] = []
    for match in _WANTED.finditer(text):
        if (quoted := match[1] if match[1] is not None else match[2]) is not None:
            terms.append((search_key(quoted),))
        else:
            terms.append(_forms_of(match[3], language))
    return tuple(term for term in dict.fromkeys(terms) if term[0])


def spans_of(text: str, terms: Iterable[Term]) -> tuple[tuple[int, int], ...]:
    """Find where terms stand in a text.

    Returns:
        Begin and end of each place, in characters, in order; places that touch are one.
    """
    forms = sorted({form for term in terms for form in term}, key=lambda form: (-len(form), form))
    if not forms:
        return ()
    spans: list[tuple[int, int]] = []
    # each form for itself: where forms lie in one another, the longest place has to be found as well
    for begin, end in sorted(match.span() for form in forms for match in _pattern(form).finditer(text)):
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((begin, end))
    return tuple(spans)


def matches(key: str, terms: Sequence[Term]) -> bool:
    """Return whether every term is in a text that was brought into its search key."""
    return all(any(form in key for form in term) for term in terms)


def _forms_of(word: str, language: str) -> Term:
    """Return the forms of a word: as it stands, its stem, and its stem with the umlaut that its plural may have."""
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
    """Leave out the forms that hold another one of the term: they find nothing beyond it."""
    return tuple(form for form in term if not any(other != form and other in form for other in term))


def _turned(root: str) -> str:
    """Turn the last vowel of a stem into its umlaut: ``turm`` is ``tuerm`` in ``Türme``; the same where it cannot."""
    place = max(root.rfind(vowel) for vowel in _TURNED)
    if place < 0 or any(letter in _VOWELS for letter in root[place + 1 :]):
        return root
    if root[place] == "u" and root[place - 1 : place] == "a":
        place -= 1  # Haus, Häuser
    return root[:place] + _TURNED[root[place]] + root[place + 1 :]


def _pattern(form: str) -> re.Pattern[str]:
    """Make a pattern that finds a form in a text as it was written."""
    return re.compile("".join(_spelled(piece) for piece in _PIECE.findall(form)), re.IGNORECASE)


def _spelled(piece: str) -> str:
    if piece == " ":
        return r"\s+"
    if piece == "ss":
        return "(?:ss|ß)"
    if letter := _UMLAUTS.get(piece):
        return f"(?:{piece}|{letter}|{unicodedata.normalize('NFD', letter)})"
    apart = unicodedata.normalize("NFD", piece)
    # a plain letter is not found where an accent follows it, which makes it another one
    return re.escape(piece) if apart == piece else f"(?:{re.escape(piece)}|{re.escape(apart)})"
