"""What an index keeps of a memory beside its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from gm.base.languages import either, in_any_language
from gm.base.texts import casefold, texts_in
from gm.memory.recall.dates import ordinal_of, tells_of
from gm.model.node import DATE_KEYS, DIALOGUE, NORMAL, PERSON_KEYS, Node

BETWEEN = "\x1f"  # between the items of a list that is kept as one text
_NAME = r"[^\W\d_][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,2}"
_REMARK = re.compile(r"\s*(?:\[[^\]]*\]|\([^)]*\))\s*\Z")
_QUOTES = "\"'«»“”„‚‘’› "


class IndexEntry(NamedTuple):
    """A memory without its text. Names and tags are folded; lists are kept between separators.

    Attributes:
        day: Story day; 0 when unknown.
        kind: ``metadata.kind`` or ``metadata.category``.
        depth: 0 = lived.
        people: Names in ``metadata`` of those it is about.
        speaker: Empty = the owner of the stream, in its own words.
        session: Name of its conversation; empty = its day.
        date: Day of the real calendar as a proleptic ordinal; 0 = none given.
        tells: Whether it names a time or a number (``answers``).
        tier: Empty = normal.
        category: ``metadata.category``; ``dialogue`` for conversations and utterances without one.
    """

    id: str
    created: str
    day: int
    scene: int
    suffix: str
    type: str
    kind: str
    depth: int
    importance: int
    tags: str
    people: str
    speaker: str
    session: str
    date: int
    is_question: int
    tells: int
    length: int
    tier: str = ""
    category: str = ""


def describe(node: Node, length: int) -> IndexEntry:
    """Return a memory's entry; ``length`` counts the words of its description."""
    when, said = node.when, node.metadata
    return IndexEntry(
        node.id,
        node.created,
        when.day,
        when.scene,
        when.suffix,
        node.type,
        casefold(_read_text(said, "kind") or _read_text(said, "category")),
        node.depth,
        node.importance,
        join_folded(node.tags),
        join_folded(name for key in PERSON_KEYS for name in _texts(said.get(key))),
        speaker_of(node),
        _read_text(said, "session"),
        next((day for key in DATE_KEYS if (day := ordinal_of(_read_text(said, key)))), 0),
        int(is_question(node.description)),
        tells_of(node.description),
        length,
        "" if node.tier == NORMAL else node.tier,
        casefold(
            _read_text(said, "category") or (DIALOGUE if node.type == "conversation" or "speaker" in said else "")
        ),
    )


def speaker_of(node: Node) -> str:
    """Return a memory's folded speaker; empty = its owner, in own words.

    By ``metadata.speaker``, or by its beginning: ``Vera said: …``, ``Vera: …``.
    """
    named = _read_text(node.metadata, "speaker")
    if named:
        return casefold(named)
    match = _compile_said().match(node.description) if node.type == "conversation" else None
    return casefold(match["who"]) if match else ""


@cache
def _compile_said() -> re.Pattern[str]:
    verbs = either(sorted(in_any_language(lambda one: one.speaking)))
    return re.compile(rf"\s*(?P<who>{_NAME})(?: (?:{verbs}))?\s?:\s")


def without_speaker(node: Node) -> str:
    """Return the description without a leading ``Vera said: …``, unless nothing is left."""
    match = _compile_said().match(node.description) if node.type == "conversation" else None
    return node.description[match.end() :] if match and node.description[match.end() :].strip() else node.description


def is_question(text: str) -> bool:
    """Return whether a text ends in a question mark, quotation marks or brackets aside."""
    return _REMARK.sub("", text).rstrip(_QUOTES).endswith("?")


def join_folded(items: Iterable[str]) -> str:
    """Return folded items as one text between separators; empty for none."""
    kept = [casefold(item).replace(BETWEEN, " ") for item in items]
    return BETWEEN + BETWEEN.join(kept) + BETWEEN if kept else ""


def has_item(joined: str, item: str) -> bool:
    """Return whether a folded item is in ``join_folded`` items."""
    return f"{BETWEEN}{item}{BETWEEN}" in joined


def _texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else texts_in(value)


def _read_text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) else ""
