"""What stands around every page: the world's name, its day, its cast."""

from __future__ import annotations

from dataclasses import dataclass

from gm.errors import Problem
from gm.store.commits.snapshot import snapshot
from gm.store.layout import Layout
from gm.store.now import load_clock, load_persona, load_settings, load_written_state


@dataclass(frozen=True, slots=True)
class Face:
    """A character as it is named and coloured on every page.

    Attributes:
        id: Its id.
        name: Its name, as a person wrote it.
        number: Its place in the cast, from 1; what its colour goes by.
    """

    id: str
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page says of its world.

    Attributes:
        title: The world's name; empty when it has none.
        language: Language of the world.
        day: Story day; 0 = nothing was played yet.
        day_of_week: Name of the day.
        is_open: Whether the day goes on.
        cast: The characters, by id.
        problems: What could not be read for this.
    """

    title: str
    language: str
    day: int
    day_of_week: str
    is_open: bool
    cast: tuple[Face, ...]
    problems: tuple[Problem, ...] = ()

    def face(self, agent: str) -> Face | None:
        """Find a character; None when nobody in the cast has that id."""
        return next((face for face in self.cast if face.id == agent), None)


def view_frame(layout: Layout) -> Frame:
    """Read what stands around every page; no stream, however long, is opened for it."""
    with snapshot(layout):
        settings, problems = load_settings(layout)
        clock, found = load_clock(layout)
        problems += found
        cast = []
        for number, agent in enumerate(sorted(layout.agent_names()), 1):
            name, found = _name(layout, agent)
            problems += found
            cast.append(Face(agent, name, number))
    world = settings.world
    names = tuple(cast)
    return Frame(world.title, settings.language, clock.day, clock.day_of_week, clock.day_open, names, tuple(problems))


def _name(layout: Layout, agent: str) -> tuple[str, list[Problem]]:
    state, problems = load_written_state(layout, agent)
    if state.name:
        return state.name, problems
    persona, found = load_persona(layout, agent)
    named = persona.front.get("name") if persona else None
    return named if isinstance(named, str) and named else agent, problems + found
