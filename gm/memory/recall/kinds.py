"""General kinds of things: ``Which instruments does she play?`` finds ``violin``.

``kinds.json`` holds general knowledge, written without regard to any world or benchmark. JSON of this size is read a
hundred times as fast as YAML.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from gm.base.casefold import casefold
from gm.memory.recall.words import stem

THING = 0.3
"""Weight of a thing of the kind that a question names, against the name itself."""


def add_things(groups: Sequence[tuple[str, Mapping[str, float]]], language: str) -> list[tuple[str, dict[str, float]]]:
    """Return the words of a question, with the things of the kinds that they name among their terms."""
    known = things_by_name(language)
    found = []
    for word, terms in groups:
        things = known.get(stem(word, language), ())
        found.append((word, dict.fromkeys((stem(thing, language) for thing in things), THING) | dict(terms)))
    return found


@cache
def things_by_name(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the folded things of each kind, by the terms of its names; empty where there are none in a language."""
    found: dict[str, tuple[str, ...]] = {}
    for kind in json.loads((files(__package__) / "kinds.json").read_text(encoding="utf-8")):
        things = tuple(casefold(thing) for thing in kind["things"].get(language, ()))
        for name in kind["names"].get(language, ()):
            term = stem(casefold(name), language)
            found[term] = (*found.get(term, ()), *things)
    return found
