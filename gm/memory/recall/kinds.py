"""General kinds of things: ``Which instruments does she play?`` finds ``violin``.

``kinds.json`` holds general knowledge, written without regard to any world or benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gm.base.casefold import casefold
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


def things_by_name(kinds: Iterable[Kind], language: str) -> Things:
    """Return what ``add_things`` looks up; empty where there are no kinds in a language."""
    found: dict[str, tuple[str, ...]] = {}
    for kind in kinds:
        things = tuple(casefold(thing) for thing in kind["things"].get(language, ()))
        for name in kind["names"].get(language, ()):
            term = stem(casefold(name), language)
            found[term] = (*found.get(term, ()), *things)
    return found
