"""Add a memory by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.api.accumulators import refuse_broken
from gm.api.cast import known_agent
from gm.base.config import Settings
from gm.base.errors import BrokenWorldError, Problem, UsageError, errors_in
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.logbook import ref_of
from gm.files.save import plan_steps
from gm.files.streams.find import Found, find_memory
from gm.memory.importance import rate_by_rule
from gm.memory.lens import form_through
from gm.memory.lens_form import lenses_of
from gm.memory.reflect import depth_of
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.ids import render_node_id
from gm.model.node import Node
from gm.model.world import Change, World
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
    """Append a memory to an agent's stream and raise its accumulator, in one commit.

    Returns:
        The new node, and notes.

    Raises:
        UsageError: The wish is invalid.
        BrokenWorldError: A file of the agent cannot be read.
    """
    with writing(layout, command) as writer:
        notes = list(writer.recovered)
        loaded = load_world(layout)
        world = loaded.world
        agent = world.agents[known_agent(world.agents, name)]
        refuse_broken(layout, loaded, agent.id)
        evidence = [_resolve(layout, loaded.problems, cited) for cited in dict.fromkeys(wish.evidence)]
        # only memories that the character itself forms are bent by its lenses
        lenses = lenses_of(world.settings, agent) if wish.metadata.get("source") == "tool" else ()
        tags = clean_tags(wish.tags, agent.id)
        text, importance = clean_wish(wish, world.settings)
        if wish.importance is None:
            notes.append(f"importance {importance}: by rule, from length and signal words")
        formed = form_through(text, importance, tags, wish.metadata, lenses)
        node = Node(
            id=render_node_id(agent.id, agent.next_number),
            created=_moment(layout, world, loaded.problems, wish.at),
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
        change = Change(
            world.clock.day, nodes={agent.id: (node,)}, agents={agent.id: {"importance_accumulator": total}}
        )
        notes += map(str, writer.commit(plan_steps(layout, world, change)))
    return node, notes


def clean_wish(wish: NewMemory, settings: Settings) -> tuple[str, int]:
    """Return the text on one line, and the importance (default: by rule).

    Raises:
        UsageError: Empty text, or importance outside 1–10.
    """
    text = clean_words(wish.text)
    if wish.importance is None:
        return text, rate_by_rule(text, settings.language, settings.importance.signals)
    return text, clean_importance(wish.importance)


def _resolve(layout: Layout, problems: Sequence[Problem], cited: str) -> Found:
    found = find_memory(layout, cited)
    if found:
        return found[0]
    broken = [problem for problem in errors_in(problems) if problem.path.startswith(layout.shown(layout.memories))]
    if broken:
        raise BrokenWorldError(f"no memory {cited!r} among those that can be read", "correct these places", broken)
    raise UsageError(f"there is no memory {cited!r} to rest on", "see: gm memory find TEXT")


def last_moment(layout: Layout, world: World, problems: Sequence[Problem]) -> str:
    """Return the last played scene, to which edits of memories belong.

    Raises:
        BrokenWorldError: The clock cannot be read.
    """
    return _moment(layout, world, problems, None)


def _moment(layout: Layout, world: World, problems: Sequence[Problem], wanted: str | None) -> str:
    last = _last_scene(world)
    if wanted is None:
        clock = [problem for problem in errors_in(problems) if problem.path == layout.shown(layout.world)]
        if clock:
            raise BrokenWorldError(
                "the last scene is not known", "correct this place, or say --at day-003/scene-04", clock
            )
        return f"{render_day(last.day)}/scene-{last.scene:02d}{last.suffix}"
    ref = parse_ref(wanted)
    if ref is None or "/" not in wanted:
        raise UsageError(f"{wanted!r} is no scene", "write day-003/scene-04")
    if ref.day > max(world.clock.day, last.day):
        raise UsageError(f"{wanted} lies in the future: the last day is {max(world.clock.day, last.day)}")
    return wanted


def _last_scene(world: World) -> SceneRef:
    """Return the last scene in the logbook, else in the memories."""
    played = [ref for entry in world.log if not entry.is_summary and (ref := ref_of(entry))]
    remembered = [agent.stream[-1].when for agent in world.agents.values() if agent.stream]
    return max(played, default=max(remembered, default=SceneRef(world.clock.day)))


def clean_words(text: str) -> str:
    """Return a memory's text on one line.

    Raises:
        UsageError: It is empty.
    """
    plain = " ".join(text.split())
    if not plain:
        raise UsageError("a memory needs words")
    return plain


def clean_importance(value: int) -> int:
    """Return a valid importance.

    Raises:
        UsageError: It is outside 1–10.
    """
    if not 1 <= value <= 10:
        raise UsageError(f"importance {value} is outside 1–10", "1 is routine, 10 is pivotal")
    return value
