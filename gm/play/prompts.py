"""Open the prompts of a world, and a world with its prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from difflib import get_close_matches

from gm.ask.prompt.render import Prompts
from gm.base.config import Settings
from gm.base.config.declare import setting_key
from gm.base.errors import CORRECT_HINT, BrokenWorldError, Problem, say
from gm.files.formats.text import read_readable
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.files.story.now import load_settings
from gm.model.world import World

_NEARLY = 0.8
"""How like a setting's name another key is that must be meant for it (``difflib``): a letter or two in eight differ."""


def open_prompts(layout: Layout, settings: Settings) -> Prompts:
    """Return a world's own templates, with the packaged ones of its language and choice behind them."""
    return Prompts(layout.prompts, shipped_prompts(), settings.language, settings.prompts)


def read_world_prompts(
    layout: Layout,
    refuse: Callable[[Sequence[Problem]], None],
    concerning: Callable[[World, Sequence[Problem]], Sequence[Problem]] = lambda _world, problems: problems,
) -> tuple[World, Prompts]:
    """Read a world with its prompts; ``refuse`` raises an error for problems, of which ``concerning`` chooses.

    Raises:
        BrokenWorldError: A setting's name is nearly that of another one.
    """
    settings, problems = load_settings(layout)
    refuse(problems)
    _refuse_misspelt(layout, problems)
    prompts = open_prompts(layout, settings)
    loaded = load_world(layout, prompts.scene_types())
    refuse(concerning(loaded.world, loaded.problems))
    return loaded.world, prompts


def _refuse_misspelt(layout: Layout, problems: Sequence[Problem]) -> None:
    # a world whose language is misspelt would be played in another one
    unknown = [problem for problem in problems if problem.code == "setting-unknown" and problem.column == 1]
    lines = read_readable(layout.settings).decode("utf-8", "replace").splitlines() if unknown else []
    known = [setting_key(item.name) for item in fields(Settings)]
    for problem in unknown:
        line = "".join(lines[problem.line - 1 : problem.line])  # none if the file has gone meanwhile
        name = line.partition(":")[0].strip("\"' ")
        if near := get_close_matches(name[:60], known, n=1, cutoff=_NEARLY):
            message = say("{place}: a setting is misspelt; did you mean {name}?", problem.place, near[0])
            raise BrokenWorldError(message, CORRECT_HINT)
