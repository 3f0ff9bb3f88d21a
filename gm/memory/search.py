"""Find memories by their words, without an index.

A typed word is also found in its other forms (``Türme``, ``Turm``); text in quotation marks is matched literally.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from gm.base.casefold import UMLAUTS, casefold, casefold_tag, search_key
from gm.base.languages import in_any_language, language_of
from gm.memory.recall.matching import rarity
from gm.memory.recall.words import is_stop_word, stem, terms_of, without_stop_words
from gm.model.node import Node

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""BM25: how soon a repeated word counts no more (k1), and how much of a text's length is evened out (b)."""
LEAST_LETTERS = 4
"""Letters from which a word that begins or ends another one is related to it."""
RELATED_WEIGHT = 0.4
"""Weight of a related stem, against 1 for the same stem."""


def rank_texts(query: str, texts: Sequence[str], language: str) -> list[tuple[int, float]]:
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
    words = without_stop_words(query, language)
    visiting = in_any_language(lambda one: one.looking_up)
    kept = [word for word in words if word not in visiting] or words
    return list(dict.fromkeys(stem(word, language) for word in kept))


def find_text(nodes: Iterable[Node], text: str) -> Iterator[Node]:
    """Yield the nodes with all words of a text in description and tags; an empty text is in every node.

    Case, Unicode form and the spelling of umlauts make no difference; a part of a word is enough.
    """
    words = search_key(text).split()
    for node in nodes:
        inside = search_key(" ".join((node.description, *node.tags)))
        if all(word in inside for word in words):
            yield node


def carries(node: Node, tags: Iterable[str]) -> bool:
    """Return whether a node carries one of the tags."""
    own = {casefold_tag(tag) for tag in node.tags}
    return any(casefold_tag(tag) in own for tag in tags)


LEAST_STEM = 4
"""A stem of fewer letters occurs in unrelated words."""

Term = tuple[str, ...]
"""The forms of a word, as ``search_key`` spells them; one of them has to occur."""

_WANTED = re.compile(r'"([^"]*)"?|„([^“”]*)[“”]?|(\S+)')
_UMLAUTS = {spelled: letter for letter, spelled in UMLAUTS.items()}
_PIECE = re.compile(r"ae|oe|ue|ss|.", re.DOTALL)
_VOWELS = "aeiouy"

LEAST_NEEDLE = 3
"""A part of fewer letters stands in nearly every line."""
_UNCERTAIN = re.compile(r"""^s+|^e|s+$|[aou]$|[aou]e|ss+|[^!-~]|[k"\\/;`]""")
"""What a text may spell otherwise than its ``search_key``, or a JSON string otherwise than the text."""
_ESCAPED = b"\\u"
_OTHER_SPELLINGS = {
    b"\xc4\xb0": b"i",
    b"\xc5\x89": b"n",
    b"\xc5\xbf": b"s",
    b"\xe1\xba\x9a": b"a",
    b"\xef\xac": b"filst",
}
"""The letters outside ASCII, but for the K of Kelvin, whose ``search_key`` has ASCII letters: these."""


def terms_in(text: str, language: str) -> tuple[Term, ...]:
    """Return a term for each word and quoted text."""
    terms: list[Term] = []
    for match in _WANTED.finditer(text):
        if (quoted := match[1] if match[1] is not None else match[2]) is not None:
            terms.append((search_key(quoted),))
        else:
            terms.append(_forms_of(match[3], language))
    return tuple(term for term in dict.fromkeys(terms) if term[0])


def find_term_spans(text: str, terms: Iterable[Term]) -> tuple[tuple[int, int], ...]:
    """Return begin and end of terms in characters; places that touch are merged."""
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
    """Return whether every term is in a text in ``search_key`` form."""
    return all(any(form in key for form in term) for term in terms)


def says_exactly(key: str, terms: Sequence[Term]) -> bool:
    """Return whether every term is in a text in ``search_key`` form as it was typed, not in another form."""
    return matches(key, [term[:1] for term in terms])


def _forms_of(word: str, language: str) -> Term:
    key = search_key(word)
    if not word.isalpha() or is_stop_word(casefold(word), language):
        return (key,)
    root = stem(casefold(word), language)
    if len(root) < LEAST_STEM:
        return (key,)
    return tuple(dict.fromkeys((key, root, _turn_vowel(root, language_of(language).turned))))


def keep_needed(term: Term) -> Term:
    """Return a term without the forms that contain another."""
    return tuple(form for form in term if not any(other != form and other in form for other in term))


def needles_of(terms: Iterable[Term]) -> tuple[bytes, ...]:
    """Return bytes; a JSON line with all the terms contains one of them in lower case.

    Returns:
        Parts of the forms of the term that says most; none if no term says enough.
    """
    parts = [[max(_UNCERTAIN.split(form), key=len).encode() for form in keep_needed(term)] for term in terms]
    best = max(parts, key=lambda own: min(map(len, own)), default=[b""])
    if min(map(len, best)) < LEAST_NEEDLE:
        return ()
    letters = set(b"".join(best))
    return (*best, _ESCAPED, *(other for other, own in _OTHER_SPELLINGS.items() if not letters.isdisjoint(own)))


def needles_in(data: bytes, needles: Iterable[bytes]) -> list[bytes]:
    """Return those of some needles whose first byte is in lower-case bytes, which is found out much sooner."""
    return [needle for needle in needles if needle[:1] in data]


def _turn_vowel(root: str, turned: Mapping[str, str]) -> str:
    # ``turm`` becomes ``tuerm`` (``Türme``); unchanged where its last vowel has no umlaut.
    place = max((root.rfind(vowel) for vowel in turned), default=-1)
    if place < 0 or any(letter in _VOWELS for letter in root[place + 1 :]):
        return root
    if root[place] == "u" and root[place - 1 : place] == "e":
        return root  # neun, neu
    if root[place] == "u" and root[place - 1 : place] == "a":
        place -= 1  # Haus, Häuser
    return root[:place] + turned[root[place]] + root[place + 1 :]


def _pattern(form: str) -> re.Pattern[str]:
    return re.compile("".join(_spell_piece(piece) for piece in _PIECE.findall(form)), re.IGNORECASE)


def _spell_piece(piece: str) -> str:
    if piece == " ":
        return r"\s+"
    if piece == "ss":
        return "(?:ss|ß)"
    if letter := _UMLAUTS.get(piece):
        return f"(?:{piece}|{letter}|{unicodedata.normalize('NFD', letter)})"
    apart = unicodedata.normalize("NFD", piece)
    # a plain letter does not match where a combining accent follows
    return re.escape(piece) if apart == piece else f"(?:{re.escape(piece)}|{re.escape(apart)})"
