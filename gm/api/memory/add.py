"""Add a memory by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gm.api.editing import Desk, editing, last_scene, required_line
from gm.base.config import Settings
from gm.base.errors import UsageError, refuse_errors
from gm.files.layout import Layout
from gm.files.streams.find import FoundMemory, find_memory
from gm.memory.importance import rate_by_rule
from gm.memory.lens import form_through
from gm.memory.lens_form import lenses_of
from gm.memory.reflect import depth_of
from gm.model.calendar import parse_ref
from gm.model.character import known_agent
from gm.model.ids import render_node_id
from gm.model.node import Node
from gm.model.world import Change
from gm.scene.ledger import clean_tags


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to add; ``importance`` None = by rule, ``at`` None = the last scene."""

    text: str
    importance: int | None = None
    type: str = "observation"
    tags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    at: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def add_memory(layout: Layout, name: str, wish: NewMemory, command: str = "gm memory add") -> tuple[Node, list[str]]:
    """Append a memory to an agent's stream and raise its accumulator; also returns notes.

    Raises:
        UsageError: The wish is invalid.
        BrokenWorldError: A file of the agent cannot be read.
    """
    with editing(layout, command) as desk:
        world, notes = desk.world, desk.notes
        agent = world.agents[known_agent(world.agents, name)]
        desk.need_agent(agent.id)
        evidence = [_resolve(desk, cited) for cited in dict.fromkeys(wish.evidence)]
        # only memories that the character itself forms are bent by its lenses
        lenses = lenses_of(world.settings, agent) if wish.metadata.get("source") == "tool" else ()
        tags = clean_tags(wish.tags, agent.id)
        text, importance = clean_wish(wish, world.settings)
        if wish.importance is None:
            notes.append(f"importance {importance}: by rule, from length and signal words")
        formed = form_through(text, importance, tags, wish.metadata, lenses)
        node = Node(
            id=render_node_id(agent.id, agent.next_number),
            created=_moment(desk, wish.at),
            type=wish.type,
            depth=depth_of(wish.type, [found.node.depth for found in evidence]),
            description=formed.description,
            importance=formed.importance,
            tags=tags,
            evidence=tuple(dict.fromkeys(found.node.id for found in evidence)),
            metadata=formed.metadata,
        )
        if agent.stream and node.when < agent.stream[-1].when:
            notes.append(f"{node.created} lies before {agent.stream[-1].created}, which stands above it in the stream")
        total = agent.state.importance_accumulator + node.importance
        state = {agent.id: {"importance_accumulator": total}}
        desk.land(Change(world.clock.day, nodes={agent.id: (node,)}, agents=state))
    return node, notes


def clean_wish(wish: NewMemory, settings: Settings) -> tuple[str, int]:
    """Return the text on one line, and the importance (default: by rule).

    Raises:
        UsageError: Empty text, or importance outside 1–10.
    """
    text = required_line(wish.text, "a memory")
    if wish.importance is None:
        return text, rate_by_rule(text, settings.language, settings.importance.signals)
    return text, clean_importance(wish.importance)


def _resolve(desk: Desk, cited: str) -> FoundMemory:
    found = find_memory(desk.layout, cited)
    if found:
        return found[0]
    memories = desk.layout.shown(desk.layout.memories)
    broken = [problem for problem in desk.loaded.problems if problem.path.startswith(memories)]
    refuse_errors(broken, f"no memory {cited!r} among those that can be read", "correct these places")
    raise UsageError(f"there is no memory {cited!r} to rest on", "see: gm memory find TEXT")


def _moment(desk: Desk, wanted: str | None) -> str:
    if wanted is None:
        return desk.last_moment()
    ref = parse_ref(wanted)
    if ref is None or "/" not in wanted:
        raise UsageError(f"{wanted!r} is no scene", "write day-003/scene-04")
    latest = max(desk.world.clock.day, last_scene(desk.world).day)
    if ref.day > latest:
        raise UsageError(f"{wanted} lies in the future: the last day is {latest}")
    return wanted


def clean_importance(value: int) -> int:
    """Return a valid importance.

    Raises:
        UsageError: It is outside 1–10.
    """
    if not 1 <= value <= 10:
        raise UsageError(f"importance {value} is outside 1–10", "1 is routine, 10 is pivotal")
    return value
