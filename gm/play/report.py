"""What happens while a day is played, as events. ``cli`` shows it; tests listen."""

from __future__ import annotations

from gm.model.scene import Scene
from gm.model.world import Change, World


class Report:
    """Listens to a run and does nothing; override what you want to hear."""

    def day_opened(self, world: World) -> None:
        """A day begins, or an interrupted one goes on."""

    def scene_begins(self, world: World, scene: Scene) -> None:
        """The Game Master has chosen a scene."""

    def answered(self, scene: Scene, done: int, of: int) -> None:
        """So many of the open questions of a scene are answered."""

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        """A scene is in the files; ``world`` is the world after it."""

    def cared(self, world: World, name: str, change: Change) -> None:
        """A character has put old memories together; it is in the files."""

    def day_closed(self, world: World, change: Change) -> None:
        """The day is over."""

    def day_left(self, world: World) -> None:
        """The user left; the day stays open."""

    def notice(self, text: str) -> None:
        """Something was repaired, dropped or left alone."""
