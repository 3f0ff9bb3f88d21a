"""Describe single memories, streams, and search results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gm.api.document import part
from gm.api.memory.kept import Kept, line_of, line_print, list_kept
from gm.base.casefold import casefold
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.load import load_persona, load_settings
from gm.memory.lens import read_through
from gm.memory.lens_form import lenses_of
from gm.memory.search import carries, find_text
from gm.model.character import Agent, AgentState
from gm.model.node import Node, node_record


@dataclass(frozen=True, slots=True)
class Memory:
    """A node with its file inside the world, and line from 1."""

    agent: str
    path: str
    line: int
    node: Node = part(inline=True, by=node_record)
    archived: bool = part(omit=False)
    summary: bool = part(omit=False)
    older_shape: bool = part(omit=False)


@dataclass(frozen=True, slots=True)
class Missing:
    """An id that no memory has."""

    missing: str


@dataclass(frozen=True, slots=True)
class SeenAs:
    """How a memory reads through its owner's lenses."""

    text: str
    lens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFound:
    """A memory, its evidence, and what cites it.

    Attributes:
        line_sha256: Of its line, for ``correct_memory``.
        seen_as: None = unchanged by lenses.
    """

    memory: Memory = part(inline=True)
    line_sha256: str
    seen_as: SeenAs | None = part(omit=None)
    rests_on: tuple[Memory | Missing, ...]
    cited_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryCorrected:
    """A memory after a correction."""

    path: str
    line: int
    node: Node = part(inline=True, by=node_record)


@dataclass(frozen=True, slots=True)
class AgentMemories:
    """All memories of a character: archive, summaries, stream."""

    agent: str
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class MemoriesFound:
    """The memories that match a text."""

    query: str
    count: int
    memories: tuple[Memory, ...]


def describe_memory(layout: Layout, kept: Kept) -> MemoryFound:
    """Return a memory, its evidence, and what cites it."""
    with snapshot(layout):
        everything = [other for name in layout.agent_names() for other in list_kept(layout, name)]
        line = line_of(layout, kept)
    by_id = {casefold(other.node.id): other for other in everything}
    wanted = casefold(kept.node.id)
    return MemoryFound(
        memory=_memory(kept),
        line_sha256=line_print(line),
        seen_as=_seen_as(layout, kept),
        rests_on=tuple(
            _memory(by_id[casefold(cited)]) if casefold(cited) in by_id else Missing(cited)
            for cited in kept.node.evidence
        ),
        cited_by=tuple(
            other.node.id for other in everything if any(casefold(cited) == wanted for cited in other.node.evidence)
        ),
    )


def _seen_as(layout: Layout, kept: Kept) -> SeenAs | None:
    persona = load_persona(layout, kept.agent)[0]
    agent = Agent(kept.agent, AgentState(kept.agent), persona)
    text, names = read_through(kept.node, lenses_of(load_settings(layout)[0], agent))
    return SeenAs(text, tuple(names)) if names else None


def describe_stream(layout: Layout, agent: str) -> AgentMemories:
    """Return all memories of an agent."""
    with snapshot(layout):
        return AgentMemories(agent, tuple(map(_memory, list_kept(layout, agent))))


def describe_found(
    layout: Layout, text: str, agents: Sequence[str] = (), tags: Sequence[str] = (), kind: str = ""
) -> MemoriesFound:
    """Search descriptions and tags of agents (ids; empty = all)."""
    found = []
    with snapshot(layout):
        everything = [list(list_kept(layout, name)) for name in agents or layout.agent_names()]
    for kept in everything:
        matching = {id(node) for node in find_text((item.node for item in kept), text)}
        for item in kept:
            is_kind = not kind or casefold(item.node.type) == casefold(kind)
            if id(item.node) in matching and is_kind and (not tags or carries(item.node, tags)):
                found.append(_memory(item))
    return MemoriesFound(text, len(found), tuple(found))


def _memory(kept: Kept) -> Memory:
    return Memory(kept.agent, kept.path, kept.line, kept.node, kept.archived, kept.summary, kept.is_older)
