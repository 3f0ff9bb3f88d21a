"""One memory in full, with its evidence and what cites it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.reports.why.describe import Why, describe_why
from gm.api.views.evidence import TreePlace, grow_tree
from gm.api.views.filtering import NEWEST, in_order, turn_to
from gm.api.views.stream import IN_STREAM, ShownMemory, known_owner, show_memories
from gm.base.casefold import casefold
from gm.base.errors import Problem, UsageError, say
from gm.files.streams.find import GIFTED, FoundMemory, line_print
from gm.files.streams.memories import Held, Memories, OwnedRow, is_older_line
from gm.files.streams.unread import UnreadStream
from gm.model.ids import parse_node_id

DEEPEST_EVIDENCE = 12
"""Memories in one tree."""
TREES = 20
"""Trees per page of a forest."""
FOREST_MOST = 40
"""Memories in one tree of a forest."""


Branch = TreePlace[FoundMemory]
LAYERS = 6
MEMORIES = 60


@dataclass(frozen=True, slots=True)
class Tree:
    """The evidence below one memory."""

    root: Branch
    size: int


@dataclass(frozen=True, slots=True)
class Forest:
    """A page of a character's reflections.

    Attributes:
        trees: One per reflection, newest first.
        found: Reflections on all pages.
    """

    layers: tuple[tuple[int, int], ...]
    depth: int | None
    trees: tuple[Tree, ...]
    page: int
    pages: int
    found: int
    problems: tuple[Problem, ...]


def view_forest(memories: Memories, agent: str, depth: int | None = None, page: int = 1) -> Forest:
    """Return a page (from 1, clamped) of a character's reflections, each with its evidence.

    Raises:
        UsageError: There is no such character.
    """
    with memories.shared_lock():
        name = known_owner(memories, agent)
        resolver = Resolver(memories)
        held = resolver.held(name)
        rows = [row for home, file in held.files.items() if home != GIFTED for row in file.rows if row.depth > 0]
        rows += resolver.unread[name].reflecting() if name in resolver.unread else []
        layers = tuple(sorted(Counter(row.depth for row in rows).items(), reverse=True))
        chosen = in_order((row for row in rows if depth is None or row.depth == depth), NEWEST)
        page, pages, items = turn_to(page, len(chosen), TREES)
        spots = [OwnedRow(name, row) for row in chosen[items]]
        trees = _grow(memories, resolver, spots, DEEPEST_EVIDENCE, FOREST_MOST)
    return Forest(layers, depth, trees, page, pages, len(chosen), held.problems)


class Resolver:
    """Finds memories of any character by id; each owner's rows are read once, when first needed.

    Attributes:
        known: The memories of those who were needed, without the streams in ``unread``.
    """

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._names = {casefold(name): name for name in memories.layout.agent_names()}
        self.known: dict[str, Held] = {}
        self.unread: dict[str, UnreadStream] = {}

    def held(self, name: str) -> Held:
        """Return the memories of a character, read once."""
        if name not in self.known:
            self.unread |= self._memories.unread([name])
            self.known[name] = self._memories.of(name, self.unread)
        return self.known[name]

    def find(self, identifier: str) -> OwnedRow | None:
        """Return a memory by id with its owner, or None."""
        parsed = parse_node_id(casefold(identifier))
        name = self._names.get(parsed[0]) if parsed else None
        if name is None:
            return None
        held = self.held(name)
        row = (self.unread[name].find(identifier) if name in self.unread else None) or held.find(identifier)
        return OwnedRow(name, row) if row else None

    def place(self, spot: OwnedRow) -> tuple[int, str, str]:
        """Return the number of a memory's line, and the ids of its neighbours in the file, or empty."""
        row = spot.row
        if spot.owner in self.unread and row.home in IN_STREAM:
            return self.unread[spot.owner].place(row)
        for file in self.held(spot.owner).files.values():
            if file.by_id.get(casefold(row.id)) == row:
                place = file.rows.index(row)
                before = file.rows[place - 1].id if place else ""
                return row.number, before, file.rows[place + 1].id if place + 1 < len(file.rows) else ""
        return row.number, "", ""


