"""Find and read the scripts of days.

First by day (``scripts/day-003.yaml``), then by weekday (``scripts/donnerstag.yaml``), then
``scripts/every-day.yaml``.
"""

from __future__ import annotations

from pathlib import Path

from gm.base.errors import Problem
from gm.base.texts import search_key
from gm.files.experiments.scripttext import ScriptNames, parse_script
from gm.files.formats.text import list_folder, read_text
from gm.files.layout import Layout
from gm.model.calendar import render_day, weekday
from gm.model.world import World
from gm.scene.directing.script import Script

ENDING = ".yaml"
EVERY_DAY = "every-day"


def find_known_names(world: World, *, at_once: bool = True) -> ScriptNames:
    """Return what a script may refer to in a world.

    Args:
        at_once: Whether it is for the open or the next day; for a later one, all characters will have memories.
    """
    remembering = frozenset(name for name, agent in world.agents.items() if agent.stream or not at_once)
    return ScriptNames(world.scene_types, world.agents, frozenset(world.settings.places), remembering)


def find_script(layout: Layout, day: int, weekdays: tuple[str, ...]) -> Path | None:
    """Return the script of a day, or None."""
    stems = {search_key(path.stem): path for path in sorted(script_files(layout), reverse=True)}
    names = (render_day(day), weekday(day, weekdays), EVERY_DAY)
    return next((stems[search_key(name)] for name in names if name and search_key(name) in stems), None)


def script_files(layout: Layout) -> list[Path]:
    """Return the scripts of a world."""
    return sorted(path for path in list_folder(layout.scripts) if path.suffix == ENDING and path.is_file())


def load_script(path: Path, shown: str, known: ScriptNames) -> tuple[Script | None, list[Problem]]:
    """Read one script, from any place."""
    text, problems = read_text(path, shown)
    if not text.exists and not problems:
        problems = [Problem(shown, 0, 0, "error", "script-missing", "there is no such file")]
    if problems:
        return None, problems
    return parse_script(text.body, shown, known)
