"""Memories and evenings that somebody has marked as private: they are left out as if they had never been written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gm.model.character import Agent
from gm.model.fold import fold
from gm.model.node import Node
from gm.model.world import World

MARKS = frozenset({"private", "privat"})
BEGINNING = 40  # characters by which a memory is known again where it is quoted


def is_private(tags: Iterable[str]) -> bool:
    """Tell whether one of the tags says that nobody else is to read it."""
    return any(fold(tag) in MARKS for tag in tags)


def open_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Keep the memories that everybody may read."""
    return tuple(node for node in nodes if not is_private(node.tags))


def without_private(world: World) -> World:
    """Give a world in which nobody has a private memory or a private evening in the diary."""
    return replace(world, agents={name: _open_agent(agent) for name, agent in world.agents.items()})


def private_texts(world: World) -> tuple[str, ...]:
    """Give how each private memory begins, to know it again where it is quoted."""
    nodes = (node for agent in world.agents.values() for node in (*agent.everything, *agent.summaries))
    return tuple(node.description[:BEGINNING] for node in nodes if is_private(node.tags) and node.description.strip())


def _open_agent(agent: Agent) -> Agent:
    diary = agent.mind.diary
    kept = None if diary is None else tuple(entry for entry in diary if not is_private(entry.tags))
    return replace(
        agent,
        stream=open_nodes(agent.stream),
        beside=open_nodes(agent.beside),
        summaries=open_nodes(agent.summaries),
        mind=replace(agent.mind, diary=kept),
    )
