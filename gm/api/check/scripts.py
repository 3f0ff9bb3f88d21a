"""Check all scripts of a world, including those that are never played."""

from __future__ import annotations

from gm.ask.prompt.render import Prompts
from gm.ask.prompt.scenetypes import parse_scene_type
from gm.base.casefold import search_key
from gm.base.config import Settings
from gm.base.errors import Problem, PromptError
from gm.files.layout import Layout
from gm.files.now import load_cast, load_settings
from gm.files.scripts import EVERY_DAY, load_script, script_files
from gm.files.scripttext import Known
from gm.files.shipped import shipped_prompts
from gm.model.calendar import parse_ref
from gm.model.scene import SceneType


def check_scripts(layout: Layout) -> list[Problem]:
    """Return the problems of all scripts of a world."""
    paths = script_files(layout)
    if not paths:
        return []
    settings, _ = load_settings(layout)
    types = _scene_types(layout, settings.language)
    if not types:
        return []  # the prompts cannot be read, which is reported elsewhere
    agents, _ = load_cast(layout)
    # by the day of a script all characters may have memories
    known = Known(types, agents, frozenset(settings.places), frozenset(agents))
    found = [problem for path in paths for problem in load_script(path, layout.shown(path), known)[1]]
    return found + [_unnamed(layout.shown(path)) for path in paths if not _has_day(path.stem, settings)]


def _has_day(stem: str, settings: Settings) -> bool:
    day = parse_ref(stem)
    named = (EVERY_DAY, *settings.calendar.weekdays)
    return (day is not None and not day.scene) or search_key(stem) in map(search_key, named)


def _unnamed(shown: str) -> Problem:
    message = "no day has this name: the script is played with --script only"
    return Problem(shown, 0, 0, "info", "script-name", message, "days are day-003, a weekday, every-day")


def _scene_types(layout: Layout, language: str) -> dict[str, SceneType]:
    types = {}
    try:
        prompts = Prompts(layout.prompts, shipped_prompts(), language)
    except PromptError:
        return {}
    for name in prompts.names():
        path = prompts.find(name)
        if name.startswith("scenes/") and path is not None:
            try:
                kind = parse_scene_type(path, name)
            except PromptError:
                continue
            types[kind.name] = kind
    return types
