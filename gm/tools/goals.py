"""Goals of characters: looked at, and opened and settled by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.errors import BrokenWorldError, UsageError, errors_in
from gm.layers.goals import GOALS, Goal, GoalEvent, next_goal, render_goal_event, render_goal_id
from gm.model.fold import fold
from gm.model.world import World
from gm.store.commits.writer import append_step, writing
from gm.store.layout import Layout
from gm.store.load import load_world
from gm.tools.cast import known_agent, known_agents
from gm.tools.memory.add import last_moment


def describe_goals(world: World, names: Sequence[str] = ()) -> dict[str, Any]:
    """Describe goals in the form of ``gm goals --json``.

    Args:
        world: The world.
        names: Whose; empty = of everybody who has any.

    Raises:
        UsageError: Nobody is called one of the names.
    """
    chosen = known_agents(world.agents, names)
    goals = {name: world.agents[name].mind[GOALS] for name in chosen}
    return {
        "on": GOALS.name in world.layers,
        "day": world.clock.day,
        "agents": {name: [_describe(goal) for goal in own] for name, own in goals.items() if names or own},
    }


def _describe(goal: Goal) -> dict[str, Any]:
    return {
        "id": goal.id,
        "text": goal.text,
        "since": goal.opened,
        "touched": goal.touched,
        "steps": goal.steps,
        "last": goal.last or None,
        "outcome": goal.outcome or None,
    }


def write_goal(
    layout: Layout, name: str, event: str, text: str, identifier: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """Open a goal by hand, or report on one: a line at the end of the character's file.

    Args:
        layout: The world.
        name: Whose goal.
        event: open, progress, reached or abandoned.
        text: What is to be reached; what came of it.
        identifier: Which goal; empty for a new one.

    Returns:
        The goal as it is now, and notes.

    Raises:
        UsageError: There is no such character, or no such open goal.
        BrokenWorldError: The file of goals cannot be read.
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
        overruled = writer.commit([append_step(layout, path, [render_goal_event(line)])])
        notes = [*writer.recovered, *map(str, overruled)]
    now = load_world(layout).world.agents[agent].mind[GOALS]
    return {"agent": agent, **next(_describe(goal) for goal in now if goal.id == wanted)}, notes


def _open_goal(goals: Sequence[Goal], identifier: str, agent: str) -> str:
    goal = next((goal for goal in goals if fold(goal.id) == fold(identifier) and goal.is_open), None)
    if goal is None:
        known = ", ".join(goal.id for goal in goals if goal.is_open) or "none"
        raise UsageError(f"{agent} has no open goal {identifier!r}", f"open: {known}")
    return goal.id
