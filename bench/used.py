"""Which earlier memories an answer rests on: cited, or said again in words that only they could have given.

A new text (a memory, an utterance, a thought, what is left open) says an older memory again when

- four words stand in both, one after another, at least two of them with content, and nowhere else in the letter; or
- ``FEWEST`` content words stand in both and nowhere else in the letter, each in at most ``RAREST`` memories of the
  stream.

Words are compared by their stems; names of the cast are not content. "Elsewhere in the letter" is the whole prompt
without the memories that it quotes. How often chance alone, or a day that was lived together, gives as much is
counted with the memories of the other characters (``found_by_chance``): these the character never read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bench.letters import Letter, Reply
from gm.memory.recall.words import is_stop_word, split_words, stem
from gm.model.node import Node

RUN = 4
CONTENT_IN_RUN = 2
FEWEST = 3
RAREST = 2

Run = tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """The words of a text.

    Attributes:
        runs: Each ``RUN`` words that follow one another, with enough content.
        words: Stems of its content words.
    """

    runs: frozenset[Run]
    words: frozenset[str]


@lru_cache(maxsize=200_000)
def read_text(text: str, language: str, names: frozenset[str]) -> Text:
    """Return a text's words."""
    words = split_words(text)
    terms = [stem(word, language) for word in words]
    tells = [len(word) > 1 and not is_stop_word(word, language) and word not in names for word in words]
    runs = frozenset(
        tuple(terms[at : at + RUN]) for at in range(len(terms) - RUN + 1) if sum(tells[at : at + RUN]) >= CONTENT_IN_RUN
    )
    return Text(runs, frozenset(term for term, told in zip(terms, tells, strict=True) if told))


def cited(letter: Letter) -> frozenset[str]:
    """Return the ids of earlier memories that an answer cites as evidence."""
    known = {node.id for node in letter.before}
    return frozenset(
        str(name)
        for memory in (*_items(letter.answer, "memories"), *_items(letter.answer, "insights"))
        for name in memory.get("evidence") or ()
        if name in known
    )


def told_of_closed(letter: Letter) -> frozenset[str]:
    """Return the ids of memories of the scene in which a thread began that an answer closes, and that tell of it."""
    names = _names(letter)
    found = set()
    for closed in _items(letter.answer, "closes"):
        opened, about = letter.threads.get(str(closed.get("id")), ("", ""))
        words = read_text(about, letter.language, names).words
        found |= {
            node.id
            for node in letter.before
            if node.created == opened
            and len(words & read_text(node.description, letter.language, names).words) >= FEWEST
        }
    return frozenset(found)


def said_again(letter: Letter, fewest: int = FEWEST) -> frozenset[str]:
    """Return the ids of earlier memories that an answer says again."""
    return frozenset(_matching(letter, letter.before, fewest))


def found_by_chance(letter: Letter, fewest: int = FEWEST, *, unread: bool = False) -> tuple[int, int]:
    """Return how many memories of other characters the rule finds in an answer, and how many there are.

    Args:
        unread: Only by words that no memory of the character's own holds either.
    """
    sizes = [(len(_matching(letter, stream, fewest, unread)), len(stream)) for stream in letter.others.values()]
    return sum(found for found, _ in sizes), sum(size for _, size in sizes)


def _matching(letter: Letter, stream: Sequence[Node], fewest: int, unread: bool = False) -> list[str]:
    names = _names(letter)
    new = [read_text(text, letter.language, names) for text in texts_of(letter.answer)]
    outside = _outside(letter, () if unread else tuple(node.description for node in letter.before))
    held = [read_text(node.description, letter.language, names) for node in stream]
    counts = Counter(word for text in held for word in text.words)
    runs = frozenset().union(*(text.runs for text in new)) - outside.runs
    sets = [frozenset(word for word in text.words - outside.words if 0 < counts[word] <= RAREST) for text in new]
    return [
        node.id
        for node, text in zip(stream, held, strict=True)
        if text.runs & runs or any(len(words & text.words) >= fewest for words in sets)
    ]


def texts_of(answer: Reply) -> Iterator[str]:
    """Yield what an answer says anew."""
    yield str(answer.get("thoughts") or "")
    for key, name in (("memories", "description"), ("dialogue", "text"), ("opens", "text"), ("insights", "text")):
        yield from (str(item.get(name) or "") for item in _items(answer, key))
    kept = answer.get("conversation")
    if isinstance(kept, dict):
        yield str(kept.get("description") or "")


def _items(answer: Reply, key: str) -> list[Reply]:
    items = answer.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _outside(letter: Letter, told: tuple[str, ...]) -> Text:
    return _without_memories(letter.system, letter.text, told, letter.language, _names(letter))


@lru_cache(maxsize=64)
def _without_memories(system: str, text: str, told: tuple[str, ...], language: str, names: frozenset[str]) -> Text:
    parts = []
    for part in (system, text):
        for description in told:
            part = part.replace(description, "\n|\n")
        parts.append(part)
    return read_text("\n".join(parts), language, names)


def _names(letter: Letter) -> frozenset[str]:
    return frozenset(word for names in letter.people for name in names for word in split_words(name))
