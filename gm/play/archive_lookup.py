"""Look up archived memories that replies cite (for their depth) or share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from gm.base.casefold import casefold
from gm.files.layout import Layout
from gm.files.streams.archive import read_archive
from gm.files.streams.find import find_archived
from gm.model.character import find_agent
from gm.model.ids import parse_node_id
from gm.model.node import Node
from gm.model.replies import ReflectionReply, SceneReply
from gm.model.world import Change, World

Folding = TypeVar("Folding", bound=Callable[..., Change])


def reaching(
    layout: Layout, world: World, folding: Folding, replies: Sequence[SceneReply | ReflectionReply]
) -> Folding:
    """Let a fold see the archived memories that replies cite or share; return the same fold if there are none."""
    if not layout.archive.is_dir():
        return folding
    cited = {identifier for reply in replies for identifier in _cited(reply) if not _is_present(world, identifier)}
    archived = {name: node.depth for name, node in find_archived(layout, cited).items()} if cited else {}
    archives = archives_of(layout, _linked(world)) if any(map(_gives, replies)) else {}
    if not archived and not archives:
        return folding

    def fold_with(world: World, **more: Any) -> Change:
        return folding(replace(world, archived=archived, archives=archives), **more)

    return fold_with  # type: ignore[return-value]


def archives_of(layout: Layout, names: Iterable[str]) -> dict[str, tuple[Node, ...]]:
    """Return the archived memories by character id; characters without any are left out."""
    return {name: nodes for name in names if (nodes := read_archive(layout, name))}


def _gives(reply: SceneReply | ReflectionReply) -> bool:
    return isinstance(reply, SceneReply) and any(answer.share for answer in reply.memory_answers)


def _linked(world: World) -> list[str]:
    names = dict.fromkeys(name for link in world.links for name in (link.giver, link.asker))
    return [name for name in names if name in world.agents]


def _cited(reply: SceneReply | ReflectionReply) -> Iterator[str]:
    made = reply.insights if isinstance(reply, ReflectionReply) else reply.memories
    for item in made:
        yield from (identifier.strip() for identifier in item.evidence)


def _is_present(world: World, identifier: str) -> bool:
    parsed = parse_node_id(identifier)
    owner = find_agent(world.agents, parsed[0]) if parsed else None
    if owner is None:
        return True  # not a memory of the cast: nothing to look up
    agent, wanted = world.agents[owner], casefold(identifier)
    return any(node.id == identifier or casefold(node.id) == wanted for node in (*agent.stream, *agent.summaries))
