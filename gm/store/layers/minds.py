"""Read and write the files of the layers of a mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gm.config import Settings
from gm.errors import Problem
from gm.model.goal import render_goal_event
from gm.model.mind import Mind, MindChange
from gm.model.world import World
from gm.store.commits.steps import Step
from gm.store.commits.writer import append_step
from gm.store.layers.diary import diary_steps, load_diary
from gm.store.layers.goals import load_goals
from gm.store.layers.page import load_page, page_steps
from gm.store.layers.relationships import load_relationships, relationship_steps
from gm.store.layers.soul import load_soul, soul_steps
from gm.store.layout import Layout

if TYPE_CHECKING:
    from gm.scene.edits import (
        Kept,
    )  # what folds scenes loads the forms of replies, which a mere look at a world needs not


def load_mind(layout: Layout, name: str) -> tuple[Mind, list[Problem]]:
    """Read the layers of one character, tolerantly; an absent file is an empty layer."""
    soul, problems = load_soul(layout, name)
    page, found = load_page(layout, name)
    problems = [*problems, *found]
    relationships, found = load_relationships(layout, name)
    problems += found
    diary, found = load_diary(layout, name)
    problems += found
    goals, found = load_goals(layout, name)
    problems += found
    return Mind(soul, page, relationships, diary, goals), problems


def without_switched_off(layout: Layout, settings: Settings, problems: Sequence[Problem]) -> list[Problem]:
    """Leave out what is wrong with files of layers that are switched off: nobody needs them."""
    folders = {
        layout.souls: settings.soul,
        layout.working_folder: settings.working.enabled,
        layout.relationships_folder: settings.relationships,
        layout.diary_folder: settings.diary,
        layout.goals_folder: settings.goals,
    }
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

    Raises:
        GmError: A file is not such that single values can be changed in it.
    """
    steps: list[Step] = []
    if change.soul is not None:
        steps += soul_steps(layout, name, change.soul)
    if change.page is not None:
        steps += page_steps(layout, name, change.page)
    if change.goals:
        steps.append(append_step(layout, layout.goals(name), [render_goal_event(event) for event in change.goals]))
    return [*steps, *relationship_steps(layout, name, change.relationships), *diary_steps(layout, name, change.diary)]


def edited_file(layout: Layout, item: Kept) -> str:
    """Name the file in which a value stays as a person made it."""
    files = {"working": layout.working, "relationships": layout.relationships}
    if item.layer in files:
        return layout.shown(files[item.layer](item.where))
    return layout.shown(layout.agent(item.where) if item.where else layout.world)
