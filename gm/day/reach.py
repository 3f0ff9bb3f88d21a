"""Let replies cite what lies in the archive: its depths are looked up when somebody cites it, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from gm.model.character import find_agent
from gm.model.fold import fold
from gm.model.ids import parse_node_id
from gm.model.replies import ReflectionReply, SceneReply
from gm.model.world import Change, World
from gm.store.layout import Layout
from gm.store.streams.archive import find_archived

Folding = TypeVar("Folding", bound=Callable[..., Change])


def reaching(
    layout: Layout, world: World, folding: Folding, replies: Iterable[SceneReply | ReflectionReply]
) -> Folding:
    """Make a fold know the archived memories that replies cite; the same fold where they cite none."""
    if not layout.archive.is_dir():
        return folding
    cited = {identifier for reply in replies for identifier in _cited(reply) if not _is_present(world, identifier)}
    archived = {name: node.depth for name, node in find_archived(layout, cited).items()} if cited else {}
    if not archived:
        return folding

    def fold_with(world: World, **more: Any) -> Change:
        return folding(replace(world, archived=archived), **more)

    return fold_with  # type: ignore[return-value]


def _cited(reply: SceneReply | ReflectionReply) -> Iterator[str]:
    made = reply.insights if isinstance(reply, ReflectionReply) else reply.memories
    for item in made:
        yield from (identifier.strip() for identifier in item.evidence)


def _is_present(world: World, identifier: str) -> bool:
    parsed = parse_node_id(identifier)
    owner = find_agent(world.agents, parsed[0]) if parsed else None
    if owner is None:
        return True  # no memory of anybody: nothing to look up
    agent, wanted = world.agents[owner], fold(identifier)
    return any(node.id == identifier or fold(node.id) == wanted for node in (*agent.stream, *agent.summaries))
