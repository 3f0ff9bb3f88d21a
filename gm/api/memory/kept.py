"""Find memories by id, with file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.files.commits.lines import line_at, read_exactly
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import sha256
from gm.files.forms.jsonl import read_lines
from gm.files.layout import Layout
from gm.model.ids import parse_node_id
from gm.model.node import Node, is_older_record, node_from_record


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory and its place.

    Attributes:
        node: In today's shape.
        path: Inside the world; ``line`` is from 1.
        is_older: Whether the line has the older shape.
    """

    agent: str
    node: Node
    path: str
    line: int
    archived: bool = False
    is_older: bool = False
    summary: bool = False


def list_kept(layout: Layout, agent: str) -> Iterator[Kept]:
    """Yield an agent's memories: archive, summaries, stream; unreadable lines are left out."""
    stands_for = layout.summarised(agent)
    for path in (layout.archived(agent), stands_for, layout.stream(agent)):
        for line in read_lines(path, layout.shown(path))[0]:
            try:
                node = node_from_record(line.record)
            except ValueError:
                continue
            is_older = is_older_record(line.record)
            archived = path == layout.archived(agent)
            yield Kept(agent, node, layout.shown(path), line.number, archived, is_older, path == stands_for)


def find_kept(layout: Layout, identifier: str) -> list[Kept]:
    """Return the memories with an id, usually one."""
    wanted = casefold(identifier)
    parsed = parse_node_id(wanted)
    with snapshot(layout):
        names = sorted(layout.agent_names(), key=lambda name: parsed is None or casefold(name) != parsed[0])
        for name in names:
            found = [kept for kept in list_kept(layout, name) if casefold(kept.node.id) == wanted]
            if found:
                return found
    return []


def find_one(layout: Layout, identifier: str) -> Kept:
    """Return the one memory with an id that can be corrected.

    Raises:
        UsageError: None, several, or archived.
    """
    return the_only(find_kept(layout, identifier), identifier)


def the_only(found: Sequence[Kept], identifier: str) -> Kept:
    """Return the only memory found; as ``find_one``."""
    if not found:
        raise UsageError(f"there is no memory {identifier!r}", "see: gm memory find TEXT, or gm memory show AGENT")
    if len(found) > 1:
        places = ", ".join(f"{kept.path}:{kept.line}" for kept in found)
        raise UsageError(f"{identifier!r} is the id of {len(found)} memories: {places}", "give one of them another id")
    if found[0].archived:
        raise UsageError(f"{identifier} lies in the archive ({found[0].path}), which is kept as it is")
    return found[0]


def line_of(layout: Layout, kept: Kept) -> str:
    """Return a memory's line, without line end."""
    return line_at(read_exactly(layout.root / kept.path), kept.line)


def line_print(line: str) -> str:
    """Return the digest of a line, for ``correct_memory``."""
    return sha256(line.encode())
