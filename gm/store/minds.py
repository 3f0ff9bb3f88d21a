"""Read and write the files of the layers of a mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gm.config import Settings
from gm.errors import Problem
from gm.model.mind import Mind, MindChange
from gm.model.relationship import LAYER
from gm.model.world import World
from gm.store.diary import diary_steps, load_diary
from gm.store.layout import Layout
from gm.store.relationships import load_relationships, relationship_steps
from gm.store.steps import Step

if TYPE_CHECKING:
    from gm.scene.edits import (
        Kept,
    )  # what folds scenes loads the forms of replies, which a mere look at a world needs not


def load_mind(layout: Layout, name: str) -> tuple[Mind, list[Problem]]:
    """Read the layers of one character, tolerantly; an absent file is an empty layer."""
    relationships, problems = load_relationships(layout, name)
    diary, found = load_diary(layout, name)
    problems += found
    return Mind(relationships=relationships, diary=diary), problems


def without_switched_off(layout: Layout, settings: Settings, problems: Sequence[Problem]) -> list[Problem]:
    """Leave out what is wrong with files of layers that are switched off: nobody needs them."""
    folders = {layout.relationships_folder: settings.relationships, layout.diary_folder: settings.diary}
    off = tuple(f"{layout.shown(folder)}/" for folder, switch in folders.items() if switch == "off")
    return [problem for problem in problems if not problem.path.startswith(off)]


def mind_steps(
    layout: Layout,
    world: World,  # noqa: ARG001
    name: str,
    change: MindChange,
) -> list[Step]:
    """List the steps that write what changed in one mind.

    Args:
        layout: The world's files.
        world: The world before the change.
        name: Whose mind.
        change: What to write.
    """
    return [*relationship_steps(layout, name, change.relationships), *diary_steps(layout, name, change.diary)]


def edited_file(layout: Layout, item: Kept) -> str:
    """Name the file in which a value stays as a person made it."""
    if item.layer == LAYER:
        return layout.shown(layout.relationships(item.where))
    return layout.shown(layout.agent(item.where) if item.where else layout.world)
