"""The summed importance since everybody's last reflection, as it is written and as it would be if summed anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.errors import BrokenWorldError, errors_in
from gm.memory.reflect import is_due, sum_importance
from gm.model.character import Agent
from gm.model.fold import fold
from gm.model.world import Change, World
from gm.store.layout import Layout
from gm.store.load import Loaded, load_world
from gm.store.save import plan_steps
from gm.store.writer import writing
from gm.tools.cast import known_agents


def describe_accumulators(world: World, names: Sequence[str] = (), *, recompute: bool = False) -> dict[str, Any]:
    """Describe accumulators in the form of ``gm accumulators --json``.

    Args:
        world: The world.
        names: Whose; empty = everybody's.
        recompute: Whether to sum the importance anew and compare.

    Raises:
        UsageError: Nobody has one of the names.
    """
    agents = {name: world.agents[name] for name in known_agents(world, names)}
    return {
        "threshold": world.settings.reflection.threshold,
        "agents": {name: _describe(world, agent, recompute=recompute) for name, agent in agents.items()},
    }


def rewrite_accumulators(layout: Layout, names: Sequence[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """Sum accumulators anew and write those that differ, each as one changed value of its agent file.

    Returns:
        The document of ``describe_accumulators`` with what was written, and notes.

    Raises:
        BrokenWorldError: A file of one of these agents cannot be read: its sum is not known.
    """
    with writing(layout, "gm accumulators") as writer:
        loaded = load_world(layout)
        world = loaded.world
        document = describe_accumulators(world, names, recompute=True)
        for name in document["agents"]:
            refuse_broken(layout, loaded, name)
        changes = {
            name: {"importance_accumulator": item["recomputed"]}
            for name, item in document["agents"].items()
            if item["difference"]
        }
        overruled = writer.commit(plan_steps(layout, world, Change(world.clock.day, agents=changes)))
    document["written"] = list(changes)
    return document, [*writer.recovered, *map(str, overruled)]


def refuse_broken(layout: Layout, loaded: Loaded, name: str) -> None:
    """Stop when a file of an agent that a command is about to change cannot be read.

    Raises:
        BrokenWorldError: Names the places.
    """
    own = {layout.shown(path) for path in (layout.agent(name), layout.stream(name), layout.archived(name))}
    problems = [problem for problem in errors_in(loaded.problems) if problem.path in own]
    if problems:
        raise BrokenWorldError(
            f"the files of {name} cannot be read as they are", "correct them by hand; nothing was changed", problems
        )


def _describe(world: World, agent: Agent, *, recompute: bool) -> dict[str, Any]:
    state = agent.state
    described: dict[str, Any] = {
        "accumulator": state.importance_accumulator,
        "due": is_due(state.importance_accumulator, world.settings.reflection),
        "last_reflection": state.last_reflection,
    }
    if recompute:
        total = sum_importance(agent.stream, state.last_reflection, world.settings.reflection.reset)
        described["recomputed"] = total
        described["difference"] = total - state.importance_accumulator
        described["last_reflection_found"] = _is_found(agent)
    return described


def _is_found(agent: Agent) -> bool:
    wanted = agent.state.last_reflection
    return wanted is None or any(fold(node.id) == fold(wanted) for node in agent.stream)
