"""One memory with everything that is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gm.errors import UsageError
from gm.model.fold import fold
from gm.store.commits.steps import sha256
from gm.store.streams.memories import Memories, Spot, is_older_line
from gm.tools.document import as_json
from gm.tools.views.stream import Shown, show
from gm.tools.views.tree import Resolver, Tree, view_tree
from gm.tools.why import describe_why

LAYERS = 6
MEMORIES = 60


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """One memory in full.

    Attributes:
        memory: The memory, with its place.
        raw: Its line, as it stands in the file, without line end.
        sha256: Name of that line: whoever changes it makes sure that this is still what is there.
        metadata: Whatever else its line says.
        older_shape: Whether its line has the older shape.
        tree: What it rests on.
        cited_by: What rests on it.
        origin: Where it comes from, in one word: a key of ``gm.tools.why.origin.SENTENCES``.
        why: The document of ``gm why --json``, with the questions in full.
        elsewhere: Other lines that carry the same id, as ``path:line``.
        before: Id of the memory that stands before it in its file; empty for the first.
        after: Id of the one behind it; empty for the last.
    """

    memory: Shown
    raw: str
    sha256: str
    metadata: Mapping[str, Any]
    older_shape: bool
    tree: Tree
    cited_by: tuple[Shown, ...]
    origin: str
    why: Mapping[str, Any]
    elsewhere: tuple[str, ...]
    before: str
    after: str


def view_memory(memories: Memories, identifier: str) -> MemoryPage:
    """Show one memory in full.

    Args:
        memories: The memories of the world.
        identifier: Its id, in any case.

    Raises:
        UsageError: There is no such memory, or its line was changed this very moment.
    """
    with memories.still():
        resolver = Resolver(memories)
        spot = resolver.find(identifier)
        tree = view_tree(memories, identifier, deepest=LAYERS, most=MEMORIES)
        memory = tree.root.memory
        (raw,) = memories.lines([spot]) if spot else ("",)
        if spot is None or memory is None or not raw:
            raise UsageError(f"{identifier} was changed this very moment", "look again")
        cited_by = [found for cited in memory.cited_by if (found := resolver.find(cited))]
        why = as_json(describe_why(memories.layout, memory.id, prompts=True, below=1))
        node = memories.node(spot)
        before, after = _neighbours(resolver, spot)
        return MemoryPage(
            memory=memory,
            raw=raw,
            sha256=sha256(raw.encode()),
            metadata=dict(node.metadata) if node else {},
            older_shape=is_older_line(raw),
            tree=tree,
            cited_by=show(memories, resolver.known, cited_by),
            origin=str(why["origin"]),
            why=why,
            elsewhere=_elsewhere(resolver, spot),
            before=before,
            after=after,
        )


def _elsewhere(resolver: Resolver, spot: Spot) -> tuple[str, ...]:
    """Name the other files in which the id stands as well."""
    key = fold(spot.row.id)
    files = resolver.held(spot.owner).files.values()
    rows = [(file.shown, row) for file in files if (row := file.by_id.get(key)) and row != spot.row]
    return tuple(f"{shown}:{row.number}" for shown, row in rows)


def _neighbours(resolver: Resolver, spot: Spot) -> tuple[str, str]:
    """Name the memories beside one in its file."""
    for file in resolver.held(spot.owner).files.values():
        if file.by_id.get(fold(spot.row.id)) == spot.row:
            place = file.rows.index(spot.row)
            before = file.rows[place - 1].id if place else ""
            return before, file.rows[place + 1].id if place + 1 < len(file.rows) else ""
    return "", ""
