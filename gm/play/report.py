"""Events of a run, for ``cli`` and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gm.model.scene import Scene
from gm.model.world import Change, World


class Report:
    """Ignores all events; override what you need."""

    def day_opened(self, world: World) -> None:
        """A day begins, or an interrupted one continues."""

    def scene_begins(self, world: World, scene: Scene) -> None:
        """The Game Master has chosen a scene."""

    def asking(self, world: World, names: Sequence[str]) -> None:
        """The turns of these characters are asked for, in a scene that has begun."""

    def answered(self, scene: Scene, done: int, of: int) -> None:
        """``done`` of the questions of a scene are answered."""

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        """A scene has landed; its cast has those who joined it, too."""

    def cared(self, world: World, name: str, change: Change) -> None:
        """Self-care of a character has landed."""

    def day_ends(self, world: World, change: Change) -> None:
        """The scenes of a day are over; ``change`` says which appointments were missed."""

    def day_closed(self, world: World, change: Change) -> None:
        """The day is over."""

    def day_left(self, world: World) -> None:
        """The user left; the day stays open."""

    def warned(self, where: str, warnings: Sequence[str]) -> None:
        """Something in the replies of a scene or an evening was corrected; a warning begins with its character."""
        for warning in warnings:
            self.notice(f"{where} {warning}")

    def notice(self, text: str) -> None:
        """Something was repaired, dropped or left alone."""


def notice_once(notice: Callable[[str], None]) -> Callable[[str], None]:
    """Return what reports each notice the first time only."""
    noticed: set[str] = set()

    def tell(text: str) -> None:
        if text not in noticed:
            noticed.add(text)
            notice(text)

    return tell
