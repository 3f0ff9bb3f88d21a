"""Change one file of a mind by hand: hold the lock, read the world, write the steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gm.errors import BrokenWorldError, errors_in
from gm.model.character import Agent
from gm.model.mind import MindChange
from gm.store.layout import Layout
from gm.store.load import load_world
from gm.store.minds import mind_steps
from gm.store.writer import writing
from gm.tools.cast import known_agents


def change_mind(
    layout: Layout,
    command: str,
    agent: str,
    file: Callable[[str], Path],
    decide: Callable[[Agent], MindChange],
) -> tuple[str, MindChange, list[str]]:
    """Change a file of somebody's mind.

    Args:
        layout: The world's files.
        command: What is being done, for those who come meanwhile.
        agent: Whose mind; need not be an id.
        file: Finds the file that has to be readable.
        decide: Says what changes.

    Returns:
        Whose mind it is; what changed; what an earlier command had left unfinished, and what was left as it is.

    Raises:
        UsageError: Nobody is called that.
        BrokenWorldError: The file cannot be read.
        GmError: Single values cannot be changed in it.
    """
    with writing(layout, command) as writer:
        loaded = load_world(layout)
        (name,) = known_agents(loaded.world.agents, [agent])
        shown = layout.shown(file(name))
        broken = [problem for problem in errors_in(loaded.problems) if problem.path == shown]
        if broken:
            raise BrokenWorldError(f"{shown} cannot be read", "correct it by hand; nothing was changed", broken)
        change = decide(loaded.world.agents[name])
        overruled = writer.commit(mind_steps(layout, loaded.world, name, change))
        return name, change, [*writer.recovered, *map(str, overruled)]
