"""Decisions of the user between playing and landing of a scene. Nothing is ever taken back from the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.files.commits.steps import Step as FileStep
from gm.files.layout import Layout
from gm.llm.record import Asker
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.stage import Stage
from gm.scene.advance import advance
from gm.scene.director import Step


class LeftOpenError(Exception):
    """The user leaves; the day stays open, and the same command resumes it."""


@dataclass(frozen=True)
class Draft:
    """A scene that has been played and has not landed.

    Attributes:
        world: The world before it.
        fold: What lands is folded from the files as they are then.
        take: How often it has been played, from 1.
    """

    world: World
    scene: Scene
    fold: Callable[[World], Change]
    take: int = 1

    @cached_property
    def change(self) -> Change:
        """What the scene would change."""
        return self.fold(self.world)

    @cached_property
    def after(self) -> World:
        """The world after the scene, if it lands."""
        return advance(self.world, self.change)


class Table(Protocol):
    """The Game Master, as far as an interactive session may use it."""

    @property
    def layout(self) -> Layout: ...

    @property
    def world(self) -> World: ...

    @property
    def prompts(self) -> Prompts: ...

    @property
    def assembler(self) -> Assembler: ...

    @property
    def stage(self) -> Stage: ...

    @property
    def asker(self) -> Asker: ...

    @property
    def is_ended(self) -> bool: ...

    def next_step(self, world: World | None = None) -> Step: ...

    def refresh(self) -> None:
        """Read the world again if a file was edited."""

    def write(self, plan: Callable[[Layout, World], Sequence[FileStep]]) -> None:
        """Commit steps planned from the current files, and read the world again."""

    def end_day(self) -> None:
        """End the open day: no more scenes."""


class Review:
    """Lets all scenes land, and the Director decide; override to decide otherwise."""

    def judge(self, table: Table, draft: Draft) -> str:
        """Return the note with which to replay a scene; empty lets it land. Not called for reflections.

        Raises:
            LeftOpenError: Nothing lands; the same command shows the scene again, from its traces.
        """
        return ""

    def between(self, table: Table) -> None:
        """Act between two steps of a day; everything played so far is in the files.

        Raises:
            LeftOpenError: The day stays as it is.
        """

    def next_step(self, table: Table) -> Step:
        return table.next_step()
