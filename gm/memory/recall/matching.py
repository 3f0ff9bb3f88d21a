"""Match the words of a question: BM25 with compounds, synonyms, pairs and coverage."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gm.base.languages import language_of
from gm.memory.recall.columns import SATURATION, Columns
from gm.memory.recall.lexicon import Lexicon
from gm.memory.recall.words import LONGEST, stem

PAIRS = 0.3
"""Gain for each pair of words that stand together as in the question."""
COVERAGE = 0.3
"""Gain for covering the whole question."""
COMPOUND = 0.4
"""Weight of a part of a compound, against a whole word."""
BEGINNING = 0.4
"""Weight of a word with the same beginning, against the same word."""
SHORTEST_PART = 3
"""Letters of the shortest part into which a compound is split."""
SAME_BEGINNING = 5
"""Letters that two words must share at their beginning."""
SHORTEST_END = 4  # letters that must be left of a compound where they are not a word of the stream
UNPROVEN = 0.5
"""Factor of a part when the rest of the compound is not a word of the stream."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question in one stream.

    Attributes:
        rarity: Its idf.
        held: Score of the best of its terms, by place.
    """

    rarity: float
    held: Mapping[int, float]


def score_memories(groups: Sequence[tuple[str, Mapping[str, float]]], columns: Columns) -> dict[int, float]:
    """Score memories by a question: ``find_words``, then ``score_words``."""
    return score_words(find_words(groups, columns), groups, columns)


def find_words(groups: Sequence[tuple[str, Mapping[str, float]]], columns: Columns) -> list[Word]:
    """Return a question's words in a stream, each once.

    A word counts as the best of its terms: itself, a compound with it, one of its parts, a term with the same
    beginning, a synonym. idf = ln(1 + (N - n + 0.5) / (n + 0.5)), n = memories with the word itself, or else any of
    these.

    Args:
        groups: Each word of the question with its terms and their weights.
    """
    lexicon = columns.lexicon
    size = len(lexicon.entries)
    found: dict[str, Word] = {}
    for word, terms in groups:
        term = stem(word, lexicon.language)
        if term not in found:
            held = _find_held(word, terms, columns)
            number = len(lexicon.find(term).places) or len(held) if held else 0
            found[term] = Word(rarity(size, number), held)
    return list(found.values())


def score_words(
    words: Sequence[Word],
    groups: Sequence[tuple[str, Mapping[str, float]]],
    columns: Columns,
) -> dict[int, float]:
    """Score memories with at least one of the words, by place.

    score = sum over words of idf · w · f · (k + 1) / (f + k · (1 - b + b · length / mean length)),
    k = SATURATION, b = LENGTH_SHARE,
    times 1 + PAIRS · (pairs of words that stand together) and 1 + COVERAGE · (share of the question, by idf).

    Source:
        Robertson and Zaragoza, The Probabilistic Relevance Framework (2009); pairs, coverage and compounds are ours.
    """
    lexicon = columns.lexicon
    whole = math.fsum(word.rarity for word in words)
    scores: dict[int, float] = {}
    several: set[int] = set()
    for word in words:
        alone = 1 + COVERAGE * word.rarity / whole
        own = {place: word.rarity * value * alone for place, value in word.held.items()}
        several |= scores.keys() & own.keys()
        scores = _add_values(scores, own)
    pairs = count_pairs([stem(word, lexicon.language) for word, _ in groups], lexicon)
    for place in several | pairs.keys():
        score = covered = 0.0
        for word in words:
            if place in word.held:
                score += word.rarity * word.held[place]
                covered += word.rarity
        scores[place] = score * (1 + PAIRS * pairs.get(place, 0)) * (1 + COVERAGE * covered / whole)
    return scores


def _find_held(word: str, terms: Mapping[str, float], columns: Columns) -> dict[int, float]:
    related, norms, lengths = columns.related(word, _find_related), columns.norms, columns.lengths
    found: dict[int, float] = {}
    for term, weight in sorted({**related, **terms}.items(), key=lambda item: (-item[1], item[0])):
        places, counts, _ = columns.lexicon.find(term)
        factor = weight * (SATURATION + 1)
        values = {
            place: factor * count / (count + norms[lengths[place]]) for place, count in zip(places, counts, strict=True)
        }
        for place in found.keys() & values.keys():
            values[place] = max(values[place], found[place])
        found = _add_values(found, values)
    return found


def _add_values(found: dict[int, float], values: dict[int, float]) -> dict[int, float]:
    """Add values to those found, which are replaced where there are none: a long stream may have a million."""
    if not found:
        return values
    found |= values
    return found


def _find_related(word: str, lexicon: Lexicon) -> dict[str, float]:
    return beginnings_of(word, lexicon) | compounds_of(word, lexicon)


def compounds_of(word: str, lexicon: Lexicon) -> dict[str, float]:
    """Return the compounds that contain a folded word, and its parts, with their weights.

    ``Knochen`` finds ``Knochenturm``, and ``Knochenturm`` finds ``Turm``. A part counts ``COMPOUND`` when the rest of
    the compound is a word of the stream too, else half of it (``Karte``, ``Kartoffel``).
    """
    if not language_of(lexicon.language).links or len(word) > LONGEST:  # each cut is tried
        return {}
    term = stem(word, lexicon.language)
    found: dict[str, float] = {}
    if len(term) >= SHORTEST_PART + 1:
        for longer in lexicon.compounds(term):
            rest = longer[len(term) :] if longer.startswith(term) else longer[: -len(term)]
            if _is_known(_trim(rest, longer.startswith(term), lexicon.language), lexicon):
                found[longer] = COMPOUND
            elif len(rest) >= SHORTEST_END:
                found[longer] = COMPOUND * UNPROVEN
    for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
        last = stem(word[cut:], lexicon.language)
        if len(last) < SHORTEST_PART or not lexicon.find(last).places:
            continue
        begin = next((part for part in _trim(word[:cut], False, lexicon.language) if lexicon.find(part).places), "")
        if begin and len(begin) >= SHORTEST_PART:
            found[begin] = max(found.get(begin, 0.0), COMPOUND)
            found[last] = max(found.get(last, 0.0), COMPOUND)
        elif len(last) >= SHORTEST_END and len(stem(word[:cut], lexicon.language)) >= SHORTEST_PART:
            found[last] = max(found.get(last, 0.0), COMPOUND * UNPROVEN)
    found.pop(term, None)
    return found


def beginnings_of(word: str, lexicon: Lexicon) -> dict[str, float]:
    """Return the terms with a folded word's first five letters."""
    term = stem(word, lexicon.language)
    if len(term) < SAME_BEGINNING:
        return {}
    begin = term[:SAME_BEGINNING]
    return {
        other: BEGINNING for other in (begin, *lexicon.compounds(begin)) if other.startswith(begin) and other != term
    }


