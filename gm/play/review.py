"""Decisions of the user between playing and landing of a scene. Nothing is ever taken back from the files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.table import Table
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
