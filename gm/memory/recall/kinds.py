"""General kinds of things, and near words: ``instruments`` finds ``violin``, ``doctor`` finds ``physician``.

``kinds.json`` and ``near_words`` hold general knowledge, made without regard to any world or benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gm.base.casefold import casefold, search_key
from gm.memory.recall.words import stem

THING = 0.3
"""Weight of a thing of the kind that a question names, or of a near word, against the word itself."""
Kind = Mapping[str, Mapping[str, Sequence[str]]]
"""``names`` and ``things``, each by language."""
Things = Mapping[str, Sequence[str]]
"""The folded things of each kind, by the terms of its names, in one language; near words alike."""
ThingsIn = Callable[[str], Things]
"""Returns the things in a language."""


def no_things(_language: str) -> Things:
    """Return none: a ``ThingsIn`` without general knowledge."""
    return {}


def add_things(
    groups: Sequence[tuple[str, Mapping[str, float]]], language: str, things: Things
) -> list[tuple[str, dict[str, float]]]:
    """Return the words of a question, with near words and the things of the kinds that they name among their terms."""
    found = []
    for word, terms in groups:
        named = things.get(stem(word, language), ())
        found.append((word, dict.fromkeys((stem(thing, language) for thing in named), THING) | dict(terms)))
    return found


class _ThingsByName(Mapping[str, Sequence[str]]):
    """Stems the names with the first letter of a term when one is looked up: stemming all takes a twentieth second."""

    def __init__(self, kinds: Iterable[Kind], language: str, near: Things) -> None:
        self._language = language
        self._near = near
        self._kinds: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        self._found: dict[str, dict[str, tuple[str, ...]]] = {}
        for kind in kinds:
            things = tuple(casefold(thing) for thing in kind["things"].get(language, ()))
            for name in kind["names"].get(language, ()):
                self._kinds.setdefault(search_key(name)[:1], []).append((casefold(name), things))

    def __getitem__(self, term: str) -> Sequence[str]:
        things = (*self._with_letter(term[:1]).get(term, ()), *self._near.get(term, ()))
        if not things:
            raise KeyError(term)
        return things

    def __iter__(self) -> Iterator[str]:
        named = (term for letter in self._kinds for term in self._with_letter(letter))
        return iter(dict.fromkeys((*named, *self._near)))

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


def read_near(text: str) -> dict[str, list[str]]:
    """Return the near words of each term; a line has a term, and those near it that follow in the alphabet."""
    near: dict[str, list[str]] = {}
    for line in text.splitlines():
        first, *others = line.split()
        for other in others:
            near.setdefault(first, []).append(other)
            near.setdefault(other, []).append(first)
    return near


def things_by_name(kinds: Iterable[Kind], language: str, near: Things) -> Things:
    """Return what ``add_things`` looks up; empty where there are no kinds and no near words in a language.

    A name's term begins with the letter with which the name begins.

    Args:
        near: Terms of words that mean nearly the same, by term.
    """
    return _ThingsByName(kinds, language, near)
