"""What the cast knows about a piece of work that somebody outside has written about: who made it, who has seen it."""

from __future__ import annotations

from dataclasses import dataclass

from gm.model.world import World
from gm.scene.names import piece_name


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work as the memories of the cast know it.

    Attributes:
        title: Its title; a name made from its file when nobody remembers it.
        maker: Id of who made it; empty when nobody remembers having done so.
        seen_by: Ids of those who have seen it, who saw it last first.
    """

    title: str
    maker: str
    seen_by: tuple[str, ...] = ()


def find_piece(world: World, path: str) -> Piece:
    """Find what the cast knows about a piece of work."""
    title, maker = piece_name(path), ""
    seen = []
    for agent in world.agents.values():
        for node in reversed(agent.stream):
            if node.metadata.get("artifact_path") == path:
                title = str(node.metadata.get("title") or title)
                if node.type == "artifact":
                    maker = agent.id
                else:
                    seen.append((node.when, agent.id))
                break
    newest = sorted(seen, key=lambda item: item[0], reverse=True)
    return Piece(title, maker, tuple(name for _, name in newest))
