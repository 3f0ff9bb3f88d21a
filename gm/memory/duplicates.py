"""Find the memory of the last days that a new one repeats."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from gm.base.casefold import search_key
from gm.base.config import DuplicatesSettings
from gm.base.languages import in_any_language, language_of, languages
from gm.memory.lens import original_text
from gm.memory.recall.words import is_stop_word, split_words, stem, without_stop_words
from gm.model.node import Node

LEAST_WORDS = 4
"""Memories with fewer words must be equal: one word would decide too much."""

CACHED = 16_384
"""Texts whose words and numbers are kept."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def find_duplicate(
    new: Node, known: Iterable[Node], settings: DuplicatesSettings, language: str, names: Collection[str] = ()
) -> Node | None:
    """Return the newest memory that a new one repeats, if any.

    Only memories of the same type are compared. With ``overlap`` they are the same when they share this part of their
    words:

    overlap = |stems of both| / |stems of either|, without stop words

    unless they differ in a number, in a person (``names``) or in whether something is denied. ``known`` are memories of
    the same character, oldest first; days are counted back from the new one's.
    """
    if not settings.days:
        return None
    wanted = _words(new.description)
    people = frozenset(names)
    marks = _marks(new.description, people)
    stems = _stems(new.description, language)
    before = new.when.day - settings.days
    for node in reversed([node for node in known if node.type == new.type and node.when.day > before]):
        said = original_text(node)  # compare what was said, not what a lens made of it
        if _words(said) == wanted:
            return node
        near = settings.overlap is not None and _overlap(stems, _stems(said, language)) >= settings.overlap
        if near and _marks(said, people) == marks:
            return node
    return None


@cache
def _negations() -> frozenset[str]:
    return in_any_language(lambda one: one.negations)


# cached: each new memory is compared with all memories of the last days
@lru_cache(maxsize=CACHED)
def _words(text: str) -> tuple[str, ...]:
    return tuple(search_key(word) for word in split_words(text)) or (search_key(text),)


@lru_cache(maxsize=CACHED)
def _stems(text: str, language: str) -> frozenset[str]:
    return frozenset(
        stem(word, language) for word in without_stop_words(text, language) if not is_stop_word(word, language)
    )


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    if min(len(one), len(other)) < LEAST_WORDS:
        return 0.0
    return len(one & other) / len(one | other)


@lru_cache(maxsize=CACHED)
def _marks(text: str, names: frozenset[str]) -> tuple[frozenset[str], int, tuple[str, ...]]:
    words = _words(text)
    people = frozenset(words) & frozenset(search_key(name) for name in names)
    denied = sum(word in _negations() for word in words)
    denied += sum(len(language_of(code).negated.findall(text)) for code in languages())
    return people, denied, tuple(sorted(_NUMBER.findall(text)))
