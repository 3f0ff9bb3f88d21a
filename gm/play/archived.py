"""The archived memories that replies reach: those that they cite, and those of who shares its memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.base.casefold import casefold
from gm.files.layout import Layout
from gm.files.streams.archive import read_archive
from gm.files.streams.find import find_archived
from gm.model.ids import parse_node_id
from gm.model.node import Node
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import ReflectionReply
from gm.model.world import World


@dataclass(frozen=True, slots=True)
class Reached:
    """Archived memories for a fold.

    Attributes:
        depths: Of those that are cited, by id.
        archives: Whole archives, by the ids of the characters.
    """

    depths: Mapping[str, int]
    archives: Mapping[str, tuple[Node, ...]]

    def add_to(self, world: World) -> World:
        """Return the world with these memories in reach of a fold."""
        if not self.depths and not self.archives:
            return world
        return replace(world, archived=self.depths, archives=self.archives)


def reach_archived(layout: Layout, world: World, replies: Sequence[SceneReply | ReflectionReply]) -> Reached:
    """Return the archived memories that replies cite or share."""
    if not layout.archive.is_dir():
        return Reached({}, {})
    cited = {identifier for reply in replies for identifier in _list_cited(reply) if not _is_present(world, identifier)}
    archived = find_archived(layout, cited) if cited else {}
    shares = any(map(_has_shared_memories, replies))
    return Reached(
        {name: node.depth for name, node in archived.items()},
        archives_of(layout, _list_linked(world)) if shares else {},
    )


def archives_of(layout: Layout, names: Iterable[str]) -> dict[str, tuple[Node, ...]]:
    """Return archived memories by character id, without empty ones."""
    return {name: nodes for name in names if (nodes := read_archive(layout, name))}


def _has_shared_memories(reply: SceneReply | ReflectionReply) -> bool:
    return isinstance(reply, SceneReply) and any(answer.share for answer in reply.memory_answers)


def _list_linked(world: World) -> list[str]:
    names = dict.fromkeys(name for link in world.links for name in (link.giver, link.asker))
    return [name for name in names if name in world.agents]


def _list_cited(reply: SceneReply | ReflectionReply) -> Iterator[str]:
    made = reply.insights if isinstance(reply, ReflectionReply) else reply.memories
    for item in made:
        yield from (identifier.strip() for identifier in item.evidence)


def _is_present(world: World, identifier: str) -> bool:
    parsed = parse_node_id(identifier)
    owner = world.find_agent(parsed[0]) if parsed else None
    if owner is None:
        return True  # not a memory of the cast: nothing to look up
    agent, wanted = world.agents[owner], casefold(identifier)
    return any(node.id == identifier or casefold(node.id) == wanted for node in (*agent.stream, *agent.summaries))
