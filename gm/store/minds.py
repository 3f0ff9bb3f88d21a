"""Read and write the files of the layers of a mind."""

from __future__ import annotations

from gm.errors import Problem
from gm.model.mind import Mind, MindChange
from gm.model.world import World
from gm.store.layout import Layout
from gm.store.steps import Step


def load_mind(layout: Layout, name: str) -> tuple[Mind, list[Problem]]:
    """Read the layers of one character, tolerantly; an absent file is an empty layer."""
    return Mind(), []


def mind_steps(layout: Layout, world: World, name: str, change: MindChange) -> list[Step]:
    """List the steps that write what changed in one mind.

    Args:
        layout: The world's files.
        world: The world before the change.
        name: Whose mind.
        change: What to write.
    """
    return []
