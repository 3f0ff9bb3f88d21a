"""A character's persona and diary, and layers of its mind as words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from gm.api.views.filtering import turn_to
from gm.base.errors import Problem
from gm.base.markup.parse import without_parts
from gm.files.commits.snapshot import snapshot
from gm.files.layers import has_layer, load_layer
from gm.files.layout import Layout
from gm.files.story.now import load_persona, load_settings
from gm.layers.declare import AnyLayer
from gm.layers.diary import DIARY, DiaryEntry
from gm.layers.working import Page, page_words
from gm.memory.share import PRIVATE, is_private
from gm.model.calendar import SceneRef, weekday
from gm.model.front import UNTIL_NOW
from gm.model.mind import is_on
from gm.model.persona import Persona

FACTS = ("age", "pronouns", "home", "traits", "skills", "values", "decision_style", "communication", "voice", "wish")
"""Shown beside the portrait, in this order."""
_ELSEWHERE = frozenset(
    ("name", "role", "archetype", "topics", "lines", "friends", "quarrels", "color", "lenses", UNTIL_NOW)
)
PAGE_SIZE = 30
"""Entries of a diary per page."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One key of the front matter, or of a mapping in it, its value as texts."""

    key: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonaView:
    """A persona as pages show it."""

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
    """Return the view of a persona, the persona, and problems of its file."""
    persona, problems = load_persona(layout, agent)
    path = layout.shown(layout.persona(agent))
    if persona is None:
        return PersonaView(path, False), None, problems
    front = {str(key): value for key, value in persona.front.items() if str(key) not in hidden}
    words = list_values(front)
    rest = tuple(
        Fact(key, texts) for key, texts in words.items() if texts and key not in FACTS and key not in _ELSEWHERE
    )
    return (
        PersonaView(
            path=path,
            exists=True,
            role=_join_words(words, "role"),
            archetype=_join_words(words, "archetype"),
            facts=tuple(_facts(front, words)),
            topics=_topics(front.get("topics")),
            lines=words.get("lines", ()),
            rest=rest,
            prose=_prose_shown(layout, persona.prose, hidden),
        ),
        persona,
        problems,
    )


def _facts(front: Mapping[str, Any], words: Mapping[str, tuple[str, ...]]) -> Iterator[Fact]:
    """Yield the facts; a mapping, such as a voice, is one for each of its keys (``voice.humour``)."""
    for key in FACTS:
        value = front.get(key)
        if isinstance(value, Mapping):
            spoken = list_values({str(name): part for name, part in value.items()})
            parts = {f"{key}.{name}": texts for name, texts in spoken.items()}
        else:
            parts = {key: words.get(key, ())}
        yield from (Fact(name, texts) for name, texts in parts.items() if texts)


def _prose_shown(layout: Layout, prose: str, hidden: Collection[str]) -> str:
    if PRIVATE not in hidden:
        return prose
    settings, _ = load_settings(layout)  # the frame reports its problems
    return without_parts(prose, settings.publish.headings)


def list_values(values: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return hand-written values as texts, one per list item, without keys that begin with _."""
    return {key: tuple(texts) for key, texts in page_words(Page(values)).items()}


def _join_words(words: Mapping[str, Sequence[str]], key: str) -> str:
    return ", ".join(words.get(key, ()))


def _topics(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value] if value else []
    named = [item.get("words") or item.get("tag") if isinstance(item, Mapping) else item for item in items]
    return tuple(str(name) for name in named if isinstance(name, str | int | float) and str(name).strip())


@dataclass(frozen=True, slots=True)
class LayerView:
    """A layer of a mind as lists of words.

    Attributes:
        is_on: Whether the layer is on, or the character has a file.
        kinds: Lists by name, such as ``beliefs``, in file order.
    """

    agent: str
    is_on: bool
    path: str
    kinds: tuple[tuple[str, tuple[str, ...]], ...]
    problems: tuple[Problem, ...] = ()


def view_layer(layout: Layout, layer: AnyLayer, agent: str) -> LayerView:
    """Return a layer of a character's mind."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame reports its problems
        present = has_layer(layout, layer, agent)
        value, problems = load_layer(layout, layer, agent)
    switch = settings.switches[layer.name]
    return LayerView(
        agent=agent,
        is_on=is_on(switch, present),
        path=layout.shown(layout.layer(layer, agent)),
        kinds=tuple((kind, tuple(texts)) for kind, texts in layer.words(value).items()),
        problems=() if switch == "off" else tuple(problems),
    )


@dataclass(frozen=True, slots=True)
class DatedEntry(DiaryEntry):
    """An entry and its day of the week."""

    day_of_week: str = ""

    @property
    def at(self) -> SceneRef:
        """The day as a moment."""
        return SceneRef(self.day)

    @property
    def is_private(self) -> bool:
        """Whether it is tagged as private."""
        return is_private(self.tags)


@dataclass(frozen=True, slots=True)
class Diary:
    """A diary, or a page of it, newest entry first."""

    agent: str
    is_on: bool
    entries: tuple[DatedEntry, ...]
    count: int
    problems: tuple[Problem, ...]
    page: int = 1
    pages: int = 1


def read_diary(layout: Layout, agent: str, hidden: Collection[str] = ()) -> Diary:
    """Return the diary of a character; ``private`` in ``hidden`` drops private entries."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame reports its problems
        found, problems = load_layer(layout, DIARY, agent)
    names = settings.calendar.weekdays
    dated = [DatedEntry(**asdict(entry), day_of_week=weekday(entry.day, names)) for entry in found]
    shown = [entry for entry in dated if not (PRIVATE in hidden and entry.is_private)]
    return Diary(
        agent,
        is_on(settings.diary, bool(found)),
        tuple(sorted(shown, key=lambda entry: entry.day, reverse=True)),
        len(shown),
        () if settings.diary == "off" else tuple(problems),
    )


def view_diary(layout: Layout, agent: str, page: int = 1, hidden: Collection[str] = ()) -> Diary:
    """Return a page of a diary, ``page`` from 1, clamped."""
    diary = read_diary(layout, agent, hidden)
    page, pages, items = turn_to(page, diary.count, PAGE_SIZE)
    return replace(diary, entries=diary.entries[items], page=page, pages=pages)
