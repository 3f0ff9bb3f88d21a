"""The world after a past moment, as far as memories, threads and the logbook show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.base.errors import CORRECT_HINT, UsageError, refuse_errors
from gm.files.layout import Layout
from gm.files.load import load_log
from gm.files.streams.archive import read_archive
from gm.memory.care import replaced_ids
from gm.memory.retrieve import select_until
from gm.model.calendar import SceneRef, moment_of, parse_day, parse_ref, render_day
from gm.model.logged import LogEntry
from gm.model.node import SUMMARY_KIND, Node
from gm.model.thread import Thread
from gm.model.world import Agent, World


def parse_moment(text: str) -> SceneRef:
    """Parse ``5``, ``day-005`` or ``day-005/scene-02``.

    Raises:
        UsageError: Invalid format.

    Examples:
        >>> gm.parse_moment("day-003/scene-04")
        SceneRef(day=3, scene=4, suffix='')
    """
    moment = parse_ref(text) or parse_day(text)
    if moment is None:
        raise UsageError(
            f"{text!r} is not a point in story time", "write 3, day-003 or day-003/scene-02; 0 = the beginning"
        )
    return moment


def log_until(layout: Layout, world: World, moment: SceneRef) -> tuple[LogEntry, ...]:
    """Return the logbook of the days up to a moment's day.

    Raises:
        UsageError: The moment has not been played, or its day is not over.
        GmError: A logbook is broken.
    """
    today = world.clock.day
    if moment.day > today:
        raise UsageError(f"{moment} has not been played", f"the last day is {render_day(today)}")
    log, problems = load_log(layout, moment.day)
    refuse_errors(problems, "files that are needed cannot be read", CORRECT_HINT)
    played = [ref for entry in log if entry.day == moment.day and not entry.is_summary and (ref := entry.ref)]
    if not played:  # a world without a logbook, in which memories say which scenes there were
        lived = (node.when for agent in world.agents.values() for node in agent.everything)
        played = [when for when in lived if when.day == moment.day and when.scene]
    if moment.scene and moment not in played:
        hint = f"the last scene of that day is {max(played)}" if played else "the logbook of that day has no scene"
        raise UsageError(f"{moment} has not been played", hint)
    if not moment.scene and moment.day == today and world.clock.day_open:
        raise UsageError(f"{moment} is not over", "leave out --at, or name a scene of that day")
    return log


def world_at(layout: Layout, world: World, moment: SceneRef) -> World:
    """Return the world with earlier streams, threads and clock; moods, plans, tasks and relationships stay current.

    Its log must reach back to the moment.
    """
    agents = {key: rewind(agent, read_archive(layout, key), moment) for key, agent in world.agents.items()}
    log = tuple(entry for entry in world.log if _is_before(entry.day, entry.number, moment))
    clock = replace(world.clock, day=moment.day, day_open=bool(moment.scene))
    threads = tuple(_thread_at(thread, moment) for thread in world.threads if _has_happened(thread.opened, moment))
    return replace(world, agents=agents, log=log, clock=clock, threads=threads)


def rewind(agent: Agent, archived: Sequence[Node], moment: SceneRef) -> Agent:
    """Return a character with stream and summaries as of a moment, after a scene or a whole day.

    Nodes replaced by later summaries come back. Pruned nodes do not: no record says when they went.
    """
    summaries = [node for node in (*archived, *agent.summaries) if node.kind == SUMMARY_KIND]
    made = {node.id for node in select_until(summaries, moment)}
    later = {identifier for node in summaries if node.id not in made for identifier in replaced_ids(node)}
    back = [node for node in archived if node.id in later and node.kind != SUMMARY_KIND]
    stream = sorted((*back, *agent.stream), key=lambda node: node.when) if back else agent.stream
    gone = {node.id for node in archived} - later
    return replace(
        agent,
        stream=select_until(stream, moment),
        summaries=tuple(node for node in summaries if node.id in made and node.id not in gone),
    )


def _thread_at(thread: Thread, moment: SceneRef) -> Thread:
    if _has_happened(thread.touched, moment):
        return thread
    return replace(thread, touched=thread.opened, reason="", outcome="")


def _has_happened(at: str, moment: SceneRef) -> bool:
    ref = moment_of(at)
    return _is_before(ref.day, ref.scene or None, moment)


def _is_before(day: int, scene: object, moment: SceneRef) -> bool:
    if day != moment.day or not moment.scene:
        return day <= moment.day
    return isinstance(scene, int) and scene <= moment.scene
