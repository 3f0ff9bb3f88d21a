"""Fold what replies say about the layers of a mind into what changes in them, and take that into their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gm.model.goal import fold_goals
from gm.model.mind import Mind, MindChange
from gm.model.page import PageChange, change_page
from gm.model.relationship import advance_relationships
from gm.model.replies import SoulEdit
from gm.model.scene import Scene
from gm.model.soul import SoulChange, change_soul
from gm.model.world import World
from gm.scene.goals import fold_goal_reports
from gm.scene.ledger import Ledger, Words
from gm.scene.lookups import soul_in
from gm.scene.page import rewrite_page
from gm.scene.relationships import fold_relationships
from gm.scene.soul import fold_soul, soul_record
from gm.scene.turns import Turn


def fold_minds(
    world: World,
    scene: Scene,
    turns: Sequence[Turn],
    ledger: Ledger,
    words: Words,
) -> dict[str, MindChange]:
    """Tell what a scene changes in the minds of those who took part.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies in the order they count.
        ledger: Takes what becomes a memory, and what has to be said about it.
        words: Renders the Game Master's own sentences.

    Returns:
        By agent; who is not in it is as before.
    """
    relationships = fold_relationships(world, scene, turns, ledger.warnings)
    goals = dict(fold_goal_reports(world, scene, turns, ledger, words))
    changes = {}
    for name in dict.fromkeys((*(turn.agent for turn in turns), *relationships, *goals)):
        own = [turn for turn in turns if turn.agent == name]
        change = MindChange(
            soul=fold_own_soul(
                world, name, [edit for turn in own for edit in (*soul_in(turn.consulted), turn.reply.soul)], ledger
            ),
            page=_page(world, name, own, ledger),
            relationships=relationships.get(name, ()),
            goals=goals.get(name, ()),
        )
        if change != MindChange():
            changes[name] = change
    return changes


def fold_own_soul(world: World, name: str, edits: Sequence[SoulEdit], ledger: Ledger) -> SoulChange | None:
    """Tell what somebody changes in its soul; nothing while souls are switched off."""
    if "soul" not in world.layers:
        return None
    change, warnings = fold_soul(world.agents[name].mind.soul, edits)
    ledger.warnings.extend(f"{name}: {warning}" for warning in warnings)
    return change


def _page(world: World, name: str, turns: Sequence[Turn], ledger: Ledger) -> PageChange | None:
    """The last page that somebody wrote in a scene is the one that counts: it was written whole."""
    written = [turn.reply.working for turn in turns if turn.reply.working]
    if "working" not in world.layers or not written:
        return None
    change, warnings = rewrite_page(world.agents[name].mind.page, written[-1], world.settings.working.lines)
    ledger.warnings.extend(f"{name}: {warning}" for warning in warnings)
    return change


def mind_record(minds: Mapping[str, MindChange]) -> dict[str, Any]:
    """Say in a logbook line what changed in minds, as far as it is told there; nothing when nothing did."""
    return soul_record({name: change.soul for name, change in minds.items()})


def advance_mind(mind: Mind, change: MindChange) -> Mind:
    """Return a mind as it is after a change."""
    if change.soul is not None:
        mind = replace(mind, soul=change_soul(mind.soul, change.soul))
    if change.page is not None:
        mind = replace(mind, page=change_page(mind.page, change.page))
    return replace(
        mind,
        goals=fold_goals(mind.goals, change.goals) if change.goals else mind.goals,
        relationships=advance_relationships(mind.relationships, change.relationships),
        diary=mind.diary if change.diary is None else (*(mind.diary or ()), change.diary),
    )
