"""How a world stands: clock and characters in numbers. Only what is shown is read, however old the world is."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gm.config import ReflectionSettings, Settings
from gm.errors import Problem
from gm.memory.reflect import is_due
from gm.model.ids import render_node_id
from gm.model.state import AgentState
from gm.store.commits.lock import find_holder
from gm.store.commits.snapshot import snapshot
from gm.store.layout import Layout
from gm.store.now import load_bulletin, load_clock, load_persona, load_settings, load_state, load_written_state
from gm.store.streams.lineindex import LineIndex, line_index


def describe_status(layout: Layout) -> tuple[dict[str, Any], list[Problem]]:
    """Describe a world in the form of ``gm status --json``.

    Args:
        layout: The world.

    Returns:
        The document, and what is wrong with the files that were read for it.
    """
    with snapshot(layout) as pending, line_index(layout) as index:
        settings, problems = load_settings(layout)
        clock, found = load_clock(layout)
        problems += found
        problems += load_bulletin(layout)[2]
        agents = {}
        for name in layout.agent_names():
            agents[name], found = _describe_agent(layout, settings, index, name)
            problems += found
    holder = find_holder(layout.lock)
    document = {
        "world": settings.world.title,
        "day": clock.day,
        "day_of_week": clock.day_of_week,
        "open": clock.day_open,
        "scenes_today": clock.scenes_today,
        "scenes_total": clock.scenes_total,
        "unfinished_write": pending,
        "writer": asdict(holder) if holder else None,
        "awaiting": _awaited(layout),
        "stale_gifts": _stale_gifts(layout),
        "lessons_not_given": _not_given(layout, settings),
        "agents": agents,
    }
    return document, problems


def _not_given(layout: Layout, settings: Settings) -> int:
    if not settings.seeds.lessons:
        return 0
    from gm.store.streams.gifted import lessons_not_given

    return lessons_not_given(layout, settings.seeds.lessons)[0]


def _awaited(layout: Layout) -> list[str]:
    """Name the questions in the mailbox that have no answer yet."""
    if not layout.mailbox.is_dir():
        return []
    from gm.store.mailbox import PostFolder

    return list(PostFolder(layout).unanswered())


def _stale_gifts(layout: Layout) -> list[str]:
    """Name the files of gifted memories that are out of date. They are compared only where a source is newer."""
    folder = layout.gifted_folder
    given = [path for path in folder.iterdir() if path.suffix == ".jsonl"] if folder.is_dir() else []
    sources = [layout.settings, *map(layout.persona, layout.agent_names())]
    if not given or max(map(_changed_at, sources)) <= min(map(_changed_at, given)):
        return []
    from gm.tools.gift import stale_gifts

    return [item.path for item in stale_gifts(layout)]


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _describe_agent(
    layout: Layout, settings: Settings, index: LineIndex, name: str
) -> tuple[dict[str, Any], list[Problem]]:
    state, problems = _read_state(layout, name)
    stream, found = index.lines(name, layout.stream(name))
    problems += found
    summaries, found = index.lines(name, layout.summarised(name))
    problems += found
    highest = max(stream.highest, summaries.highest, index.highest_archived(name))
    return {
        "name": state.name,
        "mood": state.mood,
        "position": state.position,
        "current_task": state.current_task,
        "accumulator": state.importance_accumulator,
        "due": is_due(state.importance_accumulator, settings.reflection),
        "next_id": render_node_id(name, highest + 1),
        "memories": stream.memories,
        "reflections": stream.reflections,
        "last_reflection": state.last_reflection,
        "persona": layout.persona(name).is_file(),
    }, problems


def _read_state(layout: Layout, name: str) -> tuple[AgentState, list[Problem]]:
    """Read how a character stands; its persona only where its file leaves out what that says."""
    state, problems = load_written_state(layout, name)
    if state.name and state.position:
        return state, problems
    persona, found = load_persona(layout, name)
    state, problems = load_state(layout, name, persona)
    return state, found + problems


def describe_due(layout: Layout, threshold: int | None = None) -> tuple[dict[str, Any], list[Problem]]:
    """List who is due for a reflection, in the form of ``gm due --json``, and what is wrong with the files."""
    with snapshot(layout):
        settings, problems = load_settings(layout)
        asked = _with_threshold(settings.reflection, threshold)
        due = []
        for name in layout.agent_names():
            state, found = load_written_state(layout, name)
            problems += found
            if is_due(state.importance_accumulator, asked):
                due.append(name)
    return {"threshold": asked.threshold, "due": due}, problems


def _with_threshold(settings: ReflectionSettings, threshold: int | None) -> ReflectionSettings:
    return settings if threshold is None else replace(settings, threshold=threshold)
