"""The short names by which others call characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import dropwhile

from gm.base.casefold import casefold
from gm.base.languages import in_any_language

_NICKNAME = re.compile(r"""(?<!\S)["“”„»«'‘‚]([^"“”„»«]{2,60}?)["“”»«'’‘](?!\S)""")


@cache
def _titles() -> frozenset[str]:
    return in_any_language(lambda one: one.titles)


@cache
def _epithets() -> frozenset[str]:
    return in_any_language(lambda one: one.epithets)


@cache
def _articles() -> frozenset[str]:
    return in_any_language(lambda one: one.articles)


@lru_cache(maxsize=4096)
def call_name_of(name: str) -> str:
    """Return a nickname in quotation marks, else the first word of a name that is not a title; empty for a blank name.

    A title before a single name, or before one that begins with a small letter, stays: ``Frau Krahl``, ``Frau von Au``.
    So do an epithet (``Old Pell``), and all that follows an article (``The Harbour Master``).
    """
    nickname = _NICKNAME.search(name)
    return " ".join(nickname[1].split()) if nickname else _shorten(name.split())


def without_nickname(name: str) -> str:
    """Return a name without its nickname in quotation marks."""
    return " ".join(_NICKNAME.sub(" ", name).split())


def _shorten(words: list[str]) -> str:
    kept: list[str] = []
    while words:
        first = casefold(words[0]).rstrip(".")
        if first in _epithets():
            kept.append(words[0])
            words = words[1:]
        elif first in _titles():
            rest = list(dropwhile(lambda word: casefold(word).rstrip(".") in _titles(), words))
            if len(rest) < 2 or rest[0][0].islower():
                return " ".join([*kept, *words])
            words = rest
        else:
            return " ".join([*kept, *(words if first in _articles() else words[:1])])
    return " ".join(kept)


def call_names(names: Mapping[str, str], called: Mapping[str, str]) -> dict[str, str]:
    """Return by what each of a cast is called: the short name, or the full one if others share the short one.

    Args:
        names: Full names by id.
        called: What the personas say instead, by id.
    """
    short = {one: called.get(one) or call_name_of(name) for one, name in names.items()}
    count = Counter(map(casefold, short.values()))
    return {
        one: name if called.get(one) or count[casefold(name)] == 1 else " ".join(names[one].split())
        for one, name in short.items()
    }
