"""Editing by hand: only the affected files must be readable, and errors are raised before writing.

Functions that edit also return notes: recovered commits, and values left unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from gm.api.cast import known_agents
from gm.base.casefold import casefold, shorten
from gm.base.errors import BrokenWorldError, Problem, UsageError, errors_in
from gm.files.commits.steps import Step
from gm.files.commits.writer import Writer, writing
from gm.files.layers.minds import mind_steps
from gm.files.layout import Layout
from gm.files.load import load_settings, load_world
from gm.layers.declare import Layer
from gm.model.character import Agent
from gm.model.mind import MindChange
from gm.model.world import World
from gm.play.prompts import open_prompts

SHOWN = 60
Item = TypeVar("Item")


@dataclass(slots=True)
class Editing:
    """A world that is being edited."""

    layout: Layout
    world: World
    writer: Writer
    notes: list[str] = field(default_factory=list)

    def commit(self, steps: Sequence[Step]) -> None:
        """Apply steps to the files, all or none."""
        self.notes += map(str, self.writer.commit(steps))


@contextmanager
def editing(layout: Layout, command: str, *, board: bool = False) -> Iterator[Editing]:
    """Hold the lock and read the world.

    Raises:
        BrokenWorldError: Settings, clock or, if ``board``, the board cannot be read.
    """
    with writing(layout, command) as writer:
        settings, problems = load_settings(layout)
        _refuse_broken(layout, problems, layout.settings)
        loaded = load_world(layout, open_prompts(layout, settings.language).scene_types())
        _refuse_broken(layout, loaded.problems, layout.world, *((layout.bulletin,) if board else ()))
        yield Editing(layout, loaded.world, writer, list(writer.recovered))


def _refuse_broken(layout: Layout, problems: Iterable[Problem], *paths: Path) -> None:
    needed = {layout.shown(path) for path in paths}
    broken = [problem for problem in errors_in(problems) if problem.path in needed]
    if broken:
        names = " and ".join(sorted({problem.path for problem in broken}))
        raise BrokenWorldError(f"{names} cannot be read", "correct by hand; nothing was written", broken)


def choose(which: str, items: Sequence[tuple[int, Item]], text_of: Callable[[Item], str], what: str) -> int:
    """Return the number of the item with this number or beginning.

    Raises:
        UsageError: None matches, or several do.
    """
    numbered = [number for number, _ in items if which.strip() == str(number)]
    found = numbered or [
        number for number, item in items if which.strip() and casefold(text_of(item)).startswith(casefold(which))
    ]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{number}: {shorten(text_of(item), SHOWN)}" for number, item in items)
    if not found:
        raise UsageError(f"there is no {what} {which!r}", f"there are: {listed}" if items else "there is none at all")
    raise UsageError(f"{len(found)} {what}s begin with {which!r}", f"say its number: {listed}")


def change_mind(
    layout: Layout,
    command: str,
    agent: str,
    layer: Layer[Any, Any],
    decide: Callable[[Agent], MindChange],
) -> tuple[str, MindChange, list[str]]:
    """Change a file of a character's mind.

    Args:
        command: Shown to processes that meet the lock.
        agent: Id or name.
        decide: Returns what changes.

    Returns:
        The agent's id, what changed, and notes.

    Raises:
        UsageError: No such character.
        BrokenWorldError: The layer's file cannot be read.
        GmError: Single values cannot be changed in it.
    """
    with writing(layout, command) as writer:
        loaded = load_world(layout)
        (name,) = known_agents(loaded.world.agents, [agent])
        shown = layout.shown(layout.layer(layer, name))
        broken = [problem for problem in errors_in(loaded.problems) if problem.path == shown]
        if broken:
            raise BrokenWorldError(f"{shown} cannot be read", "correct it by hand; nothing was changed", broken)
        change = decide(loaded.world.agents[name])
        overruled = writer.commit(mind_steps(layout, name, change))
        return name, change, [*writer.recovered, *map(str, overruled)]
