"""The status of a world. Reads only what is shown, however old the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gm.base.config import Settings
from gm.base.errors import Problem
from gm.files.commits.lock import Holder, find_holder
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import is_there
from gm.files.layout import Layout
from gm.files.story.now import load_bulletin, load_now, load_settings, load_whole_state, load_written_state
from gm.files.streams.lineindex import LineIndex, line_index
from gm.memory.reflect import is_reflection_due
from gm.model.ids import render_node_id


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """The status of a character.

    Attributes:
        accumulator: Importance since the last reflection.
        memories: Lines of the stream, including reflections.
        last_reflection: Id of its newest insight.
    """

    name: str
    mood: str
    position: str
    current_task: str
    accumulator: int
    due: bool
    next_id: str
    memories: int
    reflections: int
    last_reflection: str | None
    persona: bool


@dataclass(frozen=True, slots=True)
class QuestionOutside:
    """An open question of a character to the person outside (``world.outside``); ``day`` is when it was asked."""

    id: str
    by: str
    day: int
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a world.

    Attributes:
        unfinished_write: Number of files of an interrupted commit.
        threshold: Importance above which a character is due for a reflection.
        stale_gifts: Outdated files of seed memories.
        lessons_not_given: How many of ``seeds.lessons`` are in no file yet.
        questions: Open questions to the person outside, the oldest first.
    """

    world: str
    day: int
    day_of_week: str
    open: bool
    scenes_today: int
    scenes_total: int
    unfinished_write: int
    writer: Holder | None
    awaiting: tuple[str, ...]
    threshold: int
    stale_gifts: tuple[str, ...]
    lessons_not_given: int
    questions: tuple[QuestionOutside, ...]
    agents: Mapping[str, AgentStatus]


@dataclass(frozen=True, slots=True)
class Due:
    """The agents due for a reflection, and the threshold."""

    threshold: int
    due: tuple[str, ...]


def describe_status(layout: Layout) -> tuple[Status, list[Problem]]:
    """Return the status of a world, and problems of the files read.

    Examples:
        >>> status, problems = gm.describe_status(layout)
        >>> status.day, status.open, list(status.agents), problems
        (2, False, ['alex', 'casey', 'jordan'], [])
    """
    with snapshot(layout) as pending, line_index(layout) as index:
        settings, clock, problems = load_now(layout)
        problems += load_bulletin(layout)[2]
        questions, found = _list_questions(layout, settings.world.outside)
        problems += found
        agents = {}
        for name in layout.agent_names():
            agents[name], found = _describe_agent(layout, settings, index, name)
            problems += found
    status = Status(
        world=settings.world.title,
        day=clock.day,
        day_of_week=clock.day_of_week,
        open=clock.day_open,
        scenes_today=clock.scenes_today,
        scenes_total=clock.scenes_total,
        unfinished_write=pending,
        writer=find_holder(layout.lock),
        awaiting=list_awaited(layout),
        threshold=settings.reflection.threshold,
        stale_gifts=_stale_gifts(layout),
        lessons_not_given=_count_lessons_not_given(layout, settings),
        questions=questions,
        agents=agents,
    )
    return status, problems


def _count_lessons_not_given(layout: Layout, settings: Settings) -> int:
    if not settings.seeds.lessons:
        return 0
    from gm.files.streams.gifted import lessons_not_given

    return lessons_not_given(layout, settings.seeds.lessons)[0]


def _list_questions(layout: Layout, outside: str) -> tuple[tuple[QuestionOutside, ...], list[Problem]]:
    if not is_there(layout.threads):
        return (), []
    from gm.files.story.threads import load_threads  # a world without threads needs none of it

    threads, problems = load_threads(layout)
    asked = (one for one in threads if one.is_open and outside in one.to)
    return tuple(QuestionOutside(one.id, one.by, one.since.day, one.text) for one in asked), problems


def list_awaited(layout: Layout) -> tuple[str, ...]:
    """Return the open questions of the mailbox, by the names of their files without ending."""
    if not layout.mailbox.is_dir():
        return ()
    from gm.files.questions.mailbox import PostFolder

    return PostFolder(layout).unanswered()


def _stale_gifts(layout: Layout) -> tuple[str, ...]:
    """Return outdated files of seed memories; compares only if a source is newer."""
    folder = layout.gifted_folder
    given = [path for path in folder.iterdir() if path.suffix == ".jsonl"] if folder.is_dir() else []
    sources = [layout.settings, *map(layout.persona, layout.agent_names())]
    if not given or max(map(_read_modified_time, sources)) <= min(map(_read_modified_time, given)):
        return ()
    from gm.api.editing.gift import stale_gifts

    return tuple(item.path for item in stale_gifts(layout))


def _read_modified_time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _describe_agent(
    layout: Layout, settings: Settings, index: LineIndex, name: str
) -> tuple[AgentStatus, list[Problem]]:
    state, problems = load_whole_state(layout, name)
    stream, found = index.count(name, layout.stream(name))
    problems += found
    summaries, found = index.count(name, layout.summarised(name))
    problems += found
    highest = max(stream.highest, summaries.highest, index.highest_archived(name), state.deleted_until)
    status = AgentStatus(
        name=state.name,
        mood=state.mood,
        position=state.position,
        current_task=state.current_task,
        accumulator=state.importance_accumulator,
        due=is_reflection_due(state.importance_accumulator, settings.reflection),
        next_id=render_node_id(name, highest + 1),
        memories=stream.memories,
        reflections=stream.reflections,
        last_reflection=state.last_reflection,
        persona=layout.persona(name).is_file(),
    )
    return status, problems


def describe_due(layout: Layout, threshold: int | None = None) -> tuple[Due, list[Problem]]:
    """Return the agents due for a reflection, and problems; ``threshold`` None = as configured."""
    with snapshot(layout):
        settings, problems = load_settings(layout)
        asked = settings.reflection if threshold is None else replace(settings.reflection, threshold=threshold)
        due = []
        for name in layout.agent_names():
            state, found = load_written_state(layout, name)
            problems += found
            if is_reflection_due(state.importance_accumulator, asked):
                due.append(name)
    return Due(asked.threshold, tuple(due)), problems
