"""Self-care and pruning by hand: what ``gm care`` and ``gm prune`` do, and what they would do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from gm.config import RetentionSettings
from gm.day.care import Cared
from gm.day.report import Report
from gm.day.run import game_master
from gm.llm.choose import REHEARSAL, Choice
from gm.llm.rehearsal import Rehearsal
from gm.memory.care import Batch, cost, is_at_home, plan_care
from gm.memory.keeping import select_movable
from gm.memory.retain import NONE, Pruned, select_pruned
from gm.model.character import Agent
from gm.model.ids import parse_node_id
from gm.model.node import node_record
from gm.model.world import World
from gm.store.layout import Layout
from gm.tools.cast import known_agents


def describe_care(world: World, names: Sequence[str] = (), *, now: bool = False) -> dict[str, Any]:
    """Describe how large memories are, and what self-care would take, without asking anybody.

    Args:
        world: The world.
        names: Whose; empty = everybody's.
        now: Whether the oldest memories are taken though nothing is due.

    Raises:
        UsageError: Nobody has one of the names.
    """
    care = world.settings.selfcare
    agents = {}
    for name in known_agents(world.agents, names):
        agent = world.agents[name]
        budget = world.settings.context.budget_for(world.settings.models.summary or world.settings.model)
        batches = plan_care(
            agent, world.settings, world.open_day, budget or care.prompt_tokens, now=now or agent.state.care_wanted
        )
        agents[name] = {
            "memories": len(agent.stream),
            "tokens": cost(agent.stream),
            "summaries": len(agent.summaries),
            "summary_tokens": cost(agent.summaries),
            "movable": len(select_movable(agent, world.settings, world.open_day)),
            "position": agent.state.position,
            "home": agent.home,
            "at_home": is_at_home(agent),
            "wanted": agent.state.care_wanted,
            "due": [_described(batch) for batch in batches],
        }
    ceilings = {"tokens": care.token_ceiling, "summary_tokens": care.summary_ceiling}
    rules = {"min": care.min, "at_home": care.at_home}
    return {"enabled": care.enabled, "ceilings": ceilings, "rules": rules, "agents": agents}


def run_care(
    layout: Layout, choice: Choice, report: Report, names: Sequence[str] = (), *, now: bool = False
) -> dict[str, Any]:
    """Let characters put their old memories together where that is due.

    Returns:
        The document of ``gm care --json``.

    Raises:
        UsageError: Nobody has one of the names.
        WaitingError: Answers are awaited from outside.
        LockedError: Another process writes to the world.
    """
    with game_master(layout, choice, report, command="gm care") as master:
        wanted = known_agents(master.world.agents, names)
        cared = master.care(wanted, now=now)
        document = describe_care(master.world, wanted)
    return document | {"cared": [_done(item) for item in cared]}


def describe_pruning(world: World, names: Sequence[str], strategy: str | None) -> dict[str, Any]:
    """Describe what pruning would bring to the archive.

    Args:
        world: The world.
        names: Whose memories; empty = everybody's.
        strategy: Another one than the settings name; None = theirs.

    Raises:
        UsageError: Nobody has one of the names.
    """
    retention = _retention(world, strategy)
    return _pruning(
        world,
        retention,
        {
            name: select_pruned(world.agents[name], world.settings, retention, world.clock.day)
            for name in known_agents(world.agents, names)
        },
        dry_run=True,
    )


def run_pruning(layout: Layout, report: Report, names: Sequence[str], strategy: str | None) -> dict[str, Any]:
    """Bring memories to the archive by a policy; nobody is asked.

    Returns:
        The document of ``gm prune --json``.

    Raises:
        UsageError: Nobody has one of the names.
        LockedError: Another process writes to the world.
    """
    with game_master(layout, Choice(Rehearsal(), REHEARSAL), report, command="gm prune") as master:
        retention = _retention(master.world, strategy)
        pruned = {name: master.prune(name, retention) for name in known_agents(master.world.agents, names)}
        return _pruning(master.world, retention, pruned, dry_run=False)


def _retention(world: World, strategy: str | None) -> RetentionSettings:
    retention = world.settings.retention
    return replace(retention, strategy=strategy) if strategy else retention


def _pruning(
    world: World, retention: RetentionSettings, pruned: dict[str, tuple[Pruned, ...]], *, dry_run: bool
) -> dict[str, Any]:
    return {
        "strategy": retention.strategy,
        "max_observations": retention.max_observations,
        "max_reflections": retention.max_reflections,
        "dry_run": dry_run,
        "window": world.settings.retrieval.last,
        "agents": {
            name: {
                "pruned": [{"id": item.node.id, "value": item.value} for item in items],
                "kept": len(world.agents[name].stream) - (len(items) if dry_run else 0),
                "held": _held(world.agents[name], retention, {item.node.id for item in items}),
            }
            for name, items in pruned.items()
        },
    }


def _held(agent: Agent, retention: RetentionSettings, gone: Collection[str]) -> int:
    """Count the memories that are above a limit and stay all the same (``gm.memory.keeping``)."""
    if retention.strategy == NONE:
        return 0
    deep = [node.depth > 0 for node in agent.stream if node.id not in gone]
    limits = ((False, retention.max_observations), (True, retention.max_reflections))
    return sum(max(0, deep.count(is_deep) - most) for is_deep, most in limits if most is not None)


def _described(batch: Batch) -> dict[str, Any]:
    return {
        "cause": batch.cause,
        "memories": len(batch.nodes),
        "first": batch.nodes[0].id,
        "last": batch.nodes[-1].id,
        "tokens": cost(batch.nodes),
    }


def _done(cared: Cared) -> dict[str, Any]:
    change = cared.change
    return {
        "agent": cared.agent,
        "cause": cared.cause,
        "archived": sorted(change.to_archive.get(cared.agent, ()), key=lambda one: parse_node_id(one) or ("", 0)),
        "summaries": [node_record(node) for node in change.summaries.get(cared.agent, ())],
    }
