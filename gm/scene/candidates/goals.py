"""A neglected goal is a reason for a scene of work of its owner (`goals`)."""

from __future__ import annotations

from dataclasses import replace

from gm.layers.goals import GOALS, Goal
from gm.model.scene import Candidate
from gm.model.world import World
from gm.scene.candidates.people import clip
from gm.scene.score import reason

NEGLECTED_DAYS = 3
FULL_DAYS = 7


def add_goals(world: World, candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates, with the neglected goal of its first character for each work scene."""
    if GOALS.name not in world.layers:
        return candidates
    return [_with_goal(world, item) if item.type == "WORK" else item for item in candidates]


def _with_goal(world: World, item: Candidate) -> Candidate:
    agent = world.agents[item.cast[0]]
    goal = _oldest([goal for goal in agent.mind[GOALS] if goal.is_open])
    days = world.clock.day - goal.touched_day if goal else 0
    if goal is None or days < NEGLECTED_DAYS:
        return item
    measure = min(1.0, days / FULL_DAYS)
    why = reason(world, "goal", measure, who=agent.call_name, days=str(days), goal=clip(goal.text))
    return replace(item, reasons=(*item.reasons, why))


def _oldest(goals: list[Goal]) -> Goal | None:
    return min(goals, key=lambda goal: goal.touched_day, default=None)
