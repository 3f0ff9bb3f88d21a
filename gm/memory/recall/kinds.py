"""General kinds of things: ``Which instruments does she play?`` finds ``violin``.

``kinds.json`` holds general knowledge, written without regard to any world or benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gm.base.casefold import casefold, search_key
from gm.memory.recall.words import stem

THING = 0.3
"""Weight of a thing of the kind that a question names, against the name itself."""
Kind = Mapping[str, Mapping[str, Sequence[str]]]
"""``names`` and ``things``, each by language."""
Things = Mapping[str, Sequence[str]]
"""The folded things of each kind, by the terms of its names, in one language."""


def add_things(
    groups: Sequence[tuple[str, Mapping[str, float]]], language: str, things: Things
) -> list[tuple[str, dict[str, float]]]:
    """Return the words of a question, with the things of the kinds that they name among their terms."""
    found = []
    for word, terms in groups:
        named = things.get(stem(word, language), ())
        found.append((word, dict.fromkeys((stem(thing, language) for thing in named), THING) | dict(terms)))
    return found


class _ThingsByName(Mapping[str, Sequence[str]]):
    """Stems the names with the first letter of a term when one is looked up: stemming all takes a twentieth second."""

    def __init__(self, kinds: Iterable[Kind], language: str) -> None:
        self._language = language
        self._kinds: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        self._found: dict[str, dict[str, tuple[str, ...]]] = {}
        for kind in kinds:
            things = tuple(casefold(thing) for thing in kind["things"].get(language, ()))
            for name in kind["names"].get(language, ()):
                self._kinds.setdefault(search_key(name)[:1], []).append((casefold(name), things))

    def __getitem__(self, term: str) -> Sequence[str]:
        return self._with_letter(term[:1])[term]

    def __iter__(self) -> Iterator[str]:
        return (term for letter in self._kinds for term in self._with_letter(letter))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _with_letter(self, letter: str) -> Mapping[str, Sequence[str]]:
        if letter not in self._found:
            found: dict[str, tuple[str, ...]] = {}
            for name, things in self._kinds.get(letter, ()):
                term = stem(name, self._language)
                found[term] = (*found.get(term, ()), *things)
            self._found[letter] = found  # whole, as several threads may look something up
        return self._found[letter]


def things_by_name(kinds: Iterable[Kind], language: str) -> Things:
    """Return what ``add_things`` looks up; empty where there are no kinds in a language.

    A name's term begins with the letter with which the name begins.
    """
    return _ThingsByName(kinds, language)
