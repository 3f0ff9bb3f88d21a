"""Who a character is, as people wrote it: a few facts, what it talks about, how it sounds, and the prose."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.base.errors import Problem
from gm.base.markup.parse import without_parts
from gm.files.commits.snapshot import snapshot
from gm.files.layers.minds import has_layer, load_layer
from gm.files.layout import Layout
from gm.files.now import load_persona, load_settings
from gm.layers.soul import SOUL, soul_words
from gm.layers.working import Page, page_lines
from gm.memory.private import PRIVATE
from gm.model.layers import is_on
from gm.model.state import Persona

FACTS = ("age", "pronouns", "home", "traits", "skills", "values", "decision_style", "communication", "wish")
"""What stands beside the portrait, in this order, where a persona says it."""
_ELSEWHERE = frozenset(("name", "role", "archetype", "topics", "lines", "friends", "quarrels", "color", "lenses"))


@dataclass(frozen=True, slots=True)
class Fact:
    """One key of the front matter, and what stands below it in words."""

    key: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonaView:
    """Who a character is.

    Attributes:
        exists: Whether there is one.
        role: What it does.
        archetype: Who it is in a sentence.
        facts: What is worth knowing at a glance.
        topics: What it talks about.
        lines: What it sounds like.
        rest: Every other key.
        prose: The text, as Markdown.
    """

    path: str
    exists: bool
    role: str = ""
    archetype: str = ""
    facts: tuple[Fact, ...] = ()
    topics: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    rest: tuple[Fact, ...] = ()
    prose: str = ""


def view_persona(
    layout: Layout, agent: str, hidden: Collection[str] = ()
) -> tuple[PersonaView, Persona | None, list[Problem]]:
    """Return who a character is.

    Args:
        hidden: What is left out: ``thoughts`` are, where a persona has examples of them; with ``private``, what stands
            under the headings that ``publish.headings`` names.

    Returns:
        What is shown, the persona itself, and what is wrong with its file.
    """
    persona, problems = load_persona(layout, agent)
    path = layout.shown(layout.persona(agent))
    if persona is None:
        return PersonaView(path, False), None, problems
    front = {str(key): value for key, value in persona.front.items() if str(key) not in hidden}
    words = in_words(front)
    rest = tuple(
        Fact(key, texts) for key, texts in words.items() if texts and key not in FACTS and key not in _ELSEWHERE
    )
    return (
        PersonaView(
            path=path,
            exists=True,
            role=_one(words, "role"),
            archetype=_one(words, "archetype"),
            facts=tuple(Fact(key, words[key]) for key in FACTS if words.get(key)),
            topics=_topics(front.get("topics")),
            lines=words.get("lines", ()),
            rest=rest,
            prose=_told(layout, persona.prose, hidden),
        ),
        persona,
        problems,
    )


def _told(layout: Layout, prose: str, hidden: Collection[str]) -> str:
    if PRIVATE not in hidden:
        return prose
    settings, _ = load_settings(layout)  # the frame tells what is wrong with them
    return without_parts(prose, settings.publish.headings)


def in_words(values: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return hand-written values as texts, a list item by item; names that begin with _ are left out."""
    found: dict[str, list[str]] = {}
    for line in page_lines(Page(values)):
        found.setdefault(line.key, []).append(line.text)
    return {key: tuple(texts) for key, texts in found.items()}


def _one(words: Mapping[str, Sequence[str]], key: str) -> str:
    return ", ".join(words.get(key, ()))


def _topics(value: object) -> tuple[str, ...]:
    """Name topics by their words, where they have any: ``{tag: bone-towers, words: die Knochentürme}``."""
    items = value if isinstance(value, list) else [value] if value else []
    named = [item.get("words") or item.get("tag") if isinstance(item, Mapping) else item for item in items]
    return tuple(str(name) for name in named if isinstance(name, str | int | float) and str(name).strip())


@dataclass(frozen=True, slots=True)
class SoulView:
    """A soul.

    Attributes:
        is_on: Whether characters of this world have souls, or this one has a file.
        kinds: The lists of the file by name, as ``beliefs``, with their sentences, in the order of the file.
    """

    agent: str
    is_on: bool
    path: str
    kinds: tuple[tuple[str, tuple[str, ...]], ...]
    problems: tuple[Problem, ...] = ()


def view_soul(layout: Layout, agent: str) -> SoulView:
    """Return the soul of a character, list by list."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame tells what is wrong with them
        present = has_layer(layout, SOUL, agent)
        soul, problems = load_layer(layout, SOUL, agent)
    return SoulView(
        agent=agent,
        is_on=is_on(settings.soul, present),
        path=layout.shown(layout.layer(SOUL, agent)),
        kinds=tuple((kind, tuple(texts)) for kind, texts in soul_words(soul).items()),
        problems=() if settings.soul == "off" else tuple(problems),
    )
