"""Read the scripts of days, and name everything that is wrong with one, each at its place.

A script is looked for by the day (``scripts/day-003.yaml``), then by its weekday (``scripts/donnerstag.yaml``), then
for every day (``scripts/every-day.yaml``).
"""

from __future__ import annotations

from pathlib import Path

from gm.base.casefold import search_key
from gm.base.errors import Problem
from gm.files.forms.text import list_folder, read_text
from gm.files.layout import Layout
from gm.files.scripttext import Known, parse_script
from gm.model.calendar import render_day, weekday
from gm.model.world import World
from gm.scene.script import Script

ENDING = ".yaml"
EVERY_DAY = "every-day"


def known_in(world: World, *, at_once: bool = True) -> Known:
    """Return what a script may name in a world.

    Args:
        world: The world.
        at_once: Whether the day of the script is the open one or the next; later, all characters have memories.
    """
    remembering = frozenset(name for name, agent in world.agents.items() if agent.stream or not at_once)
    return Known(world.scene_types, world.agents, frozenset(world.settings.places), remembering)


def find_script(layout: Layout, day: int, weekdays: tuple[str, ...]) -> Path | None:
    """Find the script of a day; None when there is none."""
    stems = {search_key(path.stem): path for path in sorted(script_files(layout), reverse=True)}
    names = (render_day(day), weekday(day, weekdays), EVERY_DAY)
    return next((stems[search_key(name)] for name in names if name and search_key(name) in stems), None)


def script_files(layout: Layout) -> list[Path]:
    """List the scripts of a world."""
    return sorted(path for path in list_folder(layout.scripts) if path.suffix == ENDING and path.is_file())


def load_script(path: Path, shown: str, known: Known) -> tuple[Script | None, list[Problem]]:
    """Read one script.

    Args:
        path: The file; it may lie anywhere.
        shown: Its path for problems.
        known: What it may name.

    Returns:
        The script, None when there is an error in it; and everything that is wrong with it.
    """
    text, problems = read_text(path, shown)
    if not text.exists and not problems:
        problems = [Problem(shown, 0, 0, "error", "script-missing", "there is no such file")]
    if problems:
        return None, problems
    return parse_script(text.body, shown, known)
