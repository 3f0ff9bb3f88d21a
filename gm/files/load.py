"""Read a folder into a ``World``, tolerantly: every problem is collected, nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layers import load_links, load_mind, without_switched_off
from gm.files.layout import Layout, file_name_problem
from gm.files.media.library import has_texts
from gm.files.reading import report_lost_streams
from gm.files.story.logbook import read_log
from gm.files.story.now import load_bulletin, load_now, load_persona, load_state
from gm.files.story.threads import load_threads
from gm.files.streams import archive, lineindex, nodefile
from gm.model.ids import highest_number
from gm.model.logged import LogEntry
from gm.model.node import Node, is_beside
from gm.model.scene import SceneType
from gm.model.world import LOG_DAYS, Agent, World, with_call_names


@dataclass(frozen=True, slots=True)
class Loaded:
    """A world, and all problems found while reading it."""

    world: World
    problems: tuple[Problem, ...]


def load_world(
    layout: Layout, scene_types: Mapping[str, SceneType] | None = None, *, whole_streams: bool = True
) -> Loaded:
    """Read a whole world.

    Args:
        whole_streams: Whether long streams are read at once; else lazily, for commands that only look.
    """
    with snapshot(layout):
        return _load_world(layout, dict(scene_types or {}), whole_streams=whole_streams)


def _load_world(layout: Layout, scene_types: dict[str, SceneType], *, whole_streams: bool) -> Loaded:
    settings, clock, problems = load_now(layout)
    posts, decisions, found = load_bulletin(layout)
    problems += found
    problems += [file_name_problem(layout.shown(path)) for path in layout.unnameable_files()]
    agents = {}
    with lineindex.line_index(layout) as index:
        for name in layout.agent_names():
            agents[name], found = load_agent(layout, name, whole_stream=whole_streams, index=index)
            problems += without_switched_off(layout, settings, found)
    log, found = load_log(layout, clock.day)
    problems += found
    bare = {one.id for one in agents.values() if not (one.stream or one.beside or one.archived_number or one.summaries)}
    lost = report_lost_streams(layout, bare, log)
    problems += [problem for _, problem in lost]
    threads, found = load_threads(layout)
    problems += found
    links, found = load_links(layout)
    problems += found
    if settings.share.enabled:
        agents = {name: with_archived_sources(layout, agent) for name, agent in agents.items()}
    world = World(
        settings=settings,
        clock=clock,
        posts=posts,
        agents=with_call_names(agents),
        log=log,
        scene_types=scene_types,
        decisions=decisions,
        threads=threads,
        has_library=has_texts(layout),
        links=links,
    )
    return Loaded(world, tuple(problems))


def with_archived_sources(layout: Layout, agent: Agent) -> Agent:
    """Return the agent with ``archived_sources``, which only copying needs."""
    return replace(agent, archived_sources=archive.archived_sources(layout, agent.id))


def load_agent(
    layout: Layout, name: str, *, whole_stream: bool = True, index: lineindex.LineIndex | None = None
) -> tuple[Agent, list[Problem]]:
    """Read one character, and the highest id number in its archive; see ``load_world``."""
    if index is None:
        with lineindex.line_index(layout) as index:
            return load_agent(layout, name, whole_stream=whole_stream, index=index)
    persona, problems = load_persona(layout, name)
    state, found = load_state(layout, name, persona)
    problems += found
    lost: tuple[str, ...] = ()
    long = None if whole_stream else nodefile.open_long(layout, index, name)
    if long is not None:
        lived, beside = long
    else:
        stream = _read_nodes(name, layout.stream(name), layout)
        lived = tuple([node for node in stream.nodes if not node.metadata or not is_beside(node.metadata)])
        beside = tuple([node for node in stream.nodes if is_beside(node.metadata)])
        lost = stream.lost
        problems += stream.problems
    summaries = _read_nodes(name, layout.summarised(name), layout)
    problems += summaries.problems
    # ids of skipped lines are in use as well
    taken = max(index.highest_archived(name), highest_number(name, (*lost, *summaries.lost)))
    mind, found = load_mind(layout, name)
    problems += found
    agent = Agent(
        name, state, persona, stream=lived, archived_number=taken, summaries=summaries.nodes, mind=mind, beside=beside
    )
    return agent, problems


def load_stream(layout: Layout, name: str) -> tuple[tuple[Node, ...], list[Problem]]:
    """Read a memory stream; unreadable lines are skipped and reported."""
    stream = _read_nodes(name, layout.stream(name), layout)
    return stream.nodes, list(stream.problems)


def _read_nodes(name: str, path: Path, layout: Layout) -> nodefile.NodeFile:
    return nodefile.read_nodes(name, path, layout.shown(path))


def load_log(layout: Layout, day: int) -> tuple[tuple[LogEntry, ...], list[Problem]]:
    """Read the logbooks of the last ``LOG_DAYS`` days up to and including a day."""
    entries: list[LogEntry] = []
    problems: list[Problem] = []
    for logged in layout.logged_days():
        if day - LOG_DAYS < logged <= day:
            log = read_log(layout, logged)
            problems += log.problems
            entries += log.entries
    return tuple(entries), problems
