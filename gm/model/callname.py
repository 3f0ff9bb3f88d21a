"""The short names by which others call characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

from gm.base.casefold import casefold
from gm.base.languages import in_any_language


@cache
def _titles() -> frozenset[str]:
    return in_any_language(lambda one: one.titles)


@lru_cache(maxsize=4096)
def call_name_of(name: str) -> str:
    """Return the first word of a name that is not a title; empty for a blank name.

    A title before a single name, or before one that begins with a small letter, stays: ``Frau Krahl``, ``Frau von Au``.
    """
    words = name.split()
    rest = list(words)
    while rest and casefold(rest[0]).rstrip(".") in _titles():
        rest.pop(0)
    if len(rest) == len(words):
        return words[0] if words else ""
    return rest[0] if len(rest) > 1 and not rest[0][0].islower() else " ".join(words)


def call_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return by what each of a cast is called: the short name, or the full one if others share the short one.

    Args:
        names: Full names by id.
    """
    short = {one: call_name_of(name) for one, name in names.items()}
    count = Counter(map(casefold, short.values()))
    return {one: name if count[casefold(name)] == 1 else " ".join(names[one].split()) for one, name in short.items()}
