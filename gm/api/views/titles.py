"""Titles that tell scenes apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from gm.memory.share import QUOTED
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL, REFLECTION
from gm.scene.directing.choosing import EVENT_KEY

LONGEST = 80
"""Characters of a title."""
_READ = 1_000
"""Characters of a text from which a title is made."""
_NAMED_BY_TYPE = (ARRIVAL, REFLECTION)
_QUOTED = re.compile(r"»([^«]{4,})«|„([^“]{4,})“|“([^”]{4,})”|\"([^\"]{4,})\"")
_ERRAND = re.compile(r"\A(?:[^\s:]+ ){0,3}[^\s:]+: (?=.{8})")
"""How an item of a plan begins: ``Arbeiten an: …``, ``Talk to Jordan: …``."""
_WHERE = re.compile(r" \([^()]*\)\Z")
"""How it ends, with its time and place: ``… (11:00, kitchen)``."""
_SENTENCE = re.compile(r"(?<!\d)(?<!\b\w)(?<=[\w«”\"’)…])[.!?;](?= (?![0-9]))")
_QUOTE_MARKS = frozenset('»«„“”"›‹')
_LEAST = 24
"""A sentence that is shorter than this does not end a title, nor replaces one that is cut."""


def scene_title(entry: LogEntry, *, with_reasons: bool = True) -> str:
    """Return what a scene is about, in a few words of its own record.

    Its topic, what was in the calendar, what it was arranged, planned or asked for, else the first words that are said.

    Args:
        with_reasons: Whether the Game Master's reasons may be quoted.

    Returns:
        At most ``LONGEST`` characters; empty if the scene has nothing but a type.
    """
    parts = entry.type.split("+")
    if stated := next(_stated(entry), ""):
        return _cut_heading(stated)
    if all(part in _NAMED_BY_TYPE for part in parts):
        return ""
    subjects = list(_subjects(entry, with_reasons))
    headings = [_cut_heading(subject) for subject in subjects]
    whole = (one for place, one in enumerate(headings) if not one.endswith("…") and (len(one) >= _LEAST or not place))
    clauses = chain.from_iterable(map(_clauses, subjects))
    return next(chain(whole, clauses), next(iter(headings), ""))


def _stated(entry: LogEntry) -> Iterator[str]:
    if topic := entry.topic.strip():
        yield topic
    for key in entry.answers:
        if key.startswith(EVENT_KEY) and (event := key.removeprefix(EVENT_KEY).partition("/")[2].strip()):
            yield event


def _subjects(entry: LogEntry, with_reasons: bool) -> Iterator[str]:
    yield from _find_quoted(entry.premise)
    if with_reasons:
        yield from _find_quoted(entry.why)
    yield from (text.strip() for _, text in entry.spoken() if text.strip())
    yield from filter(None, (entry.summary.strip(),))


def _find_quoted(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        quote = next(filter(None, match.groups())).strip()
        yield _WHERE.sub("", _ERRAND.sub("", quote, count=1))


def _clauses(text: str) -> Iterator[str]:
    # only a clause long enough to be recognised where it quotes a memory that is kept back
    clause = " ".join(text[:_READ].split())[:LONGEST].rpartition(", ")[0]
    if len(clause) > QUOTED and _QUOTE_MARKS.isdisjoint(clause) and not _SENTENCE.search(clause):
        yield _cut_heading(clause)


def _cut_heading(text: str) -> str:
    text = " ".join(text[:_READ].split())
    end = _SENTENCE.search(text, _LEAST)
    if end and end.start() <= LONGEST:
        text = text[: end.end()]
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]
        text = text.rstrip(" …,;:–-") + " …"
    text = text.strip().removesuffix(".").removesuffix(";")
    return text[:1].upper() + text[1:]
