"""What the settings leave of a character's memory before it is asked."""

from __future__ import annotations

from dataclasses import replace

from gm.model.character import Agent
from gm.model.world import World, derived


@derived
def as_remembered(world: World) -> World:
    """Return a world as its characters know it: without memories (``retrieval.enabled``) or plans (``plans.enabled``).

    The world itself where both are on.
    """
    if not world.settings.retrieval.enabled:
        agents = {name: replace(agent, stream=(), summaries=(), beside=()) for name, agent in world.agents.items()}
        return replace(world, agents=agents, threads=())
    if world.settings.plans.enabled:
        return world
    return replace(world, agents={name: _without_plans(agent) for name, agent in world.agents.items()})


def _without_plans(agent: Agent) -> Agent:
    if all(node.type != "plan" for node in agent.stream):
        return agent
    return replace(agent, stream=tuple(node for node in agent.stream if node.type != "plan"))