def _grow(
    memories: Memories, resolver: Resolver, roots: Sequence[OwnedRow], deepest: int, most: int
) -> tuple[Tree, ...]:
    def rests_on(spot: OwnedRow) -> Iterator[tuple[str, OwnedRow | None]]:
        return ((cited, resolver.find(cited)) for cited in spot.row.evidence)

    grown = [grow_tree(spot.row.id, spot, rests_on, deepest=deepest, most=most) for spot in roots]
    spots = list(dict.fromkeys(place.memory for root in grown for place in root.walk() if place.memory))
    nodes = zip(spots, memories.nodes(spots), strict=True)
    texts = {spot: FoundMemory(spot.owner, node, spot.row.home) for spot, node in nodes if node is not None}
    sizes = [len({place.memory for place in root.walk() if place.memory}) for root in grown]
    return tuple(Tree(_branch(root, texts), size) for root, size in zip(grown, sizes, strict=True))


def _branch(place: TreePlace[OwnedRow], texts: Mapping[OwnedRow, FoundMemory]) -> Branch:
    memory = texts.get(place.memory) if place.memory else None
    return TreePlace(
        place.id, memory, place.depth, [_branch(item, texts) for item in place.below], place.again, place.cut
    )


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """One memory in full.

    Attributes:
        raw: Its line, without line end.
        sha256: Of that line; an edit is refused if it differs by then.
        metadata: Remaining values of the line.
        why: With full prompts, and only the closest evidence.
        before, after: Ids of its neighbours in the file, or empty.
    """

    memory: ShownMemory
    raw: str
    sha256: str
    metadata: Mapping[str, Any]
    older_shape: bool
    tree: Tree
    cited_by: tuple[ShownMemory, ...]
    why: Why
    elsewhere: tuple[str, ...]
    before: str
    after: str


def view_memory(memories: Memories, identifier: str) -> MemoryPage:
    """Return one memory in full.

    Raises:
        UsageError: There is no such memory, or its line has changed meanwhile.
    """
    with memories.shared_lock():
        resolver = Resolver(memories)
        spot = resolver.find(identifier)
        if spot is None:
            raise UsageError(say("there is no memory {name}", repr(identifier)), "see: gm memory find TEXT")
        (tree,) = _grow(memories, resolver, [spot], LAYERS, MEMORIES)
        number, before, after = resolver.place(spot)
        numbered = OwnedRow(spot.owner, spot.row._replace(number=number))
        (raw,) = memories.lines([spot])
        memory = next(iter(show_memories(memories, resolver.known, [numbered], unread=resolver.unread)), None)
        if memory is None or not raw:
            raise UsageError(f"{identifier} has just been changed", "look again")
        cited_by = [found for cited in memory.cited_by if (found := resolver.find(cited))]
        node = memories.node(spot)
        return MemoryPage(
            memory=memory,
            raw=raw,
            sha256=line_print(raw),
            metadata=dict(node.metadata) if node else {},
            older_shape=is_older_line(raw),
            tree=tree,
            cited_by=show_memories(memories, resolver.known, cited_by, unread=resolver.unread),
            why=describe_why(memories.layout, memory.node.id, prompts=True, below=1),
            elsewhere=_find_copies(resolver, spot),
            before=before,
            after=after,
        )


def _find_copies(resolver: Resolver, spot: OwnedRow) -> tuple[str, ...]:
    key = casefold(spot.row.id)
    files = resolver.held(spot.owner).files.values()
    rows = [(file.shown, row) for file in files if (row := file.by_id.get(key)) and row != spot.row]
    return tuple(f"{shown}:{row.number}" for shown, row in rows)
