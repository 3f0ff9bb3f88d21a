"""Apply a change to the world in memory, layers of minds included; the user's edits take precedence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, cast

from gm.layers import LAYERS
from gm.model.calendar import moment_of
from gm.model.clock import Clock, ClockChange, Post
from gm.model.ids import highest_number
from gm.model.logged import LOG_LINE, LogEntry
from gm.model.mind import MindChange
from gm.model.node import Node, is_beside
from gm.model.scene import Scene
from gm.model.state import AgentState, AgentStateChange
from gm.model.thread import Thread, fold_events
from gm.model.turns import PlayedTurn, lists_of
from gm.model.world import LOG_DAYS, Agent, Change, World
from gm.scene.dialogue.turns import woven
from gm.scene.folding.minds import advance_mind
from gm.scene.ledger import memory_list

AGENT_VALUES = ("position", "current_task", "today_plan", "mood", "last_reflection")
CLOCK_VALUES = ("studio_status",)


def advance(world: World, change: Change) -> World:
    """Return the world after a change.

    Logbook lines older than ``LOG_DAYS`` days are dropped; when a day opens, also threads settled as long ago.
    """
    touched = {*change.to_archive, *change.summaries, *change.agents, *change.nodes, *change.minds}
    agents = {
        name: _advance_agent(
            _archive(agent, change.to_archive.get(name, frozenset()), change.summaries.get(name, ())),
            change.agents.get(name, {}),
            change.nodes.get(name, ()),
            change.minds.get(name),
        )
        if name in touched
        else agent
        for name, agent in world.agents.items()
    }
    log = world.log
    if change.log is not None:
        kept = tuple(entry for entry in log if entry.day > change.day - LOG_DAYS)
        log = (*kept, change.log)
    threads = fold_events(world.threads, change.threads) if change.threads else world.threads
    if "day" in change.clock:
        threads = _without_old(threads, change.day)
    links = world.links if change.links is None else change.links
    return replace(
        world,
        clock=replace(world.clock, **_frozen(change.clock)),
        posts=(*world.posts, *_number_posts(change.posts, world.posts)) if change.posts else world.posts,
        agents=agents,
        log=log,
        threads=threads,
        links=links,
        decisions=(*world.decisions, *change.decisions),
    )


def _number_posts(new: Sequence[Post], old: Sequence[Post]) -> Iterator[Post]:
    first = max((post.index for post in old), default=-1) + 1
    return (replace(post, index=place) for place, post in enumerate(new, start=first))


def _without_old(threads: tuple[Thread, ...], day: int) -> tuple[Thread, ...]:
    numbers = [thread.number for thread in threads]
    highest = max(numbers, default=0)
    kept = [
        thread
        for number, thread in zip(numbers, threads, strict=True)
        if thread.is_open or number == highest or moment_of(thread.touched).day > day - LOG_DAYS
    ]
    return tuple(kept)


def _advance_agent(
    agent: Agent, values: Mapping[str, object], nodes: tuple[Node, ...], mind: MindChange | None
) -> Agent:
    if mind is not None:
        agent = replace(agent, mind=advance_mind(agent.mind, mind))
    if not values and not nodes:
        return agent
    lived = tuple(node for node in nodes if not is_beside(node.metadata))
    beside = tuple(node for node in nodes if is_beside(node.metadata)) if len(lived) < len(nodes) else ()
    return replace(
        agent,
        state=replace(agent.state, **_frozen(values)),
        stream=(*agent.stream, *lived),
        beside=(*agent.beside, *beside) if beside else agent.beside,
    )


def _archive(agent: Agent, gone: frozenset[str], summaries: tuple[Node, ...]) -> Agent:
    if not gone and not summaries:
        return agent
    return replace(
        agent,
        stream=tuple(node for node in agent.stream if node.id not in gone),
        summaries=(*(node for node in agent.summaries if node.id not in gone), *summaries),
        archived_number=max(agent.archived_number, highest_number(agent.id, gone)),
    )


def _frozen(values: Mapping[str, object]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def log_entry(
    scene: Scene,
    summary: str,
    nodes: Mapping[str, Sequence[Node]],
    turns: Sequence[PlayedTurn] = (),
    more: Mapping[str, object] = MappingProxyType({}),
) -> LogEntry:
    """Return a scene's logbook line; turns of one round were simultaneous."""
    values = {
        "scene": scene.ref.scene,
        "type": scene.type.name,
        "time_of_day": scene.time_of_day,
        "location": scene.place,
        "participants": scene.cast,
        "why": scene.why,
        "premise": scene.premise,
        "summary": summary,
        **lists_of(turns),
        "dialogue": [{"agent": line.agent, "text": line.text} for line in woven(turns)],
        "artifacts": [turn.artifact for turn in turns if turn.artifact],
        "memories": memory_list(nodes),
        "cd_feedback": "",
        "turns": [turn.record() for turn in turns],
        "answers": (),
        "director": scene.director,
        "tags": scene.tags,
        "clock": scene.clock,
        "moved_to": scene.moved,
        "joined": scene.joined,
    }
    return LogEntry(scene.ref.day, LOG_LINE.compose({**values, **more}))


