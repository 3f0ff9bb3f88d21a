"""What every page shows of its world, and the cast in brief."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gm.api.views.graphs.base import Cast, Met
from gm.api.views.graphs.source import source_of
from gm.api.views.persona import view_persona
from gm.base.casefold import casefold
from gm.base.config import ReflectionSettings, Settings
from gm.base.errors import Problem
from gm.base.languages import in_any_language
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.media.portraits import find_portraits
from gm.files.story.now import load_cast, load_now, load_settings, load_state
from gm.files.streams.find import Finder
from gm.files.streams.lineindex import LineIndex, line_index
from gm.memory.reflect import is_reflection_due
from gm.memory.share import is_withheld
from gm.model.callname import call_name_of
from gm.model.ids import place_name
from gm.model.state import AgentState

_STOP = re.compile(r"(\w*)\. ")
MOST_MET = 3


@dataclass(frozen=True, slots=True)
class ShownAgent:
    """A character's name and its number in the cast, from 1, which selects the colour.

    Attributes:
        colour: As its persona has it, such as ``#2f6b5e``; empty = that of the number.
        portrait: The ending of its picture (png, jpg, webp); empty without one.
    """

    id: str
    name: str
    number: int
    colour: str = ""
    portrait: str = ""
    called: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "called", self.called or call_name_of(self.name) or self.id)


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page shows of its world; day 0 = nothing played yet."""

    title: str
    language: str
    day: int
    day_of_week: str
    is_open: bool
    cast: tuple[ShownAgent, ...]
    problems: tuple[Problem, ...] = ()
    place_names: Mapping[str, str] = field(default_factory=dict)

    def place_name(self, place: str) -> str:
        """Return the name of a place."""
        return place_name(place, self.place_names)

    def shown_agent(self, agent: str) -> ShownAgent | None:
        """Return a character of the cast by id, or None."""
        return next((character for character in self.cast if character.id == agent), None)


def gather_cast(frame: Frame) -> Cast:
    """Return the cast as graphs use it."""
    return Cast(
        frame.language,
        {character.id: character.name for character in frame.cast},
        called_by={character.id: character.called for character in frame.cast},
    )


def view_frame(layout: Layout) -> Frame:
    """Read the frame of a page without opening a memory stream."""
    with snapshot(layout):
        settings, clock, problems = load_now(layout)
        agents, found = load_cast(layout)
        problems += found
        cast, pictures = [], find_portraits(layout)
        for number, (name, agent) in enumerate(sorted(agents.items()), 1):
            _, ending = pictures.get(name, (None, ""))
            cast.append(ShownAgent(name, agent.name, number, agent.front_values.color, ending, agent.call_name))
    world = settings.world
    return Frame(
        world.title,
        settings.language,
        clock.day,
        clock.day_of_week,
        clock.day_open,
        tuple(cast),
        tuple(problems),
        settings.place_names,
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """A character's current state."""

    agent: str
    state: AgentState
    reflection: ReflectionSettings

    @property
    def is_due(self) -> bool:
        """Whether a reflection is due."""
        return is_reflection_due(self.state.importance_accumulator, self.reflection)


@dataclass(frozen=True, slots=True)
class Member:
    """One character in brief.

    Attributes:
        reflections: How many of its memories have evidence.
        met: Ids of its most frequent partners, and the number of scenes.
    """

    id: str
    role: str
    line: str
    now: Standing
    memories: int
    reflections: int
    insight: str
    met: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class CastView:
    """The cast in brief, ordered by id."""

    members: tuple[Member, ...]
    problems: tuple[Problem, ...] = ()


def view_cast(layout: Layout, frame: Frame, hidden: Collection[str] = ()) -> CastView:
    """Return the cast in brief, without decoding a memory stream."""
    with snapshot(layout), line_index(layout) as index:
        settings, _ = load_settings(layout)  # the frame reports its problems
        reading = _Reading(layout, settings, index, Finder(layout), hidden)
        met = count_met(source_of(layout).scenes(gather_cast(frame)))
        read = [_member(reading, character, met.get(character.id, Counter())) for character in frame.cast]
    problems = dict.fromkeys(problem for _, found in read for problem in found)
    return CastView(tuple(member for member, _ in read), tuple(problems))


class _Reading(NamedTuple):
    layout: Layout
    settings: Settings
    lines: LineIndex
    finder: Finder
    hidden: Collection[str]


def count_met(scenes: Sequence[Met]) -> dict[str, Counter[str]]:
    """Count the scenes that each pair shared; scenes with the whole cast count only in a cast of two."""
    everybody = {name for scene in scenes for name in scene.cast}
    found: dict[str, Counter[str]] = {}
    for scene in scenes:
        if len(scene.cast) > 1 and (len(everybody) == len(scene.cast) == 2 or len(scene.cast) < len(everybody)):
            for name in scene.cast:
                found.setdefault(name, Counter()).update(other for other in scene.cast if other != name)
    return found


def _member(reading: _Reading, character: ShownAgent, met: Counter[str]) -> tuple[Member, list[Problem]]:
    layout, settings, index, finder, hidden = reading
    shown, persona, problems = view_persona(layout, character.id, hidden)
    state, found = load_state(layout, character.id, persona)
    problems += found
    lines, found = index.count(character.id, layout.stream(character.id))
    problems += found
    return Member(
        id=character.id,
        role=shown.role,
        line=shown.archetype or first_sentence(shown.prose),
        now=Standing(character.id, state, settings.reflection),
        memories=lines.memories,
        reflections=lines.reflections,
        insight=_last_memory(finder, state.last_reflection, hidden),
        met=tuple(sorted(met.items(), key=lambda item: (-item[1], item[0]))[:MOST_MET]),
    ), problems


def first_sentence(prose: str) -> str:
    """Return the first sentence of a Markdown text, ignoring headings."""
    lines = [line for line in prose.splitlines() if line.strip() and not line.startswith("#")]
    first = " ".join(lines[0].split()) if lines else ""
    titles = in_any_language(lambda one: one.abbreviated_titles)
    ends = (found.end(1) + 1 for found in _STOP.finditer(first) if casefold(found[1]) not in titles)
    return first[: next(ends, len(first))]


def _last_memory(finder: Finder, identifier: str | None, hidden: Collection[str]) -> str:
    found = finder.find(identifier) if identifier else []
    if not found or is_withheld(found[0].node, hidden):
        return ""
    return found[0].node.description
