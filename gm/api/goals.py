"""The goals of characters, listed and edited by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.api.cast import known_agents
from gm.api.document import part
from gm.api.editing import Desk, change_layer
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.layers.goals import GOALS, Goal, GoalEvent, next_goal, render_goal_id
from gm.model.character import Agent
from gm.model.world import World


@dataclass(frozen=True, slots=True)
class GoalState:
    """A goal's present state.

    Attributes:
        steps: Number of progress reports.
        outcome: reached or abandoned; None = open.
    """

    id: str
    text: str
    since: str
    touched: str
    steps: int
    last: str | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class Goals:
    """Goals by agent id; ``on`` = characters are asked about their goals."""

    on: bool
    day: int
    agents: Mapping[str, tuple[GoalState, ...]]


@dataclass(frozen=True, slots=True)
class GoalWritten:
    """A goal after an edit."""

    agent: str
    goal: GoalState = part(inline=True)


def describe_goals(world: World, names: Sequence[str] = ()) -> Goals:
    """Return goals; without names, of all characters that have any.

    Raises:
        UsageError: A name is unknown.
    """
    chosen = known_agents(world.agents, names)
    goals: dict[str, tuple[Goal, ...]] = {name: world.agents[name].mind[GOALS] for name in chosen}
    shown = {name: tuple(map(_describe, own)) for name, own in goals.items() if names or own}
    return Goals(GOALS.name in world.layers, world.clock.day, shown)


def _describe(goal: Goal) -> GoalState:
    return GoalState(goal.id, goal.text, goal.opened, goal.touched, goal.steps, goal.last or None, goal.outcome or None)


def write_goal(layout: Layout, name: str, event: str, text: str, identifier: str = "") -> tuple[GoalWritten, list[str]]:
    """Open a goal by hand or report on one, as a line of the character's file.

    Args:
        event: open, progress, reached or abandoned.
        identifier: Empty for a new goal.

    Returns:
        The goal as it is now, and notes.

    Raises:
        UsageError: No such character or open goal, or an empty text.
        BrokenWorldError: The goals cannot be read.
    """

    def decide(desk: Desk, found: Agent) -> tuple[GoalEvent, ...]:
        goals = found.mind[GOALS]
        wanted = render_goal_id(next_goal(goals)) if event == "open" else _open_goal(goals, identifier, found.id)
        words = " ".join(text.split())
        if not words:
            raise UsageError("a goal needs words")
        return (GoalEvent(wanted, desk.last_moment(), event, words),)

    message, hint = "the goals of {agent} cannot be read", "correct these places"
    done = change_layer(layout, "gm goals", name, GOALS, decide, message, hint)
    assert done.change is not None
    goal = next(goal for goal in done.value if goal.id == done.change[0].id)
    return GoalWritten(done.agent, _describe(goal)), done.notes


def _open_goal(goals: Sequence[Goal], identifier: str, agent: str) -> str:
    goal = next((goal for goal in goals if casefold(goal.id) == casefold(identifier) and goal.is_open), None)
    if goal is None:
        known = ", ".join(goal.id for goal in goals if goal.is_open) or "none"
        raise UsageError(f"{agent} has no open goal {identifier!r}", f"open: {known}")
    return goal.id
