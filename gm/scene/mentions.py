"""What a text is about, without a model: names of the cast, and shared words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from gm.base.casefold import casefold
from gm.model.character import Agent

_WORD = re.compile(r"\w[\w'-]+")
_SHORT = 5


def mentioned(text: str, cast: Iterable[Agent]) -> tuple[str, ...]:
    """Return the ids of agents named in a text by id or call name, in order of occurrence."""
    folded = casefold(text)
    found = []
    for agent in cast:
        for name in (agent.id, agent.call_name):
            match = _as_word(name).search(folded)
            if match:
                found.append((match.start(), agent.id))
                break
    return tuple(agent for _, agent in sorted(found))


@lru_cache(maxsize=1024)
def _as_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(casefold(name))}(?!\w)")


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Return the words longer than four letters, cut to their first seven in place of stemming."""
    return frozenset(word[:7] for word in _WORD.findall(casefold(text)) if len(word) >= _SHORT)


def touches(text: str, others: Iterable[str]) -> bool:
    """Return whether a text shares a content word with one of the others."""
    words = content_words(text)
    return any(words & content_words(other) for other in others)


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the content words of more than half of the texts."""
    return _common_words(tuple(texts))


@lru_cache(maxsize=64)
def _common_words(texts: tuple[str, ...]) -> frozenset[str]:
    words = [content_words(text) for text in texts]
    counts = Counter(word for one in words for word in one)
    return frozenset(word for word, count in counts.items() if count > max(2, len(words) / 2))
