"""Phrase packs: the sentences of a language, shared out so that no two characters ever use the same one."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

import yaml

FALLBACK = "en"
SHARES = 14
"""Most shares into which a list is divided; in a larger cast the rest weave their own name in."""

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@lru_cache(maxsize=8)
def load_pack(language: str) -> dict[str, tuple[str, ...]]:
    """Load the phrase pack of a language, English when there is none. Read once."""
    folder = resources.files(__package__) / "phrases"
    file = folder / f"{language}.yaml"
    if not language.isalpha() or not file.is_file():
        file = folder / f"{FALLBACK}.yaml"
    loaded = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
    return {slot: tuple(entries) for slot, entries in loaded.items()}


@lru_cache(maxsize=4096)
def share_of(language: str, slot: str, index: int, count: int) -> tuple[str, ...]:
    """Give the phrases of a slot that belong to one character.

    Args:
        language: Language of the world.
        slot: Name of the list in the pack.
        index: Place of the character in the cast, from 0.
        count: Size of the cast.

    Returns:
        Every phrase whose number is ``index`` modulo the number of shares; shares never overlap.
    """
    shares = min(count, SHARES)
    return load_pack(language)[slot][index % shares :: shares]
