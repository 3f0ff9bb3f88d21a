"""Between playing a scene and landing it: the user may look at it, have it played again, and say what comes next.

A scene is shown before it is in the files, so that nothing there is ever taken back.
"""

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
    """The user leaves: the day stays open, and the same command goes on."""


@dataclass(frozen=True)
class Draft:
    """A scene that has been played and is not in the files yet.

    Attributes:
        world: The world before it.
        scene: What was played; its ``note`` says why it was played again, if it was.
        fold: Makes its change; what lands is folded from the files as they are then.
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
        """The world as it would be after the scene."""
        return advance(self.world, self.change)


class Table(Protocol):
    """The Game Master, as far as an interactive session may use it."""

    @property
    def layout(self) -> Layout:
        """The world's files."""
        ...

    @property
    def world(self) -> World:
        """The world as it is in the files."""
        ...

    @property
    def prompts(self) -> Prompts:
        """The templates of the world."""
        ...

    @property
    def assembler(self) -> Assembler:
        """Renders questions with them."""
        ...

    @property
    def stage(self) -> Stage:
        """What questions are put together with."""
        ...

    @property
    def asker(self) -> Asker:
        """Whom to ask."""
        ...

    @property
    def is_ended(self) -> bool:
        """Whether the open day was ended: it has no more scenes."""
        ...

    def next_step(self, world: World | None = None) -> Step:
        """Decide what comes next, in the open day or in another world."""
        ...

    def refresh(self) -> None:
        """Read the world again if a file was edited."""

    def write(self, plan: Callable[[Layout, World], Sequence[FileStep]]) -> None:
        """Write what a person wants in the files, and read the world again."""

    def end_day(self) -> None:
        """Let the open day have no more scenes."""


class Review:
    """Lets every scene land at once, and the Director decide; override what you want to decide yourself."""

    def judge(self, table: Table, draft: Draft) -> str:
        """Decide about a scene before it lands; not asked about reflections.

        Returns:
            The note with which it is played again; empty lets it land.

        Raises:
            LeftOpenError: Nothing lands; the same command shows the scene again, from its traces.
        """
        return ""

    def between(self, table: Table) -> None:
        """Do something between two steps of a day; everything played so far is in the files.

        Raises:
            LeftOpenError: The day stays as it is.
        """

    def next_step(self, table: Table) -> Step:
        """Decide what comes next."""
        return table.next_step()
