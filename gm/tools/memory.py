"""Look at single memories, and write and correct them by hand: what ``gm memory`` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.errors import BrokenWorldError, GmError, Problem, UsageError, errors_in
from gm.memory.lens import form_through, lenses_of, read_through
from gm.memory.reflect import depth_of
from gm.memory.search import carries, find_text
from gm.model.calendar import SceneRef, parse_ref
from gm.model.character import Agent, AgentState
from gm.model.fold import fold
from gm.model.ids import parse_node_id, render_node_id
from gm.model.node import NORMAL, Node, is_older_record, node_from_record, node_record
from gm.model.world import Change, World
from gm.scene.ledger import clean_tags
from gm.store.document import set_values
from gm.store.jsonl import read_lines
from gm.store.layout import Layout
from gm.store.lines import line_at, read_exactly, replace_lines, replace_step
from gm.store.load import load_persona, load_settings, load_world
from gm.store.save import plan_steps
from gm.store.snapshot import snapshot
from gm.store.steps import sha256
from gm.store.writer import writing
from gm.tools.accumulators import refuse_broken
from gm.tools.cast import known_agent


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory and where it is kept.

    Attributes:
        agent: Whose memory it is.
        node: The memory, in the shape of today whatever its line looks like.
        path: File inside the world.
        line: Line of the file, from 1.
        archived: Whether it lies in the archive.
        is_older: Whether its line has the older shape.
        summary: Whether it lies among the summaries.
    """

    agent: str
    node: Node
    path: str
    line: int
    archived: bool = False
    is_older: bool = False
    summary: bool = False


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory that somebody writes down for a character; ``at`` None = the last scene that was played."""

    text: str
    importance: int
    type: str = "observation"
    tags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    at: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Correction:
    """What changes in a memory; None = stays.

    Attributes:
        tags: The whole new list.
        add: Tags to add to the present ones.
        remove: Tags to take away.
        tier: How much its owner holds on to it, one of ``TIERS``.
    """

    description: str | None = None
    importance: int | None = None
    tags: tuple[str, ...] | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    tier: str | None = None


def list_kept(layout: Layout, agent: str) -> Iterator[Kept]:
    """List an agent's memories with their places: archive, summaries, stream. Unreadable lines are left out."""
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
    """Find the memories with an id, of whomever; more than one when an id was used twice."""
    wanted = fold(identifier)
    parsed = parse_node_id(wanted)
    with snapshot(layout):
        names = sorted(layout.agent_names(), key=lambda name: parsed is None or fold(name) != parsed[0])
        for name in names:
            found = [kept for kept in list_kept(layout, name) if fold(kept.node.id) == wanted]
            if found:
                return found
    return []


def describe_memory(layout: Layout, kept: Kept) -> dict[str, Any]:
    """Describe one memory, with its place, what it rests on and what rests on it."""
    with snapshot(layout):
        everything = [other for name in layout.agent_names() for other in list_kept(layout, name)]
        line = line_of(layout, kept)
    by_id = {fold(other.node.id): other for other in everything}
    return {
        **_described(kept),
        "line_sha256": line_print(line),
        **_seen_as(layout, kept),
        "rests_on": [
            _described(by_id[fold(cited)]) if fold(cited) in by_id else {"missing": cited}
            for cited in kept.node.evidence
        ],
        "cited_by": [
            other.node.id
            for other in everything
            if any(fold(cited) == fold(kept.node.id) for cited in other.node.evidence)
        ],
    }


def _seen_as(layout: Layout, kept: Kept) -> dict[str, Any]:
    """Tell how a memory reads through the lenses of whoever has it; nothing where it reads as it stands."""
    persona = load_persona(layout, kept.agent)[0]
    agent = Agent(kept.agent, AgentState(kept.agent), persona)
    text, names = read_through(kept.node, lenses_of(load_settings(layout)[0], agent))
    return {"seen_as": {"text": text, "lens": list(names)}} if names else {}


def describe_stream(layout: Layout, agent: str) -> dict[str, Any]:
    """Describe all memories of an agent."""
    with snapshot(layout):
        return {"agent": agent, "memories": [_described(kept) for kept in list_kept(layout, agent)]}


def describe_found(
    layout: Layout, text: str, agents: Sequence[str] = (), tags: Sequence[str] = (), kind: str = ""
) -> dict[str, Any]:
    """Search descriptions and tags of everybody, or of some, in the form of ``gm memory find --json``."""
    found = []
    with snapshot(layout):
        everything = [list(list_kept(layout, name)) for name in agents or layout.agent_names()]
    for kept in everything:
        matching = {id(node) for node in find_text((item.node for item in kept), text)}
        for item in kept:
            is_kind = not kind or fold(item.node.type) == fold(kind)
            if id(item.node) in matching and is_kind and (not tags or carries(item.node, tags)):
                found.append(_described(item))
    return {"query": text, "count": len(found), "memories": found}


