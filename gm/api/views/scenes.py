"""A scene as it is read: what happened, why it was chosen, and what it left behind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gm.api.turns import Turn
from gm.ask.prompt.scenetypes import parse_scene_type
from gm.base.errors import GmError
from gm.base.frontmatter import split_front_matter
from gm.files.forms.look import Look, look_of
from gm.files.forms.text import read_text
from gm.files.layout import Layout
from gm.memory.private import is_private
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.node import Node
from gm.play.prompts import open_prompts


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as pages show it where its place in the files does not matter.

    Attributes:
        text: What is remembered; empty when the stream does not hold it any more, or keeps it beside what was lived.
        type: Its type; empty when it is not there.
        depth: 0 = lived, 1 and more = layers of reflection.
        at: When it was made; day 0 where its line names no day.
    """

    agent: str
    id: str
    importance: int
    text: str = ""
    type: str = ""
    depth: int = 0
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    at: SceneRef = SceneRef(0)

    @property
    def is_private(self) -> bool:
        """Whether it is tagged as private."""
        return is_private(self.tags)


def memory_of(agent: str, node: Node) -> Memory:
    """Return a memory of a character as pages show it."""
    return Memory(
        agent,
        node.id,
        node.importance,
        node.description,
        node.type,
        node.depth,
        node.evidence,
        node.tags,
        parse_ref(node.created) or SceneRef(0),
    )


@dataclass(frozen=True, slots=True)
class ThreadMark:
    """What happened to something that is open between people.

    Attributes:
        event: open, carry or close.
        by: Who promised or asked; where that is not known, who did it.
        kind: promise or question.
        text: What it is about; empty where nothing says so.
        to: To whom it was said.
        due: Story day; None = no day was named.
        outcome: How it was closed; empty otherwise.
    """

    id: str
    event: str
    by: str
    kind: str
    text: str
    to: tuple[str, ...]
    due: int | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Regard:
    """A change in what one character thinks of another.

    Attributes:
        agent: Id of the character that thinks it.
        changes: Key, what was, what is.
        why: In its own words; may be empty.
    """

    agent: str
    other: str
    changes: tuple[tuple[str, Any, Any], ...]
    why: str


@dataclass(frozen=True, slots=True)
class SoulMark:
    """What a character added to its soul or removed from it: kind and words."""

    agent: str
    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene as it is read.

    Attributes:
        number: ``3`` or ``3b``; empty when its line has none.
        anchor: Its place on the page of its day.
        type: Its type as the logbook names it.
        raised: Whether the moment was important enough to be played longer.
        cast: Who took part; the first one started it.
        why: Why the Game Master chose it.
        score: Parts of the score and their points, the weightiest first; empty when nothing was weighed.
        director: Who chose it: rules, llm, script, asked.
        notes: What the Creative Director asked for, and why another Director than intended chose it.
        premise: What all knew and saw when it began.
        premises: What only one of them knew: who, and what.
        turns: What was done, said and thought.
        summary: What the logbook says of it; the only account of it where there are no turns.
        moods: Who was in what mood at its end.
        memories: What will be remembered of it.
        unkept: Memories that were not kept: character, text, and the memory that says the same.
        artifacts: Paths of what was finished.
        threads: What was opened, settled, carried.
        regards: What changed between people.
        souls: What changed in souls.
        asked: Requests for memories and answers: from, to, subject, number given (None = a request).
        news: Posts announced with it.
        feedback: What the Creative Director said to it afterwards.
    """

    day: int
    number: str
    anchor: str
    type: str
    raised: bool
    time_of_day: str
    place: str
    cast: tuple[str, ...]
    why: str
    score: tuple[tuple[str, float], ...]
    director: str
    notes: tuple[str, ...]
    premise: str
    premises: tuple[tuple[str, str], ...]
    turns: tuple[Turn, ...]
    summary: str
    moods: tuple[tuple[str, str], ...]
    memories: tuple[Memory, ...]
    unkept: tuple[tuple[str, str, str], ...]
    artifacts: tuple[str, ...]
    threads: tuple[ThreadMark, ...]
    regards: tuple[Regard, ...]
    souls: tuple[SoulMark, ...]
    asked: tuple[tuple[str, str, str, int | None], ...]
    news: tuple[str, ...]
    feedback: str

    @property
    def ref(self) -> str:
        """The scene as memories name it: ``day-003/scene-04``."""
        return f"{render_day(self.day)}/{self.anchor}"


_HEAD = re.compile(r"^# [^:\n]+: *(?P<title>.+?) *$", re.MULTILINE)
_OTHERWISE = re.compile(r'\{\{[^{}]* or "(?P<title>[^"{}]+)" *\}\}\Z')


@dataclass(frozen=True, slots=True)
class SceneKind:
    """A type of scenes.

    Attributes:
        name: As the logbook names it.
        title: What the world's own template calls it; empty when that depends on the scene.
        can_be_raised: Whether it is played otherwise when the moment is important.
    """

    name: str
    title: str
    can_be_raised: bool


def scene_kinds(layout: Layout, language: str) -> Mapping[str, SceneKind]:
    """Return the types of scenes; one whose template cannot be read is left out (``gm check`` names it)."""
    kinds: dict[str, SceneKind] = {}
    try:
        prompts = open_prompts(layout, language)
        paths = [(name, prompts.find(name)) for name in prompts.names() if name.startswith("scenes/")]
    except GmError:
        return kinds
    for name, path in paths:
        if path is None:
            continue
        look = look_of(path)
        kind = _kept(path, name, look) if look else _read(path, name)
        if kind:
            kinds[kind.name] = kind
    return kinds


@lru_cache(maxsize=256)
def _kept(path: Path, name: str, _look: Look) -> SceneKind | None:
    return _read(path, name)


def _read(path: Path, name: str) -> SceneKind | None:
    try:
        known = parse_scene_type(path, name)
        text = split_front_matter(read_text(path, name)[0].body)[1]
    except (GmError, OSError, ValueError):
        return None
    return SceneKind(known.name, _title(text), bool(known.raised))


def _title(template: str) -> str:
    """Find the heading under which characters are asked; of an expression, what it says when it has nothing to say."""
    found = _HEAD.search(template)
    title = found["title"] if found else ""
    otherwise = _OTHERWISE.match(title)
    return otherwise["title"] if otherwise else "" if "{" in title else title
