"""The goals of characters, listed and edited by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.api.cast import known_agent, known_agents
from gm.api.document import part
from gm.api.memory.add import last_moment
from gm.base.casefold import casefold
from gm.base.errors import BrokenWorldError, UsageError, errors_in
from gm.files.commits.writer import append_step, writing
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers.goals import GOAL_EVENT, GOALS, Goal, GoalEvent, next_goal, render_goal_id
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
    with writing(layout, "gm goals") as writer:
        loaded = load_world(layout)
        world = loaded.world
        agent = known_agent(world.agents, name)
        path = layout.layer(GOALS, agent)
        broken = [problem for problem in errors_in(loaded.problems) if problem.path == layout.shown(path)]
        if broken:
            raise BrokenWorldError(f"the goals of {agent} cannot be read", "correct these places", broken)
        goals = world.agents[agent].mind[GOALS]
        wanted = render_goal_id(next_goal(goals)) if event == "open" else _open_goal(goals, identifier, agent)
        text = " ".join(text.split())
        if not text:
            raise UsageError("a goal needs words")
        line = GoalEvent(wanted, last_moment(layout, world, loaded.problems), event, text)
        overruled = writer.commit([append_step(layout, path, [GOAL_EVENT.render(line)])])
        notes = [*writer.recovered, *map(str, overruled)]
    now = load_world(layout).world.agents[agent].mind[GOALS]
    return GoalWritten(agent, next(_describe(goal) for goal in now if goal.id == wanted)), notes


def _open_goal(goals: Sequence[Goal], identifier: str, agent: str) -> str:
    goal = next((goal for goal in goals if casefold(goal.id) == casefold(identifier) and goal.is_open), None)
    if goal is None:
        known = ", ".join(goal.id for goal in goals if goal.is_open) or "none"
        raise UsageError(f"{agent} has no open goal {identifier!r}", f"open: {known}")
    return goal.id
