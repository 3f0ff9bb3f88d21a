"""Goals of characters: shown, and set by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.api.editing.desk import Desk, change_layer, required_line
from gm.base.casefold import casefold
from gm.base.errors import UsageError, say
from gm.files.layout import Layout
from gm.layers.goals import GOAL_ID, GOALS, Goal, GoalEvent, GoalEventKind
from gm.model.world import Agent, World, known_agents


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
    shown = {name: tuple(map(_goal_state, own)) for name, own in goals.items() if names or own}
    return Goals(GOALS.name in world.layers, world.clock.day, shown)


def _goal_state(goal: Goal) -> GoalState:
    return GoalState(goal.id, goal.text, goal.opened, goal.touched, goal.steps, goal.last or None, goal.outcome or None)


def write_goal(
    layout: Layout, name: str, event: GoalEventKind, text: str, identifier: str = ""
) -> tuple[GoalWritten, list[str]]:
    """Open a goal by hand or report on one, as a line of the character's file.

    Args:
        identifier: Empty for a new goal.

    Raises:
        UsageError: No such character or open goal, or an empty text.
        BrokenWorldError: The goals cannot be read.
    """

    def decide(desk: Desk, found: Agent) -> tuple[GoalEvent, ...]:
        goals = found.mind[GOALS]
        opens = event == "open"
        wanted = GOAL_ID.after(goal.id for goal in goals) if opens else _open_goal(goals, identifier, found.id)
        words = required_line(text, "a goal")
        return (GoalEvent(wanted, desk.last_moment(), event, words),)

    done = change_layer(layout, "gm mind goals", name, GOALS, decide, "the goals of {agent} cannot be read")
    assert done.change is not None
    goal = next(goal for goal in done.value if goal.id == done.change[0].id)
    return GoalWritten(done.agent, _goal_state(goal)), done.notes


def _open_goal(goals: Sequence[Goal], identifier: str, agent: str) -> str:
    goal = next((goal for goal in goals if casefold(goal.id) == casefold(identifier) and goal.is_open), None)
    if goal is None:
        known = ", ".join(goal.id for goal in goals if goal.is_open) or "none"
        raise UsageError(say("{name} has no open goal {goal}", agent, repr(identifier)), f"open: {known}")
    return goal.id