def clock_after(clock: Clock, scene: Scene) -> ClockChange:
    """Return the clock's values that a played scene changes."""
    return {
        "time_of_day": scene.time_of_day,
        "scenes_today": clock.scenes_today + 1,
        "scenes_total": clock.scenes_total + 1,
    }


@dataclass(frozen=True, slots=True)
class KeptEdit:
    """A value that stays as the user edited it.

    Attributes:
        where: Name of the agent; empty for the world clock.
        ours: The scene's value.
        theirs: The user's.
        layer: Empty for the agent's own file.
    """

    where: str
    key: str
    ours: object
    theirs: object
    layer: str = ""


def yield_to_edits(before: World, now: World, change: Change) -> tuple[Change, tuple[KeptEdit, ...]]:
    """Remove what the user has edited meanwhile, sums and counters aside."""
    kept: list[KeptEdit] = []
    agents: dict[str, AgentStateChange] = {}
    for name, new in change.agents.items():
        values: Mapping[str, object] = new
        edited = _find_edited_keys(before.agents.get(name), now.agents[name].state, AGENT_VALUES)
        kept += [
            KeptEdit(name, key, values[key], getattr(now.agents[name].state, key)) for key in values if key in edited
        ]
        agents[name] = cast("AgentStateChange", {key: value for key, value in values.items() if key not in edited})
    edited = {key for key in CLOCK_VALUES if getattr(before.clock, key) != getattr(now.clock, key)}
    kept += [KeptEdit("", key, value, getattr(now.clock, key)) for key, value in change.clock.items() if key in edited]
    clock = cast("ClockChange", {key: value for key, value in change.clock.items() if key not in edited})
    minds, edits = {}, []
    for name, mind in change.minds.items():
        minds[name], own = _yield_mind(before, now, name, mind)
        edits += own
    return replace(change, agents=agents, clock=clock, minds=minds), (*kept, *edits)


def _yield_mind(before: World, now: World, name: str, mind: MindChange) -> tuple[MindChange, list[KeptEdit]]:
    kept: list[KeptEdit] = []
    for layer in LAYERS if name in before.agents else ():
        change = mind[layer]
        if change is not None and layer.yields is not None:
            then, there = (world.agents[name].mind[layer] for world in (before, now))
            left, edits = layer.yields(then, there, change)
            mind = mind.with_change(layer, left or None)
            kept += [KeptEdit(name, edit.key, edit.ours, edit.theirs, layer.name) for edit in edits]
    return mind, kept


def _find_edited_keys(before: Agent | None, now: AgentState, keys: tuple[str, ...]) -> set[str]:
    if before is None:
        return set()
    return {key for key in keys if getattr(before.state, key) != getattr(now, key)}
