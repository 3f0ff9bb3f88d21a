"""A scene as it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.ask.prompt.render import Prompts
from gm.ask.prompt.scenetypes import parse_scene_type
from gm.base.errors import GmError
from gm.base.frontmatter import split_front_matter
from gm.files.formats.look import cached_by_look
from gm.files.formats.text import read_text
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.streams.find import FoundMemory
from gm.model.calendar import render_day
from gm.model.logged_parts import LoggedSoul, PlanEnd
from gm.model.turns import Mark, PlayedTurn, marked


@dataclass(frozen=True, slots=True)
class ThreadMark:
    """An event of a thread.

    Attributes:
        event: open, carry or close.
        by: Who opened the thread, else the actor.
    """

    id: str
    event: str
    by: str
    kind: str
    text: str
    to: tuple[str, ...]
    due: int | None
    outcome: str
    time: str = ""
    place: str = ""
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class RegardInScene:
    """A change in what one character thinks of another.

    Attributes:
        changes: Key, old value, new value.
    """

    agent: str
    other: str
    changes: tuple[tuple[str, Any, Any], ...]
    why: str


@dataclass(frozen=True, slots=True)
class SceneView:
    """A scene as it is read.

    Attributes:
        number: ``3`` or ``3b``, or empty.
        title: What tells it apart; empty where only its type does.
        raised: Whether the moment was important enough to be played longer.
        cast: Participants; the first one started it.
        score: Parts and points, highest first; empty if not scored.
        notes: The Creative Director's request, and why another Director than intended chose it.
        premises: Known to one participant: (agent, text).
        turns: In the order in which they are told.
        summary: The only account if there are no turns.
        moods: At its end: (agent, mood).
        unkept: Memories not kept: (agent, text, the memory that says the same).
        asked: Requests for memories and answers: (from, to, subject, number given; None = a request).
    """

    day: int
    number: str
    anchor: str
    title: str
    type: str
    raised: bool
    time_of_day: str
    clock: str
    place: str
    moved_to: tuple[str, ...]
    cast: tuple[str, ...]
    why: str
    score: tuple[tuple[str, float], ...]
    director: str
    notes: tuple[str, ...]
    premise: str
    premises: tuple[tuple[str, str], ...]
    turns: tuple[PlayedTurn, ...]
    summary: str
    moods: tuple[tuple[str, str], ...]
    memories: tuple[FoundMemory, ...]
    unkept: tuple[tuple[str, str, str], ...]
    artifacts: tuple[str, ...]
    threads: tuple[ThreadMark, ...]
    plans: tuple[tuple[str, tuple[PlanEnd, ...]], ...]
    regards: tuple[RegardInScene, ...]
    souls: tuple[LoggedSoul, ...]
    asked: tuple[tuple[str, str, str, int | None], ...]
    news: tuple[str, ...]
    feedback: str

    @property
    def marked_turns(self) -> Iterator[tuple[Mark, PlayedTurn]]:
        """The turns with what is to be said before them."""
        return marked(self.turns)

    @property
    def ref(self) -> str:
        """The scene as ``day-003/scene-04``."""
        return f"{render_day(self.day)}/{self.anchor}"


_HEAD = re.compile(r"^# [^:\n]+: *(?P<title>.+?) *$", re.MULTILINE)
_OTHERWISE = re.compile(r'\{\{[^{}]* or "(?P<title>[^"{}]+)" *\}\}\Z')


@dataclass(frozen=True, slots=True)
class SceneKind:
    """A scene type.

    Attributes:
        raised: Whether it is played longer at important moments.
        raised_again: Whether that holds for a later scene of this type on the same day too.
    """

    name: str
    title: str
    raised: bool
    raised_again: bool


def scene_kinds(layout: Layout, language: str) -> Mapping[str, SceneKind]:
    """Return the scene types by name, without unreadable templates (``gm check`` reports these)."""
    kinds: dict[str, SceneKind] = {}
    try:
        prompts = Prompts(layout.prompts, shipped_prompts(), language)
        paths = [(name, prompts.find(name)) for name in prompts.names() if name.startswith("scenes/")]
    except GmError:
        return kinds
    for name, path in paths:
        if path and (kind := _read_scene_type(path, name)):
            kinds[kind.name] = kind
    return kinds


@cached_by_look(256, lambda path, _name: path)
def _read_scene_type(path: Path, name: str) -> SceneKind | None:
    try:
        known = parse_scene_type(path, name)
        text = split_front_matter(read_text(path, name)[0].body)[1]
    except (GmError, OSError, ValueError):
        return None
    return SceneKind(known.name, _find_title(text), bool(known.raised), bool(known.raised and not known.again))


def _find_title(template: str) -> str:
    found = _HEAD.search(template)
    title = found["title"] if found else ""
    otherwise = _OTHERWISE.match(title)
    return otherwise["title"] if otherwise else "" if "{" in title else title
