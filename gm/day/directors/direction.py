"""Which Director is wanted, and the scripts of the days that a run plays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gm.config import Settings
from gm.errors import BrokenWorldError, errors_in
from gm.model.world import World
from gm.scene.attendance import coming_day
from gm.scene.script import SCRIPT, Script
from gm.store.layout import Layout
from gm.store.scripts import find_script, known_in, load_script


@dataclass(frozen=True, slots=True)
class Direction:
    """What a command says about who directs.

    Attributes:
        name: rules, llm or script; empty = as the settings say.
        script: A script for every day of this command, wherever it lies.
        focus: Name of the character whose days are expanded; empty = nobody's.
    """

    name: str = ""
    script: Path | None = None
    focus: str = ""

    def director(self, settings: Settings) -> str:
        """Tell which Director it is."""
        return SCRIPT if self.script else self.name or settings.director

    def load(self, layout: Layout, world: World, day: int | None = None) -> Script | None:
        """Read the script of a day; None when nobody wrote one.

        Args:
            layout: The world's files.
            world: The world; what a script names has to be in it.
            day: Which day; None = the open one.

        Raises:
            BrokenWorldError: There is an error in it; every one is named.
        """
        day = world.clock.day if day is None else day
        path = self.script or find_script(layout, day, world.settings.calendar.weekdays)
        if path is None:
            return None
        script, problems = load_script(path, layout.shown(path), known_in(world, at_once=day <= coming_day(world)))
        if script is None:
            errors = errors_in(problems)
            count = f"{len(errors)} error{'s' if len(errors) > 1 else ''}"
            raise BrokenWorldError(
                f"{count} in the script of day {day}", "correct it by hand, then run the same command again", errors
            )
        return script


AS_SET = Direction()
