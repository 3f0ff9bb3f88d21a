"""Describe single memories, streams, and search results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.answers.document import part
from gm.base.casefold import casefold
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_persona, load_settings
from gm.files.streams.find import (
    ARCHIVE,
    GIFTED,
    SUMMARIES,
    FoundMemory,
    line_print,
    list_found,
    name_gifted,
    read_memory_line,
)
from gm.memory.lens import lenses_of, read_through
from gm.memory.search import carries, find_text
from gm.model.ids import WORLD
from gm.model.node import Node, node_record
from gm.model.state import AgentState
from gm.model.world import Agent, known_agent


def memory_record(found: FoundMemory | str) -> dict[str, Any]:
    """Return a memory with its place, or an id that no memory has, as JSON."""
    if isinstance(found, str):
        return {"missing": found}
    place = {"agent": found.agent, "path": found.path, "line": found.line}
    flags = {"archived": found.home == ARCHIVE, "summary": found.home == SUMMARIES, "older_shape": found.is_older}
    return {**place, **node_record(found.node), **{key: True for key, is_so in flags.items() if is_so}}


@dataclass(frozen=True, slots=True)
class SeenAs:
    """How a memory reads through its owner's lenses."""

    text: str
    lens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFound:
    """A memory, its evidence, and what cites it.

    Attributes:
        seen_as: None = unchanged by lenses.
    """

    memory: FoundMemory = part(inline=True, by=memory_record)
    line_sha256: str
    seen_as: SeenAs | None = part(omit=None)
    rests_on: tuple[FoundMemory | str, ...] = part(by=memory_record)
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
    memories: tuple[FoundMemory, ...] = part(by=memory_record)


@dataclass(frozen=True, slots=True)
class MemoriesFound:
    """The memories that match a text; ``by_agent`` = how many each character has, the world's seed memories aside."""

    query: str
    count: int
    by_agent: dict[str, int]
    memories: tuple[FoundMemory, ...] = part(by=memory_record)


def describe_memory(layout: Layout, found: FoundMemory) -> MemoryFound:
    """Return a memory, its evidence, and what cites it."""
    with snapshot(layout):
        everything = [other for name in layout.agent_names() for other in list_found(layout, name)]
        line = read_memory_line(layout, found)
    by_id = {casefold(other.node.id): other for other in everything}
    wanted = casefold(found.node.id)
    return MemoryFound(
        memory=found,
        line_sha256=line_print(line),
        seen_as=_view_as_seen(layout, found),
        rests_on=tuple(by_id.get(casefold(cited), cited) for cited in found.node.evidence),
        cited_by=tuple(
            other.node.id for other in everything if any(casefold(cited) == wanted for cited in other.node.evidence)
        ),
    )


def _view_as_seen(layout: Layout, found: FoundMemory) -> SeenAs | None:
    persona = load_persona(layout, found.agent)[0]
    agent = Agent(found.agent, AgentState(found.agent), persona)
    text, names = read_through(found.node, lenses_of(load_settings(layout)[0], agent))
    return SeenAs(text, tuple(names)) if names else None


def _find_owner(layout: Layout, name: str) -> str:
    names = layout.agent_names()
    if name in names:
        return name
    return known_agent({one: Agent(one, AgentState(one), load_persona(layout, one)[0]) for one in names}, name)


def describe_stream(layout: Layout, agent: str) -> AgentMemories:
    """Return all memories of an agent.

    Args:
        agent: An id or a name.

    Raises:
        UsageError: No such character.
    """
    with snapshot(layout):
        agent = _find_owner(layout, agent)
        return AgentMemories(agent, tuple(list_found(layout, agent)))


def describe_found(
    layout: Layout, text: str, agents: Sequence[str] = (), tags: Sequence[str] = (), kind: str = ""
) -> MemoriesFound:
    """Search descriptions and tags of memories.

    Args:
        agents: Ids or names; none = all, and what all know.
        tags: Of which a memory has one; none = any.
        kind: Type of a memory; empty = any.

    Raises:
        UsageError: No such character.
    """
    found = []
    with snapshot(layout):
        owners = [_find_owner(layout, name) for name in agents] or layout.agent_names()
        everything = [list(list_found(layout, name)) for name in owners]
        seeds = owners if agents else (*owners, WORLD)
        everything += [list(map(name_gifted, list_found(layout, name, (GIFTED,)))) for name in seeds]
    for kept in everything:
        matching = {id(node) for node in find_text((item.node for item in kept), text)}
        for item in kept:
            is_kind = not kind or casefold(item.node.type) == casefold(kind)
            if id(item.node) in matching and is_kind and (not tags or carries(item.node, tags)):
                found.append(item)
    by_agent = Counter(item.agent for item in found if item.agent in owners)
    return MemoriesFound(text, len(found), dict(by_agent), tuple(found))
