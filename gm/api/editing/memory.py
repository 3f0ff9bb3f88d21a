"""Add a memory by hand, or correct single values of one; all other bytes of its file stay."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.api.editing.accumulators import is_gathered
from gm.api.editing.desk import Desk, editing, last_scene, required_line
from gm.base.arguments import WrongValueError, check_fields
from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.base.errors import GmError, UsageError, refuse_errors, say
from gm.files.commits.steps import line_at, read_exactly, replace_lines, replace_step, without_line
from gm.files.formats.jsonedit import set_values
from gm.files.layout import Layout
from gm.files.save import plan_steps
from gm.files.streams.archive import read_archive
from gm.files.streams.find import ARCHIVE, GIFTED, STREAM, FoundMemory, find_memory, line_print
from gm.memory.importance import rate_by_rule
from gm.memory.lens import form_through, lenses_of
from gm.memory.reflect import depth_of
from gm.model.calendar import parse_ref
from gm.model.ids import highest_number, render_node_id
from gm.model.node import BY_RULE, NORMAL, TOOL, Node, NodeType, Tier
from gm.model.state import AgentStateChange
from gm.model.world import Change, known_agent
from gm.scene.ledger import clean_tags


@dataclass(frozen=True, slots=True)
class MemoryCorrection:
    """Changes to a memory; None = unchanged."""

    description: str | None = None
    importance: int | None = None
    tags: tuple[str, ...] | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    tier: Tier | None = None


class StaleError(GmError):
    """A memory has changed since it was read.

    Args:
        line: Its present line; empty = it is gone.
    """

    kind = "changed"

    def __init__(self, identifier: str, line: str) -> None:
        what = "was changed meanwhile" if line else "is gone"
        super().__init__(f"{identifier} {what}; nothing was written", f"look at it again: gm memory show {identifier}")
        self.line = line


def correct_memory(
    layout: Layout, identifier: str, correction: MemoryCorrection, expected: str | None = None
) -> tuple[FoundMemory, list[str]]:
    """Change values of a memory in its line; also returns notes.

    Args:
        expected: ``line_print`` of the line as read, or a prefix; None = any.

    Raises:
        StaleError: The line is not as expected.
        UsageError: No such memory, or it cannot be corrected.
    """
    with editing(layout, "gm memory edit") as desk:
        places = find_memory(layout, identifier)
        if expected is not None and not places:
            raise StaleError(identifier, "")
        found = the_only(places, identifier)
        path = layout.root / found.path
        text = read_exactly(path)
        old = line_at(text, found.line)
        if expected is not None and not line_print(old).startswith(expected):
            raise StaleError(found.node.id, old)
        values = _correct_values(found, correction)
        line = set_values(old, values)
        changed = replace_lines(text, {found.line: line})
        if changed != text:
            desk.commit([replace_step(layout, path, text, changed)])
        kept = find_one(layout, identifier)
    if found.home != GIFTED and found.node.importance != (correction.importance or found.node.importance):
        desk.notes += _left_accumulator(desk, found)
    return kept, desk.notes


def delete_memory(layout: Layout, identifier: str, expected: str) -> list[str]:
    """Remove a memory's line from its stream, and return notes; its number is not given again.

    Args:
        expected: As in ``correct_memory``.

    Raises:
        StaleError: The line is not as expected.
        UsageError: No such memory, or it cannot be deleted.
    """
    with editing(layout, "gm memory delete") as desk:
        if not (places := find_memory(layout, identifier)):
            raise StaleError(identifier, "")
        found = the_only(places, identifier)
        if found.home != STREAM:
            raise UsageError(f"{found.node.id} lies in {found.path}, not in a memory stream", "delete its line there")
        desk.need_agent(found.agent)
        agent, path = desk.world.agents[found.agent], layout.root / found.path
        if casefold(agent.state.last_reflection or "") == casefold(found.node.id):
            raise UsageError(
                f"{found.node.id} ends the last reflection, from which the importance of {agent.id} counts",
                "correct it instead: gm memory edit",
            )
        text = read_exactly(path)
        old = line_at(text, found.line)
        if not line_print(old).startswith(expected):
            raise StaleError(found.node.id, old)
        number = highest_number(agent.id, (found.node.id,))
        noted: dict[str, AgentStateChange] = {}
        if number + 1 == agent.next_number:
            noted = {agent.id: {"deleted_until": number}}
        steps = plan_steps(layout, desk.world, Change(desk.world.clock.day, agents=noted))
        desk.commit([*steps, replace_step(layout, path, text, without_line(text, found.line))])
        return [*desk.notes, *_left_accumulator(desk, found)]


def _left_accumulator(desk: Desk, found: FoundMemory) -> list[str]:
    world, archive = desk.world, read_archive(desk.layout, found.agent)
    if not is_gathered(world.agents[found.agent], found.node.id, archive, world.settings.reflection.reset):
        return []
    note = f"what {found.agent} has gathered for its next reflection still counts importance {found.node.importance}"
    return [f"{note}; to correct it: gm accumulators --recompute --write"]


def _correct_values(found: FoundMemory, correction: MemoryCorrection) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if correction.description is not None:
        values["content" if found.is_older else "description"] = required_line(correction.description, "a memory")
    if correction.importance is not None:
        values["importance"] = clean_importance(correction.importance)
    tags = found.node.tags if correction.tags is None else clean_tags(correction.tags, found.agent)
    present = {casefold(tag) for tag in tags}
    added = [tag for tag in clean_tags(correction.add, "") if casefold(tag) not in present]
    gone = {casefold(tag) for tag in correction.remove}
    missing = [tag for tag in correction.remove if casefold(tag) not in present]
    if missing:
        raise UsageError(f"{found.node.id} has no tag {missing[0]!r}", "its tags: " + ", ".join(found.node.tags))
    wanted = [*(tag for tag in tags if casefold(tag) not in gone), *added]
    if wanted != list(found.node.tags):
        values["tags"] = wanted
    if correction.tier is not None and correction.tier != found.node.metadata.get("tier", NORMAL):
        rest = {key: value for key, value in found.node.metadata.items() if key != "tier"}
        values["metadata"] = rest if correction.tier == NORMAL else {**rest, "tier": correction.tier}
    return values


def find_one(layout: Layout, identifier: str) -> FoundMemory:
    """Return the one memory with an id that can be corrected.

    Raises:
        UsageError: None, several, or archived.
    """
    return the_only(find_memory(layout, identifier), identifier)


def the_only(found: Sequence[FoundMemory], identifier: str) -> FoundMemory:
    """Return the only memory found; as ``find_one``."""
    if not found:
        raise UsageError(
            say("there is no memory {name}", repr(identifier)), "see: gm memory find TEXT, or gm memory show AGENT"
        )
    if len(found) > 1:
        places = ", ".join(f"{item.path}:{item.line}" for item in found)
        raise UsageError(f"{identifier!r} is the id of {len(found)} memories: {places}", "give one of them another id")
    if found[0].home == ARCHIVE:
        raise UsageError(say("{name} lies in the archive ({path}), which is kept as it is", identifier, found[0].path))
    return found[0]


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to add; ``importance`` None = by rule, ``at`` None = the last scene.

    Raises:
        WrongValueError: Metadata that JSON does not have, such as a date or ``nan``.
    """

    text: str
    importance: int | None = None
    type: NodeType = "observation"
    tags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    at: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            json.dumps(self.metadata, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise WrongValueError(f"metadata cannot be written as JSON: {error}") from error


def add_memory(layout: Layout, name: str, new: NewMemory) -> tuple[Node, list[str]]:
    """Append a memory to an agent's stream and raise its accumulator; also returns notes.

    Raises:
        UsageError: The memory is invalid.
        BrokenWorldError: A file of the agent cannot be read.
    """
    with editing(layout, "gm memory add") as desk:
        return append_memory(desk, name, new), desk.notes


def append_memory(desk: Desk, name: str, new: NewMemory) -> Node:
    """Append a memory at a desk; as ``add_memory``."""
    world, notes = desk.world, desk.notes
    agent = world.agents[known_agent(world.agents, name)]
    desk.need_agent(agent.id)
    evidence = [_resolve(desk, cited) for cited in dict.fromkeys(new.evidence)]
    # only memories that the character itself forms are bent by its lenses
    lenses = lenses_of(world.settings, agent) if new.metadata.get("source") == TOOL else ()
    tags = clean_tags(new.tags, agent.id)
    text, importance = clean_new_memory(new, world.settings)
    metadata = new.metadata
    if new.importance is None:
        notes.append(f"importance {importance}: by rule, from length and signal words")
        metadata = {**metadata, "importance_by": BY_RULE}
    formed = form_through(text, importance, tags, metadata, lenses)
    node = Node(
        id=render_node_id(agent.id, agent.next_number),
        created=_parse_moment(desk, new.at),
        type=new.type,
        depth=depth_of(new.type, [found.node.depth for found in evidence]),
        description=formed.description,
        importance=formed.importance,
        tags=tags,
        evidence=tuple(dict.fromkeys(found.node.id for found in evidence)),
        metadata=formed.metadata,
    )
    if agent.stream and node.when < agent.stream[-1].when:
        notes.append(f"{node.created} lies before {agent.stream[-1].created}, which stands above it in the stream")
    total = agent.state.importance_accumulator + node.importance
    state: AgentStateChange = {"importance_accumulator": total}
    desk.land(Change(world.clock.day, nodes={agent.id: (node,)}, agents={agent.id: state}))
    return node


def clean_new_memory(new: NewMemory, settings: Settings) -> tuple[str, int]:
    """Return the text on one line, and the importance (default: by rule).

    Raises:
        UsageError: Empty text, or importance outside 1–10.
    """
    text = required_line(new.text, "a memory")
    if new.importance is None:
        return text, rate_by_rule(text, settings.language, settings.importance.signals)
    return text, clean_importance(new.importance)


def _resolve(desk: Desk, cited: str) -> FoundMemory:
    found = find_memory(desk.layout, cited)
    if found and found[0].home != GIFTED:
        return found[0]
    memories = desk.layout.shown(desk.layout.memories)
    broken = [problem for problem in desk.loaded.problems if problem.path.startswith(memories)]
    refuse_errors(broken, f"no memory {cited!r} among those that can be read", "correct these places")
    raise UsageError(say("there is no memory {name} to rest on", repr(cited)), "see: gm memory find TEXT")


def _parse_moment(desk: Desk, wanted: str | None) -> str:
    if wanted is None:
        return desk.last_moment()
    ref = parse_ref(wanted)
    if ref is None or "/" not in wanted:
        raise UsageError(say("{name} is not a scene", repr(wanted)), "write day-003/scene-04")
    latest = max(desk.world.clock.day, last_scene(desk.world).day)
    if ref.day > latest:
        raise UsageError(say("{name} has not been played: the last day is {day}", wanted, latest))
    return wanted


def clean_importance(value: int) -> int:
    """Return a valid importance.

    Raises:
        UsageError: It is outside 1–10.
    """
    if not 1 <= value <= 10:
        raise UsageError(say("importance {value} is outside 1–10", value), "1 is routine, 10 is pivotal")
    return value