def _described(kept: Kept) -> dict[str, Any]:
    described = {"agent": kept.agent, "path": kept.path, "line": kept.line, **node_record(kept.node)}
    if kept.archived:
        described["archived"] = True
    if kept.summary:
        described["summary"] = True
    if kept.is_older:
        described["older_shape"] = True
    return described


# -- writing -------------------------------------------------------------------------------------------


def add_memory(layout: Layout, name: str, wish: NewMemory, command: str = "gm memory add") -> tuple[Node, list[str]]:
    """Write a memory into an agent's stream and raise the agent's accumulator, both or neither.

    Returns:
        The new node, and notes.

    Raises:
        UsageError: Something about the wish makes no sense; nothing was written.
        BrokenWorldError: A file of the agent cannot be read; nothing was written.
    """
    with writing(layout, command) as writer:
        notes = list(writer.recovered)
        loaded = load_world(layout)
        world = loaded.world
        agent = world.agents[known_agent(world.agents, name)]
        refuse_broken(layout, loaded, agent.id)
        evidence = [_resolve(layout, loaded.problems, cited) for cited in dict.fromkeys(wish.evidence)]
        # what a person writes stands as written; what a character itself forms, it forms through its lenses
        lenses = lenses_of(world.settings, agent) if wish.metadata.get("source") == "tool" else ()
        tags = clean_tags(wish.tags, agent.id)
        formed = form_through(_text(wish.text), _importance(wish.importance), tags, wish.metadata, lenses)
        node = Node(
            id=render_node_id(agent.id, agent.next_number),
            created=_moment(layout, world, loaded.problems, wish.at),
            type=wish.type,
            depth=depth_of(wish.type, [kept.node.depth for kept in evidence]),
            description=formed.description,
            importance=formed.importance,
            tags=tags,
            evidence=tuple(dict.fromkeys(kept.node.id for kept in evidence)),
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


def check_wish(wish: NewMemory) -> None:
    """Make sure that a memory has words and an importance, before anything else is done with it.

    Raises:
        UsageError: It has not.
    """
    _text(wish.text)
    _importance(wish.importance)


class StaleError(GmError):
    """A memory is no longer what it was when somebody looked at it. Nothing was written.

    Args:
        identifier: Its id.
        line: Its line as it stands now; empty when it is gone.
    """

    def __init__(self, identifier: str, line: str) -> None:
        what = "was changed meanwhile" if line else "is gone"
        super().__init__(f"{identifier} {what}; nothing was written", f"look at it again: gm memory show {identifier}")
        self.line = line


def line_of(layout: Layout, kept: Kept) -> str:
    """Give the line of a memory as it stands in its file, without its line end."""
    return line_at(read_exactly(layout.root / kept.path), kept.line)


def line_print(line: str) -> str:
    """Name a line by its content: what ``correct_memory`` expects."""
    return sha256(line.encode())


def correct_memory(
    layout: Layout, identifier: str, correction: Correction, expected: str | None = None
) -> tuple[Kept, list[str]]:
    """Change values of one memory in its line; the rest of the line, and of the file, stays as it is.

    Args:
        layout: The world.
        identifier: Id of the memory.
        correction: What changes.
        expected: ``line_print`` of its line as it was read, or the beginning of it; None = whatever stands there.

    Returns:
        The memory as it is now, and notes.

    Raises:
        StaleError: Another line stands there than was expected; nothing was written.
        UsageError: There is no such memory, or it cannot be corrected.
    """
    with writing(layout, "gm memory edit") as writer:
        notes = list(writer.recovered)
        found = find_kept(layout, identifier)
        if expected is not None and not found:
            raise StaleError(identifier, "")
        kept = _only(found, identifier)
        path = layout.root / kept.path
        text = read_exactly(path)
        old = line_at(text, kept.line)
        if expected is not None and not line_print(old).startswith(expected):
            raise StaleError(kept.node.id, old)
        values = _corrected_values(kept, correction)
        line = set_values(old, values)
        changed = replace_lines(text, {kept.line: line})
        if changed != text:
            notes += map(str, writer.commit([replace_step(layout, path, text, changed)]))
    if kept.node.importance != (correction.importance or kept.node.importance):
        notes.append(f"the accumulator of {kept.agent} was left as it is; see: gm accumulators --recompute")
    return find_one(layout, identifier), notes


def _corrected_values(kept: Kept, correction: Correction) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if correction.description is not None:
        values["content" if kept.is_older else "description"] = _text(correction.description)
    if correction.importance is not None:
        values["importance"] = _importance(correction.importance)
    tags = kept.node.tags if correction.tags is None else clean_tags(correction.tags, kept.agent)
    present = {fold(tag) for tag in tags}
    added = [tag for tag in clean_tags(correction.add, "") if fold(tag) not in present]
    gone = {fold(tag) for tag in correction.remove}
    missing = [tag for tag in correction.remove if fold(tag) not in present]
    if missing:
        raise UsageError(f"{kept.node.id} has no tag {missing[0]!r}", "its tags: " + ", ".join(kept.node.tags))
    wanted = [*(tag for tag in tags if fold(tag) not in gone), *added]
    if wanted != list(kept.node.tags):
        values["tags"] = wanted
    if correction.tier is not None and correction.tier != kept.node.metadata.get("tier", NORMAL):
        rest = {key: value for key, value in kept.node.metadata.items() if key != "tier"}
        values["metadata"] = rest if correction.tier == NORMAL else {**rest, "tier": correction.tier}
    return values


def find_one(layout: Layout, identifier: str) -> Kept:
    """Find the one memory with an id that can be corrected.

    Raises:
        UsageError: There is none, there are several, or it lies in the archive.
    """
    return _only(find_kept(layout, identifier), identifier)


def _only(found: Sequence[Kept], identifier: str) -> Kept:
    if not found:
        raise UsageError(f"there is no memory {identifier!r}", "see: gm memory find TEXT, or gm memory show AGENT")
    if len(found) > 1:
        places = ", ".join(f"{kept.path}:{kept.line}" for kept in found)
        raise UsageError(f"{identifier!r} is the id of {len(found)} memories: {places}", "give one of them another id")
    if found[0].archived:
        raise UsageError(f"{identifier} lies in the archive ({found[0].path}), which is kept as it is")
    return found[0]


def _resolve(layout: Layout, problems: Sequence[Problem], cited: str) -> Kept:
    found = find_kept(layout, cited)
    if found:
        return found[0]
    broken = [problem for problem in errors_in(problems) if problem.path.startswith(layout.shown(layout.memories))]
    if broken:
        raise BrokenWorldError(f"no memory {cited!r} among those that can be read", "correct these places", broken)
    raise UsageError(f"there is no memory {cited!r} to rest on", "see: gm memory find TEXT")


def _text(text: str) -> str:
    plain = " ".join(text.split())
    if not plain:
        raise UsageError("a memory needs words")
    return plain


def _importance(value: int) -> int:
    if not 1 <= value <= 10:
        raise UsageError(f"importance {value} is outside 1–10", "1 is routine, 10 is pivotal")
    return value


def last_moment(layout: Layout, world: World, problems: Sequence[Problem]) -> str:
    """Name the last scene that was played, where what a person does to memories belongs.

    Raises:
        BrokenWorldError: The clock cannot be read.
    """
    return _moment(layout, world, problems, None)


def _moment(layout: Layout, world: World, problems: Sequence[Problem], wanted: str | None) -> str:
    """Take the scene that was asked for, or the last one that was played."""
    last = _last_scene(world)
    if wanted is None:
        clock = [problem for problem in errors_in(problems) if problem.path == layout.shown(layout.world)]
        if clock:
            raise BrokenWorldError(
                "the last scene is not known", "correct this place, or say --at day-003/scene-04", clock
            )
        return f"day-{last.day:03d}/scene-{last.scene:02d}{last.suffix}"
    ref = parse_ref(wanted)
    if ref is None or "/" not in wanted:
        raise UsageError(f"{wanted!r} is no scene", "write day-003/scene-04")
    if ref.day > max(world.clock.day, last.day):
        raise UsageError(f"{wanted} lies in the future: the last day is {max(world.clock.day, last.day)}")
    return wanted


def _last_scene(world: World) -> SceneRef:
    """Find the last scene of the logbook; of the memories when there is no logbook."""
    played = [
        SceneRef(entry.day, entry.record["scene"])
        for entry in world.log
        if isinstance(entry.record.get("scene"), int) and not entry.is_summary
    ]
    remembered = [agent.stream[-1].when for agent in world.agents.values() if agent.stream]
    return max(played, default=max(remembered, default=SceneRef(world.clock.day)))
