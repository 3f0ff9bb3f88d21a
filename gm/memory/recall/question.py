"""Read a question: its words, and the people and days it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from gm.base.casefold import casefold
from gm.base.languages import in_any_language, language_of
from gm.memory.recall.dates import NamedDays, find_spans, find_wanted, without
from gm.memory.recall.query import Query
from gm.memory.recall.words import is_question, is_stop_word, split_words, stem, stop_words, without_stop_words

SYNONYM = 0.7
"""Weight of a synonym from the glossary, against the word itself."""

SHORT_LETTERS = 3
"""Letters of a short form of a name, such as Ben for Benjamin."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """What a question asks for.

    Attributes:
        words: Content words in order, folded; without names of people.
        without_names: The question without these names: the input of a vector.
        wants: Whether it asks for a time or a number (``answers``).
    """

    words: tuple[str, ...]
    named: frozenset[str]
    spans: tuple[NamedDays, ...]
    without_names: str
    wants: int = 0


def read_question(query: Query, speakers: Iterable[str], language: str) -> ParsedQuestion:
    """Read a question asked of a stream with these folded ``speakers``.

    Names only choose the people that count more (``signals``); as words they would find memories in which these are
    addressed. They stay words where nothing else is left. `What did Vera tell Emre?` asks about Vera, whom it names
    first, unless she asks it herself.
    """
    spans = find_spans(query.text, query.day, query.weekdays)
    text = without(query.text, spans)
    people = (*query.people, *((name,) for name in speakers))
    named, taken = find_named(query.text, people)
    if query.purpose == "past" and is_question(query.text):
        present = [names for names in people if not named.isdisjoint(map(casefold, names))]
        first = _find_first(query.text, present, language) if len(present) > 1 else named
        named = named if casefold(query.asker) in first else first
    myself = in_any_language(lambda one: one.myself)
    if query.asker and not myself.isdisjoint(split_words(query.text)):
        named |= _names_of(query.asker, query.people)
    words = without_stop_words(text, language)
    about = tuple(word for word in words if word not in taken)
    if not about or all(is_stop_word(word, language) for word in about):
        about = tuple(words)
    return ParsedQuestion(about, frozenset(named), spans, _take_out(query.text, taken), find_wanted(query.text))


def find_named(text: str, people: Iterable[Sequence[str]]) -> tuple[set[str], set[str]]:
    """Find the people in a text, by any name or its first three letters (``Mel``).

    Returns:
        All their folded names, and the text's words that name them.
    """
    here = f" {' '.join(split_words(text))} "
    capitals = {casefold(word) for word in re.findall(r"[^\W\d_]+", text) if word[0].isupper()}
    named: set[str] = set()
    taken: set[str] = set()
    for names in people:
        found = [" ".join(split_words(name)) for name in names]
        full = {word for name in found if name and f" {name} " in here for word in name.split()}
        short = {name[:SHORT_LETTERS] for name in found if len(name) > SHORT_LETTERS + 1 and " " not in name}
        short = {name for name in short & capitals if name not in stop_words()}
        if full or short:
            named |= {casefold(name) for name in names if name}
            taken |= full | short
    return named, taken


def _find_first(text: str, people: Iterable[Sequence[str]], language: str) -> set[str]:
    """Return the names of the person named first, and of those who follow, joined by nothing but `and`."""
    of_word: dict[str, set[str]] = {}
    for names in people:
        named, taken = find_named(text, (names,))
        for word in taken:
            of_word.setdefault(word, set()).update(named)
    joined = {*of_word, language_of(language).conjunction}
    from_first = dropwhile(lambda word: word not in of_word, split_words(text))
    return set[str]().union(*(of_word.get(word, ()) for word in takewhile(joined.__contains__, from_first)))


def term_groups(
    words: Sequence[str], language: str, glossary: Mapping[str, Sequence[str]]
) -> list[tuple[str, dict[str, float]]]:
    """Return each folded word of a question with its terms and their weights.

    The ``glossary`` is read in both directions.
    """
    same = _synonyms(glossary, language)
    groups = []
    for word in words:
        term = stem(word, language)
        groups.append((word, {term: 1.0} | {other: SYNONYM for other in sorted(same.get(term, ())) if other != term}))
    return groups


def _synonyms(glossary: Mapping[str, Sequence[str]], language: str) -> dict[str, set[str]]:
    same: dict[str, set[str]] = {}
    for word, others in glossary.items():
        sets = [{stem(part, language) for part in without_stop_words(item, language)} for item in (word, *others)]
        for place, own in enumerate(sets):
            rest = set().union(*(terms for other, terms in enumerate(sets) if other != place and 0 in (other, place)))
            for term in own:
                same.setdefault(term, set()).update(rest)
    return same


def _names_of(asker: str, people: Iterable[Sequence[str]]) -> set[str]:
    wanted = casefold(asker)
    mine = next((names for names in people if names and casefold(names[0]) == wanted), (asker,))
    return {casefold(name) for name in mine if name}


def _take_out(text: str, taken: Iterable[str]) -> str:
    for word in sorted(taken, key=lambda item: (-len(item), item)):
        text = re.sub(rf"\b{re.escape(word)}(?:['’]s)?\b", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())
