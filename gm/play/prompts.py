"""Open the prompts of a world, and a world with its prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gm.ask.prompt.render import Prompts
from gm.base.config import Settings
from gm.base.errors import CORRECT_HINT, BrokenWorldError, Problem, say
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
    """Read a world with its prompts; ``refuse`` raises an error for problems, of which ``concerning`` chooses.

    Raises:
        BrokenWorldError: A setting's name is nearly that of another one.
    """
    settings, problems = load_settings(layout)
    refuse(problems)
    for problem in problems:  # a world whose language is misspelt would be played in another one
        if problem.code == "setting-unknown" and problem.column == 1 and "did you mean" in problem.hint:
            message = say("{place}: a setting is misspelt; {hint}", problem.place, problem.hint)
            raise BrokenWorldError(message, CORRECT_HINT)
    prompts = open_prompts(layout, settings)
    loaded = load_world(layout, prompts.scene_types())
    refuse(concerning(loaded.world, loaded.problems))
    return loaded.world, prompts
