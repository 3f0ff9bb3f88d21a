"""The short name by which others call a character."""

from __future__ import annotations

from functools import lru_cache

from gm.base.casefold import casefold

_TITLES = """
dr prof professor doctor doc mr mrs ms miss mx sir dame lady lord captain major colonel sergeant inspector judge
father mother brother sister aunt auntie uncle grandma grandpa reverend rabbi
frau herr fräulein doktor kapitän hauptmann oberst kommissar kommissarin richter richterin meister meisterin
pater pfarrer pfarrerin pastor pastorin schwester bruder tante onkel oma opa
"""
ABBREVIATED = frozenset({"dr", "prof", "mr", "mrs", "ms", "mx"})
"""Titles after which a full stop ends no sentence."""
TITLES = frozenset(_TITLES.split())
"""Words before a name, case folded and without a full stop."""


@lru_cache(maxsize=4096)
def call_name_of(name: str) -> str:
    """Return the first word of a name that is no title; empty for a blank name.

    A title before a single name, or before one that begins with a small letter, stays: ``Frau Krahl``, ``Frau von Au``.
    """
    words = name.split()
    rest = list(words)
    while rest and casefold(rest[0]).rstrip(".") in TITLES:
        rest.pop(0)
    if len(rest) == len(words):
        return words[0] if words else ""
    return rest[0] if len(rest) > 1 and not rest[0][0].islower() else " ".join(words)
