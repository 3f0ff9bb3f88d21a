"""The desk for edits by hand: only the affected files must be readable, and errors are raised before writing.

Functions that edit also return notes: recovered commits, and values left unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from gm.base.casefold import casefold
from gm.base.errors import CORRECT_HINT, GmError, UsageError, errors_in, refuse_errors, say
from gm.base.texts import shorten_at_word
from gm.files.commits.steps import Step
from gm.files.commits.writer import Writer, writing
from gm.files.layers import mind_steps
from gm.files.layout import Layout
from gm.files.load import Loaded, load_world
from gm.files.save import plan_steps
from gm.layers.declare import Layer
from gm.model.calendar import SceneRef, render_day
from gm.model.mind import MindChange
from gm.model.world import Agent, Change, World, known_agent

SHOWN_CHARACTERS = 60
Item = TypeVar("Item")
V = TypeVar("V")
C = TypeVar("C")


class Desk:
    """A world that is edited by hand, under its lock."""

    def __init__(self, layout: Layout, writer: Writer, notes: list[str]) -> None:
        self.layout = layout
        self.notes = notes
        self._writer = writer

    @cached_property
    def loaded(self) -> Loaded:
        """The world and the problems of its files, read once."""
        return load_world(self.layout)

    @property
    def world(self) -> World:
        """The world as the files are."""
        return self.loaded.world

    def need(self, *paths: Path, message: str = "", hint: str = CORRECT_HINT) -> None:
        """Check that files can be read.

        Raises:
            BrokenWorldError: With the problems of these files.
        """
        shown = {self.layout.shown(path) for path in paths}
        broken = [problem for problem in self.loaded.problems if problem.path in shown]
        names = " and ".join(sorted({problem.path for problem in errors_in(broken)}))
        refuse_errors(broken, message or say("{path} cannot be read", names), hint)

    def need_agent(self, name: str) -> None:
        """Check that an agent's state and memories can be read; as ``need``."""
        at = self.layout
        self.need(
            *(place(name) for place in (at.agent, at.stream, at.archived, at.summarised)),
            message=f"the files of {name} cannot be read as they are",
        )

    def last_moment(self) -> str:
        """Return the last played scene, to which edits of memories belong.

        Raises:
            BrokenWorldError: The clock cannot be read.
        """
        hint = "correct this place, or give --at day-003/scene-04"
        self.need(self.layout.world, message="the last scene is not known", hint=hint)
        last = last_scene(self.world)
        return f"{render_day(last.day)}/scene-{last.scene:02d}{last.suffix}"

    def commit(self, steps: Sequence[Step], *, recorded: bool = True) -> None:
        """Apply steps to the files, all or none; a value that stays as it was edited becomes a note."""
        self.notes += map(str, self._writer.commit(steps, recorded=recorded))

    def land(self, change: Change) -> None:
        """Write a change to the files in one commit."""
        self.commit(plan_steps(self.layout, self.world, change))


@contextmanager
def editing(layout: Layout, command: str, *needs: Path, message: str = "") -> Iterator[Desk]:
    """Hold the lock of a world for edits by hand.

    Args:
        command: Shown to processes that meet the lock.
        needs: Files that must be readable.

    Raises:
        BrokenWorldError: One of them cannot be read.
        GmError: Of the edit; it begins with the writer's notes: the edit may be among the commits that were recovered.
    """
    notes: list[str] = []
    with writing(layout, command, notes.append) as writer:
        desk = Desk(layout, writer, notes)
        try:
            if needs:
                desk.need(*needs, message=message)
            yield desk
        except GmError as error:
            if writer.notes:
                error.message = "; ".join((*writer.notes, error.message))
            raise


def last_scene(world: World) -> SceneRef:
    """Return the last scene in the logbook, else in the memories."""
    played = [ref for entry in world.log if not entry.is_summary and (ref := entry.ref)]
    remembered = [agent.stream[-1].when for agent in world.agents.values() if agent.stream]
    return max(played, default=max(remembered, default=SceneRef(world.clock.day)))


def required_line(text: str, what: str) -> str:
    """Return a text on one line.

    Raises:
        UsageError: ``what`` (a goal, a memory) would be empty.
    """
    plain = " ".join(text.split())
    if not plain:
        raise UsageError(f"{what} needs words")
    return plain


def choose_item(which: str, items: Sequence[tuple[int, Item]], text_of: Callable[[Item], str], what: str) -> int:
    """Return the number of the item with this number, beginning or part.

    Raises:
        UsageError: None matches, or several do.
    """
    numbered = [number for number, _ in items if which.strip() == str(number)]
    texts = [(number, casefold(text_of(item)), casefold(which)) for number, item in items if which.strip()]
    found = numbered or [number for number, text, wanted in texts if text.startswith(wanted)]
    found = found or [number for number, text, wanted in texts if wanted in text]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{number}: {shorten_at_word(text_of(item), SHOWN_CHARACTERS)}" for number, item in items)
    if not found:
        raise UsageError(
            f"there is no {what} {which!r}", say("there are: {names}", listed) if items else "there is none at all"
        )
    raise UsageError(f"{len(found)} {what}s fit {which!r}", f"say its number: {listed}")


@dataclass(frozen=True, slots=True)
class EditedLayer(Generic[V, C]):
    """A layer of a character after an edit by hand; ``change`` None = nothing was to be changed."""

    agent: str
    change: C | None
    value: V
    notes: list[str]


def change_layer(
    layout: Layout,
    command: str,
    agent: str,
    layer: Layer[V, C],
    decide: Callable[[Desk, Agent], C | None],
    message: str = "",
) -> EditedLayer[V, C]:
    """Change a layer of the character with this id or name.

    Args:
        decide: Returns what changes.

    Raises:
        UsageError: No such character.
        BrokenWorldError: The layer's file cannot be read.
        GmError: Single values cannot be changed in it.
    """
    with editing(layout, command) as desk:
        name = known_agent(desk.world.agents, agent)
        desk.need(layout.layer(layer, name), message=message.format(agent=name))
        change = decide(desk, desk.world.agents[name])
        value = desk.world.agents[name].mind[layer]
        if change is None:
            return EditedLayer(name, None, value, desk.notes)
        desk.commit(mind_steps(layout, name, MindChange({layer.name: change})))
        return EditedLayer(name, change, layer.advance(value, change), desk.notes)
