"""Between playing a scene and landing it: somebody may look at it, have it played again, and say what comes next.

A scene is shown before it is in the files, so that nothing there is ever taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.scene.advance import advance
from gm.scene.director import Step

if TYPE_CHECKING:
    from gm.day.master import GameMaster


class LeftOpenError(Exception):
    """Somebody leaves the table: the day stays open, and the same command goes on."""


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


class Review:
    """Lets every scene land at once, and the Director decide; override what you want to decide yourself."""

    def judge(self, master: GameMaster, draft: Draft) -> str:
        """Decide about a scene before it lands; not asked about reflections.

        Returns:
            The note with which it is played again; empty lets it land.

        Raises:
            LeftOpenError: Nothing lands; the same command shows the scene again, from its traces.
        """
        return ""

    def between(self, master: GameMaster) -> None:
        """Do something between two steps of a day; everything played so far is in the files.

        Raises:
            LeftOpenError: The day stays as it is.
        """

    def next_step(self, master: GameMaster) -> Step:
        """Decide what comes next."""
        return master.next_step()
