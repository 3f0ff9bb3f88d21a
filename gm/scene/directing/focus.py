"""Tags that focus a scene: memories with one replace the window."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from gm.memory.retrieve import select_tagged
from gm.memory.search import carries
from gm.model.node import Node
from gm.model.scene import Scene, SceneType
from gm.model.world import Agent, World
from gm.scene.ledger import MOST_TAGS, clean_tags

TAGS = "tags"  # retrieval.strategy
LONGEST_TAG = 80
MOST_RECALLED = 8
"""Memories with a tag of the scene, beside the window, that a prompt recalls at most."""


def focus(world: World, scene: Scene) -> Scene:
    """Return a scene with its ``focus_tags``."""
    return replace(scene, tags=focus_tags(world, scene.type, scene.tags, scene.topic, scene.cast))


def focus_tags(world: World, kind: SceneType, tags: Sequence[str], topic: str, cast: Sequence[str]) -> tuple[str, ...]:
    """Return the tags by which a scene is focused; empty = it is not.

    Args:
        kind: Its tags count where ``tags`` is empty.
        tags: The user's, under any strategy.
        topic: Under ``retrieval.strategy: tags`` it is a tag, if a memory of the cast has it.
    """
    if said := clean_tags(tags or kind.tags, ""):
        return said
    if world.settings.retrieval.strategy != TAGS or len(topic) > LONGEST_TAG:
        return ()
    wanted = clean_tags((topic,), "")
    found = any(carries(node, wanted) for name in cast for node in world.agents[name].everything)
    return wanted if found else ()


def check_tags(tags: Sequence[str]) -> str:
    """Return what is wrong with the user's tags; empty = nothing."""
    if len(tags) > MOST_TAGS:
        return f"found {len(tags)} tags, expected {MOST_TAGS} at most"
    if any(not tag.strip() for tag in tags):
        return "found an empty tag, expected a word"
    if long := next((tag for tag in tags if len(tag) > LONGEST_TAG), ""):
        return f"found a tag of {len(long)} characters, expected {LONGEST_TAG} at most"
    return ""


def recall_alike(agent: Agent, scene: Scene, remembered: Collection[str]) -> tuple[Node, ...]:
    """Return the newest memories tagged with the scene's type, ``remembered`` aside."""
    if not scene.type.tag:
        return ()
    tagged = select_tagged(agent.stream, (scene.type.tag,)).window
    return tuple(node for node in tagged if node.id not in remembered)[-MOST_RECALLED:]
