"""Lenses: how a character distorts its memories (document 000, "Semantic Distortion Filters").

A lens bends what is stored (formation), how it reads in a prompt (retrieval), or what the present calls up
(association). Its words are literal, or beginnings with ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gm.base.casefold import casefold, composed
from gm.base.config.kinds import is_number
from gm.model.node import Node

FORMATION, RETRIEVAL, ASSOCIATION = "formation", "retrieval", "association"
PLACES = (FORMATION, RETRIEVAL, ASSOCIATION)
WORD = re.compile(r"\w+")
_SENTENCE_END = '.!?…:»«"„“”'


@dataclass(frozen=True, slots=True)
class Lens:
    """One way of bending memories.

    Attributes:
        tags: A memory with one of them, or one of ``words``, is bent; both empty = all.
        words: A ``*`` at the end stands for any ending.
        replace: Replacements by folded word, or by the beginning of one with ``*``.
        importance: Added, from -9 to 9.
        valence: Added, from -2 to 2.
        by: The boost, as a part of the best score.
    """

    at: str
    name: str = ""
    tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    replace: Mapping[str, str] = field(default_factory=dict)
    add: str = ""
    importance: int = 0
    valence: float = 0.0
    boost: tuple[str, ...] = ()
    by: float = 0.5

    def concerns(self, text: str, tags: Iterable[str]) -> bool:
        if not self.tags and not self.words:
            return True
        if self.tags and not {casefold(tag) for tag in tags}.isdisjoint(self.tags):
            return True
        return bool(self.words) and any(_find(casefold(word), self.words) for word in WORD.findall(composed(text)))

    def apply(self, text: str) -> str:
        whole = composed(text)

        def bend(match: re.Match[str]) -> str:
            found = _find(casefold(match[0]), self.replace)
            if not found:
                return match[0]
            instead = self.replace[found]
            is_first = match[0][0].isupper() and _begins_sentence(whole, match.start())
            return instead[:1].upper() + instead[1:] if is_first else instead

        bent = " ".join(WORD.sub(bend, whole).split()) if self.replace else text
        return f"{bent} {self.add}" if self.add else bent


@dataclass(frozen=True, slots=True)
class Bent:
    """A memory as stored; its metadata keeps the original."""

    description: str
    importance: int
    metadata: Mapping[str, object]


def form_through(
    description: str, importance: int, tags: Sequence[str], metadata: Mapping[str, object], lenses: Sequence[Lens]
) -> Bent:
    """Bend a memory while it is formed; its original text stays in ``metadata.original``.

    Args:
        importance: From 1 to 10.
        metadata: Its ``valence`` may be bent.
        lenses: Those of other kinds are ignored.
    """
    text, weight, names = description, importance, []
    felt = metadata.get("valence")
    valence = float(felt) if is_number(felt) else None
    before = valence
    for lens in lenses:
        if lens.at != FORMATION or not lens.concerns(description, tags):
            continue
        changed = (
            lens.apply(text),
            min(10, max(1, weight + lens.importance)),
            None if valence is None else round(min(1.0, max(-1.0, valence + lens.valence)), 2),
        )
        if changed != (text, weight, valence):
            text, weight, valence = changed
            names.append(lens.name)
    if not names:
        return Bent(description, importance, metadata)
    kept = {
        **metadata,
        **({"valence": valence} if valence is not None else {}),
        "original": description,
        **({"original_importance": importance} if weight != importance else {}),
        **({"original_valence": before} if valence != before else {}),
        "lens": names,
    }
    return Bent(text, weight, kept)


def read_through(node: Node, lenses: Sequence[Lens]) -> tuple[str, tuple[str, ...]]:
    """Return a memory's text for a prompt, and the lenses that changed it."""
    text, names = node.description, []
    for lens in lenses:
        if lens.at == RETRIEVAL and lens.concerns(node.description, node.tags):
            bent = lens.apply(text)
            if bent != text:
                text = bent
                names.append(lens.name)
    return text, tuple(names)


def original_text(node: Node) -> str:
    """Return a memory's text before a lens bent it."""
    return node.original or node.description


def boosts_of(text: str, lenses: Sequence[Lens]) -> dict[str, float]:
    """Return the boosts of tags that a text sets off."""
    found: dict[str, float] = {}
    for lens in lenses:
        if lens.at == ASSOCIATION and lens.concerns(text, WORD.findall(text)):
            for tag in lens.boost:
                found[tag] = found.get(tag, 0.0) + lens.by
    return found


def _find(word: str, known: Iterable[str]) -> str:
    if word in known:
        return word
    stems = (stem for stem in known if stem.endswith("*") and word.startswith(stem[:-1]))
    return max(stems, key=len, default="")


def _begins_sentence(text: str, start: int) -> bool:
    while start and text[start - 1].isspace():
        start -= 1
    return not start or text[start - 1] in _SENTENCE_END
