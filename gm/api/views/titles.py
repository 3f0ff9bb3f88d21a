"""Titles that tell scenes apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gm.base.texts import text_at
from gm.model.scene import ARRIVAL, REFLECTION, LogEntry
from gm.scene.directing.choosing import EVENT_KEY

LONGEST = 140
"""Characters of a title."""
_NAMED_BY_TYPE = (ARRIVAL, REFLECTION)
_QUOTED = re.compile(r"»([^«]{4,})«|„([^“]{4,})“|“([^”]{4,})”|\"([^\"]{4,})\"")
_ERRAND = re.compile(r"\A(?:[^\s:]+ ){0,3}[^\s:]+: (?=.{8})")
"""How an item of a plan begins: ``Arbeiten an: …``, ``Talk to Jordan: …``."""
_SENTENCE = re.compile(r"(?<=[\w«”\"’)…])[.!?;](?= )")
_LEAST = 24
"""A sentence, or its part before a semicolon, that is shorter than this does not end a title."""


def scene_title(entry: LogEntry, *, with_reasons: bool = True) -> str:
    """Return what a scene is about, in a few words of its own record.

    Its topic, what was in the calendar, what it was arranged, planned or asked for, else the first words that are said.

    Args:
        with_reasons: Whether the Game Master's reasons may be quoted.

    Returns:
        At most ``LONGEST`` characters; empty where nothing but its type tells of it.
    """
    parts = entry.type.split("+")
    found = next(_subjects(entry, with_reasons, all(part in _NAMED_BY_TYPE for part in parts)), "")
    return _cut_heading(found)


def _subjects(entry: LogEntry, with_reasons: bool, is_named: bool) -> Iterator[str]:
    record = entry.record
    if topic := text_at(record, "topic").strip():
        yield topic
    for key in entry.answers:
        if key.startswith(EVENT_KEY) and (event := key.removeprefix(EVENT_KEY).partition("/")[2].strip()):
            yield event
    if is_named:
        return
    yield from _find_quoted(text_at(record, "premise"))
    if with_reasons:
        yield from _find_quoted(text_at(record, "why"))
    yield from (text.strip() for _, text in entry.spoken() if text.strip())
    yield from filter(None, (text_at(record, "summary").strip(),))


def _find_quoted(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        quote = next(filter(None, match.groups())).strip()
        yield _ERRAND.sub("", quote, count=1)


def _cut_heading(text: str) -> str:
    text = " ".join(text.split())
    end = _SENTENCE.search(text, _LEAST)
    if end and end.start() <= LONGEST:
        text = text[: end.start()]
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]
        text = text.rstrip(" …,;:–-") + " …"
    text = text.strip().removesuffix(".")
    return text[:1].upper() + text[1:]