def _trim(rest: str, after: bool, language: str) -> list[str]:
    links = language_of(language).links
    if after:
        cut = [rest[len(link) :] for link in links if rest.startswith(link)]
    else:
        cut = [rest.removesuffix(link) if link else rest for link in links if rest.endswith(link)]
    return list(dict.fromkeys(stem(part, language) for part in cut if len(part) >= SHORTEST_PART))


def _is_known(terms: Iterable[str], lexicon: Lexicon) -> bool:
    return any(lexicon.find(term).places for term in terms)


def count_pairs(terms: Sequence[str], lexicon: Lexicon) -> dict[int, int]:
    """Count by memory a question's pairs of neighbouring words, at most one word apart."""
    counts: dict[int, int] = {}
    for first, second in dict.fromkeys(pairwise(terms)):
        one, two = lexicon.find(first), lexicon.find(second)
        few, many = sorted((one.places, two.places), key=len)
        both = set(few).intersection(many) if few else set()
        if not both:
            continue
        before, after = one.at(both), two.at(both)
        for place in both:
            if _follow(before[place], after[place]):
                counts[place] = counts.get(place, 0) + 1
    return counts


def _follow(first: bytes, second: bytes) -> bool:
    after = array("H", second)
    for place in array("H", first):  # noqa: SIM110 (a generator takes twice the time)
        if place + 1 in after or place + 2 in after:
            return True
    return False


def rarity(size: int, number: int) -> float:
    """Return the idf of a word in ``number`` of ``size`` texts."""
    return math.log(1 + (size - number + 0.5) / (number + 0.5))
