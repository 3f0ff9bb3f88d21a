"""Tell whether a new memory repeats one of the last days."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from gm.base.casefold import search_key
from gm.base.config import DuplicatesSettings
from gm.memory.lens import original_text
from gm.memory.recall.words import content_words, is_stop_word, split_words, stem
from gm.model.node import Node

LEAST_WORDS = 4
"""Two memories of fewer words are the same only when they say the same words: one word decides too much."""

_NOT = frozenset(
    (
        *("nicht", "nichts", "nie", "niemals", "niemand", "nirgends", "ohne", "weder", "statt"),
        *("kein", "keine", "keinen", "keinem", "keiner", "keines"),
        *("not", "no", "never", "nobody", "nothing", "nowhere", "without", "neither", "nor", "none", "cannot"),
    )
)
CACHED = 16_384
_SHORT_NOT = re.compile(r"n['’]t\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def find_duplicate(
    new: Node,
    known: Iterable[Node],
    settings: DuplicatesSettings,
    language: str,
    names: Collection[str] = (),
) -> Node | None:
    """Find the memory that a new one repeats; the newest where there are several, None where there is none.

    A memory repeats only one of its own type: an insight is never dropped because something of these words was lived,
    nor the other way round. With ``overlap`` two memories are the same that have this share of their words in common:

        overlap = |stems of both| / |stems of either|, without stop words

    unless they differ in a number, in a person they name or in whether something is denied.

    Args:
        new: The new memory; the days are counted back from its own.
        known: The memories of the same character, oldest first.
        settings: How many days, and how much of the words.
        language: Language of the world.
        names: Names of the people of the world.
    """
    if not settings.days:
        return None
    wanted = _words(new.description)
    people = frozenset(names)
    marks = _marks(new.description, people)
    stems = _stems(new.description, language)
    before = new.when.day - settings.days
    for node in reversed([node for node in known if node.type == new.type and node.when.day > before]):
        said = original_text(node)  # what a lens has made of it is not what was said
        if _words(said) == wanted:
            return node
        near = settings.overlap is not None and _overlap(stems, _stems(said, language)) >= settings.overlap
        if near and _marks(said, people) == marks:
            return node
    return None


# cached: a new memory is held against all of the last days, and so is the next one
@lru_cache(maxsize=CACHED)
def _words(text: str) -> tuple[str, ...]:
    return tuple(search_key(word) for word in split_words(text)) or (search_key(text),)


@lru_cache(maxsize=CACHED)
def _stems(text: str, language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in content_words(text, language) if not is_stop_word(word, language))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    if min(len(one), len(other)) < LEAST_WORDS:
        return 0.0
    return len(one & other) / len(one | other)


@lru_cache(maxsize=CACHED)
def _marks(text: str, names: frozenset[str]) -> tuple[frozenset[str], int, tuple[str, ...]]:
    """What makes two sentences of the same words say different things: people, denial, numbers."""
    words = _words(text)
    people = frozenset(words) & frozenset(search_key(name) for name in names)
    denied = sum(word in _NOT for word in words) + len(_SHORT_NOT.findall(text))
    return people, denied, tuple(sorted(_NUMBER.findall(text)))
