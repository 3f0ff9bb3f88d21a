"""The days of a world, from logbooks and memory streams."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from gm.api.history.diff.documents import brief_scene
from gm.api.history.diff.nodes import described
from gm.base.errors import Problem, UsageError
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.logbook import DayLog, read_log
from gm.files.now import load_whole_state
from gm.files.streams.linefacts import Lines
from gm.files.streams.lineindex import line_index
from gm.files.streams.linescan import read_day
from gm.model.character import Agent, known_agent
from gm.model.node import Node
from gm.model.scene import LogEntry

SUMMARY = "SUMMARY"


def describe_story(
    layout: Layout, *, agent: str | None = None, day: int | None = None, most: int = 0
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the document of ``gm log --json``, newest day first, and problems; only the days in it are read.

    Args:
        agent: Only what concerns this character.
        day: Only this day.
        most: Maximum number of days; 0 = all.

    Raises:
        UsageError: There is no such character, or the day has left no trace.
    """
    with snapshot(layout):
        story = _Story(layout)
        name = story.find(agent)
        days = story.days()
        if day is not None and day not in days:
            hint = f"the days: {_span(days)}" if days else "no day was played"
            raise UsageError(f"day {day} has left no trace", hint)
        chosen = [day] if day is not None else days[: most or None]
        document = {"agent": name, "days": [_day(story, number, name) for number in chosen], "of": len(days)}
    return document, story.problems


class _Story:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.cast = layout.agent_names()
        self.problems: list[Problem] = []
        self._counted: dict[str, Lines] = {}
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
        remembered = {day for lines in self._counted.values() for day in lines.day_places()}
        return sorted({*self.layout.logged_days(), *(remembered - {0})}, reverse=True)

    def nodes(self, name: str, day: int) -> list[Node]:
        return read_day(name, self.layout.stream(name), self._counted[name], day)

    def log(self, day: int) -> DayLog:
        log = read_log(self.layout, day)
        self.problems += log.problems
        return log

    @cached_property
    def threads(self) -> dict[str, str]:
        # imported late: rarely needed, and the module loads whole worlds
        from gm.files.load import load_threads

        return {thread.id: thread.text for thread in load_threads(self.layout)[0]}


def _day(story: _Story, day: int, name: str | None) -> dict[str, Any]:
    log = story.log(day)
    closing = log.closing
    scenes = [_scene(entry) for entry in log.scenes]
    nodes = {who: story.nodes(who, day) for who in ([name] if name else story.cast)}
    return {
        "day": day,
        "closed": bool(closing),
        "summary": str(closing.get("summary", "")),
        "highlights": [] if name else _texts(closing, "highlights"),
        "scenes": [scene for scene in scenes if name is None or name in scene["participants"]],
        "memories": {who: len(found) for who, found in nodes.items() if found},
        "reflections": [
            {"agent": who, **described(node)} for who, found in nodes.items() for node in found if node.depth > 0
        ],
        "own": [described(node) for node in nodes[name] if not node.depth] if name else [],
        "artifacts": [
            path for scene in scenes if name is None or name in scene["makers"] for path in scene["artifacts"]
        ],
        "threads": [
            {**item, "text": story.threads.get(str(item.get("id")), "")}
            for scene in scenes
            for item in scene["threads"]
            if name in (None, item.get("by"))
        ],
        "open_threads": [] if name else _texts(closing, "open_threads"),
    }


def _scene(entry: LogEntry) -> dict[str, Any]:
    record = entry.record
    threads = record.get("threads")
    listed = record.get("memories")
    return {
        **brief_scene(record, entry.day),
        "time_of_day": str(record.get("time_of_day", record.get("time", ""))),
        "artifacts": list(entry.artifacts),
        "makers": [str(item) for item in record.get("participants") or []] if entry.artifacts else [],
        "threads": [item for item in threads if isinstance(item, dict)] if isinstance(threads, list) else [],
        "memories": len(listed) if isinstance(listed, list) else 0,
    }


def _texts(record: Mapping[str, Any], key: str) -> list[str]:
    value = record.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []


def _span(days: list[int]) -> str:
    return ", ".join(map(str, sorted(days))) if len(days) <= 12 else f"{days[-1]} to {days[0]}"
