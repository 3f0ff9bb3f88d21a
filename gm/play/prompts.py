"""Open the prompts of a world, and a world with its prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gm.ask.prompt.render import Prompts
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.files.story.now import load_settings
from gm.model.world import World


def open_prompts(layout: Layout, settings: Settings) -> Prompts:
    """Return a world's own templates, with the packaged ones of its language and choice behind them."""
    return Prompts(layout.prompts, shipped_prompts(), settings.language, settings.prompts)


def read_world_prompts(
    layout: Layout,
    refuse: Callable[[Sequence[Problem]], None],
    concerning: Callable[[World, Sequence[Problem]], Sequence[Problem]] = lambda _world, problems: problems,
) -> tuple[World, Prompts]:
    """Read a world with its prompts; ``refuse`` raises an error for problems, of which ``concerning`` chooses."""
    settings, problems = load_settings(layout)
    refuse(problems)
    prompts = open_prompts(layout, settings)
    loaded = load_world(layout, prompts.scene_types())
    refuse(concerning(loaded.world, loaded.problems))
    return loaded.world, prompts
