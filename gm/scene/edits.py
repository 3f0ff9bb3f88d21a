"""An edit by the user during a scene takes precedence over the scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gm.layers import LAYERS
from gm.model.character import Agent, AgentState
from gm.model.mind import MindChange
from gm.model.world import Change, World

AGENT_VALUES = ("position", "current_task", "today_plan", "mood", "last_reflection")
CLOCK_VALUES = ("studio_status",)


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that stays as the user edited it.

    Attributes:
        where: Name of the agent; empty for the world clock.
        ours: The value of the scene.
        theirs: The value of the user.
        layer: The layer of the mind; empty for the agent's own file.
    """

    where: str
    key: str
    ours: object
    theirs: object
    layer: str = ""


def yield_to_edits(before: World, now: World, change: Change) -> tuple[Change, tuple[Kept, ...]]:
    """Remove from a change what the user has edited since the scene began.

    Sums and counters are folded from the current world and need no such care.

    Args:
        before: The world when the scene began.
        now: The world from which the change was folded.
    """
    kept: list[Kept] = []
    agents: dict[str, Mapping[str, object]] = {}
    for name, values in change.agents.items():
        edited = _edited(before.agents.get(name), now.agents[name].state, AGENT_VALUES)
        kept += [Kept(name, key, values[key], getattr(now.agents[name].state, key)) for key in values if key in edited]
        agents[name] = {key: value for key, value in values.items() if key not in edited}
    edited = {key for key in CLOCK_VALUES if getattr(before.clock, key) != getattr(now.clock, key)}
    kept += [Kept("", key, value, getattr(now.clock, key)) for key, value in change.clock.items() if key in edited]
    clock = {key: value for key, value in change.clock.items() if key not in edited}
    minds, edits = {}, []
    for name, mind in change.minds.items():
        minds[name], own = _yield_mind(before, now, name, mind)
        edits += own
    return replace(change, agents=agents, clock=clock, minds=minds), (*kept, *edits)


def _yield_mind(before: World, now: World, name: str, mind: MindChange) -> tuple[MindChange, list[Kept]]:
    kept: list[Kept] = []
    for layer in LAYERS if name in before.agents else ():
        change = mind[layer]
        if change is not None and layer.yields is not None:
            then, there = (world.agents[name].mind[layer] for world in (before, now))
            left, edits = layer.yields(then, there, change)
            mind = mind.with_change(layer, left or None)
            kept += [Kept(name, edit.key, edit.ours, edit.theirs, layer.name) for edit in edits]
    return mind, kept


def _edited(before: Agent | None, now: AgentState, keys: tuple[str, ...]) -> set[str]:
    if before is None:
        return set()
    return {key for key in keys if getattr(before.state, key) != getattr(now, key)}
