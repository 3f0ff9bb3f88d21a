"""What somebody remembers from earlier scenes of the same kind, so that a story that goes on there can go on."""

from __future__ import annotations

from collections.abc import Collection

from gm.memory.retrieve import select_tagged
from gm.model.character import Agent
from gm.model.node import Node
from gm.model.scene import Scene

MOST_RECALLED = 8


def recall_alike(agent: Agent, scene: Scene, remembered: Collection[str]) -> tuple[Node, ...]:
    """Choose the newest memories that carry the tag of the scene's type and are not before the eyes anyway.

    Args:
        agent: Who remembers.
        scene: What is being played.
        remembered: Ids of the memories that the prompt shows.
    """
    if not scene.type.tag:
        return ()
    tagged = select_tagged(agent.stream, (scene.type.tag,)).window
    return tuple(node for node in tagged if node.id not in remembered)[-MOST_RECALLED:]
