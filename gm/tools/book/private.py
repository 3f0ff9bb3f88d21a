"""A world without what is private: as if it had never been written."""

from __future__ import annotations

from dataclasses import replace

from gm.layers import LAYERS
from gm.memory.private import open_nodes
from gm.model.character import Agent
from gm.model.world import World


def without_private(world: World) -> World:
    """Give a world in which nobody has a private memory or a private evening in the diary."""
    return replace(world, agents={name: _open_agent(agent) for name, agent in world.agents.items()})


def _open_agent(agent: Agent) -> Agent:
    mind = agent.mind
    for layer in LAYERS:
        if layer.open is not None and layer in mind:
            mind = mind.with_value(layer, layer.open(mind[layer]))
    return replace(
        agent,
        stream=open_nodes(agent.stream),
        beside=open_nodes(agent.beside),
        summaries=open_nodes(agent.summaries),
        mind=mind,
    )
