"""Take a change into the world's value, the way the store takes it into the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gm.model.character import Agent
from gm.model.mind import MindChange
from gm.model.node import Node, is_beside
from gm.model.scene import LogEntry
from gm.model.thread import fold_events
from gm.model.world import Change, Clock, World
from gm.scene.minds import advance_mind

LOG_DAYS = 10


def advance(world: World, change: Change) -> World:
    """Return the world as it is after a change. Logbook lines older than ``LOG_DAYS`` days are forgotten."""
    agents = {
        name: _advance_agent(agent, change.agents.get(name, {}), change.nodes.get(name, ()), change.minds.get(name))
        for name, agent in world.agents.items()
    }
    log = world.log
    if change.log is not None:
        kept = tuple(entry for entry in log if entry.day > change.day - LOG_DAYS)
        log = (*kept, LogEntry(change.day, change.log))
    threads = fold_events(world.threads, change.threads) if change.threads else world.threads
    links = world.links if change.links is None else change.links
    clock = _advance_clock(world.clock, change.clock)
    return replace(world, clock=clock, agents=agents, log=log, threads=threads, links=links)


def _advance_agent(agent: Agent, values: Mapping[str, Any], nodes: tuple[Node, ...], mind: MindChange | None) -> Agent:
    if mind is not None:
        agent = replace(agent, mind=advance_mind(agent.mind, mind))
    if not values and not nodes:
        return agent
    changed: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
    lived = tuple(node for node in nodes if not is_beside(node.metadata))
    beside = tuple(node for node in nodes if is_beside(node.metadata)) if len(lived) < len(nodes) else ()
    return replace(
        agent,
        state=replace(agent.state, **changed),
        stream=(*agent.stream, *lived),
        beside=(*agent.beside, *beside) if beside else agent.beside,
    )


def _advance_clock(clock: Clock, values: Mapping[str, Any]) -> Clock:
    changed: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
    return replace(clock, **changed)
