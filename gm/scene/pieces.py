"""Which finished work people have before them when they talk: nobody can discuss what they were told a title of."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import World

GALLERY = "gallery/"
MOST_PIECES = 2
PIECE_CHARACTERS = 4_000
FRESH_DAYS = 1


def pieces_at_hand(world: World, scene: Scene, agent: Agent) -> list[tuple[str, str, str]]:
    """Name the work that a character can look at in a scene.

    The pieces that the scene is about; then the newest ones of today and yesterday that the character made or saw,
    when whoever made them is in the scene. At most two.

    Returns:
        Path, title and maker of each.
    """
    if scene.type.play != "sequential":
        return []
    found: dict[str, tuple[str, str, str]] = {}
    about = [key for key in scene.answers if key.startswith(GALLERY)]
    for path in about:
        known = (piece for name in scene.cast for piece in _known(world, world.agents[name]) if piece[0] == path)
        found[path] = next(known, (path, scene.topic or path.rpartition("/")[2], ""))
    for piece in _known(world, agent):
        if piece[2] in scene.cast:
            found.setdefault(piece[0], piece)
    return list(found.values())[:MOST_PIECES]


def shorten_piece(text: str) -> str:
    """Cut a piece at a paragraph, and say so with dots."""
    cut = text[:PIECE_CHARACTERS]
    return (cut.rpartition("\n\n")[0] or cut).rstrip() + "\n\n[…]"


def _known(world: World, agent: Agent) -> Iterator[tuple[str, str, str]]:
    """Go through the fresh work that a character made or saw, newest first."""
    for node in reversed(agent.stream):
        if node.when.day < world.clock.day - FRESH_DAYS:
            return
        path = node.metadata.get("artifact_path")
        if isinstance(path, str):
            yield path, str(node.metadata.get("title") or path.rpartition("/")[2]), _maker(world, agent, node)


def _maker(world: World, agent: Agent, node: Node) -> str:
    if node.type == "artifact":
        return agent.id
    return next((name for tag in node.tags if (name := find_agent(world.agents, tag))), "")
