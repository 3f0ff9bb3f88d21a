"""The days of a world, from logbooks and memory streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gm.api.answers.document import part
from gm.api.history.diff.parts import BriefScene, brief_scene, describe_node
from gm.base.errors import Problem, UsageError
from gm.base.untyped import objects_in
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.logbook import DayLog, read_log
from gm.files.story.now import load_whole_state
from gm.files.story.threads import load_threads
from gm.files.streams.linefacts import LineFacts
from gm.files.streams.lineindex import line_index
from gm.files.streams.linescan import read_day_memories
from gm.model.logged import LogEntry
from gm.model.logged_parts import as_mapping
from gm.model.node import Node
from gm.model.thread import Thread
from gm.model.turns import PlayedTurn
from gm.model.world import Agent, known_agent


def reflection_record(reflection: tuple[str, Node]) -> dict[str, Any]:
    """Return a character's reflection as a story shows it."""
    return {"agent": reflection[0], **describe_node(reflection[1])}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryScene:
    """A scene of a day.

    Attributes:
        clock: Clock time that was agreed, or empty.
        moved_to: Places to which it went over, in order.
    """

    brief: BriefScene = part(inline=True)
    time_of_day: str
    clock: str = part(omit="")
    moved_to: tuple[str, ...] = part(omit=())
    turns: tuple[PlayedTurn, ...]
    artifacts: tuple[str, ...]
    makers: tuple[str, ...]
    threads: tuple[Mapping[str, Any], ...]
    plan_status: Mapping[str, Any] | None = part(omit=None)
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDay:
    """A day of a world, or of one character.

    Attributes:
        own: Memories of depth 0 of the one character.
        missed: Appointments that came to nothing.
        chapter: The narrator's chapter, an empty line between paragraphs.
    """

    day: int
    closed: bool
    summary: str
    highlights: tuple[str, ...]
    scenes: tuple[StoryScene, ...]
    memories: Mapping[str, int]
    reflections: tuple[tuple[str, Node], ...] = part(by=reflection_record)
    own: tuple[Node, ...] = part(by=describe_node)
    artifacts: tuple[str, ...]
    threads: tuple[Mapping[str, Any], ...]
    open_threads: tuple[str, ...]
    missed: tuple[Mapping[str, Any], ...] = part(omit=())
    plans: Mapping[str, Any] | None = part(omit=None)
    chapter: str = part(omit="")


@dataclass(frozen=True, slots=True)
class Story:
    """The days asked for, newest first; ``of`` = number of all days."""

    agent: str | None
    days: tuple[StoryDay, ...]
    of: int


def describe_story(
    layout: Layout, *, agent: str | None = None, day: int | None = None, most: int = 0
) -> tuple[Story, list[Problem]]:
    """Return the days of a world, newest first, and problems; only these days are read.

    Args:
        most: Maximum number of days; 0 = all.

    Raises:
        UsageError: There is no such character, or the day has left no trace.
    """
    with snapshot(layout):
        source = _Source(layout)
        name = source.find(agent)
        days = source.days()
        if day is not None and day not in days:
            hint = f"the days: {_span(days)}" if days else "no day was played"
            raise UsageError(f"day {day} has left no trace", hint)
        chosen = [day] if day is not None else days[: most or None]
        story = Story(name, tuple(_describe_day(source, number, name) for number in chosen), len(days))
    return story, source.problems


class _Source:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.cast = layout.agent_names()
        self.problems: list[Problem] = []
        self._counted: dict[str, LineFacts] = {}
        with line_index(layout) as index:
            for name in self.cast:
                self._counted[name], found = index.lines(name, layout.stream(name))
                self.problems += found

    def find(self, wanted: str | None) -> str | None:
        if wanted is None:
            return None
        agents = {name: Agent(name, load_whole_state(self.layout, name)[0]) for name in self.cast}
        return known_agent(agents, wanted)

    def days(self) -> list[int]:
        remembered = {day for lines in self._counted.values() for day in lines.by_day()}
        return sorted({*self.layout.logged_days(), *(remembered - {0})}, reverse=True)

    def nodes(self, name: str, day: int) -> list[Node]:
        return read_day_memories(name, self.layout.stream(name), self._counted[name], day)

    def log(self, day: int) -> DayLog:
        log = read_log(self.layout, day)
        self.problems += log.problems
        return log

    @cached_property
    def threads(self) -> dict[str, Thread]:
        return {thread.id: thread for thread in load_threads(self.layout)[0]}

    def with_text(self, item: Mapping[str, Any]) -> dict[str, Any]:
        thread = self.threads.get(str(item.get("id")))
        if thread is None:
            return {**item, "text": ""}
        where = {key: value for key in ("time", "place") if (value := getattr(thread, key))}
        return {**item, "text": thread.text, **where}


def _describe_day(source: _Source, day: int, name: str | None) -> StoryDay:
    log = source.log(day)
    closing = log.closing
    scenes = [_describe_scene(entry) for entry in log.scenes]
    nodes = {who: source.nodes(who, day) for who in ([name] if name else source.cast)}
    return StoryDay(
        day=day,
        closed=closing.is_summary,
        summary=closing.summary,
        highlights=() if name else closing.highlights,
        scenes=tuple(scene for scene in scenes if name is None or name in scene.brief.participants),
        memories={who: len(found) for who, found in nodes.items() if found},
        reflections=tuple((who, node) for who, found in nodes.items() for node in found if node.depth > 0),
        own=tuple(node for node in nodes[name] if not node.depth) if name else (),
        artifacts=(
            *(path for scene in scenes if name is None or name in scene.makers for path in scene.artifacts),
            *(turn.artifact for turn in closing.turns if turn.artifact and name in (None, turn.agent)),
        ),
        threads=tuple(
            source.with_text(item) for scene in scenes for item in scene.threads if name in (None, item.get("by"))
        ),
        open_threads=() if name else closing.open_threads,
        missed=tuple(_find_missed(source, closing, name)),
        plans={who: ends for who, ends in as_mapping(closing.record.get("plans")).items() if name in (None, who)}
        or None,
        chapter="" if name else closing.chapter,
    )


def _find_missed(source: _Source, closing: LogEntry, name: str | None) -> Iterator[Mapping[str, Any]]:
    for identifier in closing.missed:
        thread = source.threads.get(identifier)
        if name is None or (thread and thread.concerns(name)):
            yield source.with_text({"id": identifier, "people": list(thread.people) if thread else []})


def _describe_scene(entry: LogEntry) -> StoryScene:
    return StoryScene(
        brief=brief_scene(entry),
        time_of_day=entry.time_of_day,
        clock=entry.clock,
        moved_to=entry.moved_to,
        turns=entry.turns,
        artifacts=entry.artifacts,
        makers=entry.participants if entry.artifacts else (),
        threads=tuple(objects_in(entry.record.get("threads"))),
        plan_status=as_mapping(entry.record.get("plan_status")) or None,
        memories=len(entry.memories),
    )


def _span(days: list[int]) -> str:
    return ", ".join(map(str, sorted(days))) if len(days) <= 12 else f"{days[-1]} to {days[0]}"
