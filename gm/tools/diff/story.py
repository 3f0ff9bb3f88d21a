"""The story of a world day by day, from logbooks and streams: what ``gm log`` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.errors import UsageError
from gm.model.character import find_agent
from gm.model.world import World
from gm.store.jsonl import read_lines
from gm.store.layout import Layout
from gm.tools.diff.documents import brief_scene
from gm.tools.diff.nodes import described

SUMMARY = "SUMMARY"


def describe_story(
    layout: Layout, world: World, *, agent: str | None = None, day: int | None = None, most: int = 0
) -> dict[str, Any]:
    """Describe the days of a world, the newest first.

    Args:
        layout: The world's files.
        world: The world as it was read from them.
        agent: Only what concerns this character.
        day: Only this day.
        most: Most days; 0 = all.

    Returns:
        The document of ``gm log --json``.

    Raises:
        UsageError: Nobody is called that, or the day has left no trace.
    """
    name = None
    if agent is not None:
        name = find_agent(world.agents, agent)
        if name is None:
            raise UsageError(f"nobody here is called {agent!r}", "the cast: " + ", ".join(world.agents))
    remembered = {node.when.day for item in world.agents.values() for node in item.stream}
    days = sorted({*layout.logged_days(), *(number for number in remembered if number)}, reverse=True)
    if day is not None and day not in days:
        raise UsageError(f"day {day} has left no trace", f"the days: {_span(days)}" if days else "no day was played")
    chosen = [day] if day is not None else days[: most or None]
    return {"agent": name, "days": [_day(layout, world, number, name) for number in chosen], "of": len(days)}


def _day(layout: Layout, world: World, day: int, name: str | None) -> dict[str, Any]:
    path = layout.day_log(day)
    records = [line.record for line in read_lines(path, layout.shown(path))[0]]
    closing: Mapping[str, Any] = next((item for item in reversed(records) if item.get("type") == SUMMARY), {})
    scenes = [_scene(item, day) for item in records if item.get("type") != SUMMARY]
    cast = [name] if name else list(world.agents)
    texts = {thread.id: thread.text for thread in world.threads}
    nodes = {who: [node for node in world.agents[who].stream if node.when.day == day] for who in cast}
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
            {**item, "text": texts.get(str(item.get("id")), "")}
            for scene in scenes
            for item in scene["threads"]
            if name in (None, item.get("by"))
        ],
        "open_threads": [] if name else _texts(closing, "open_threads"),
    }


def _scene(record: Mapping[str, Any], day: int) -> dict[str, Any]:
    works = record.get("artifacts")
    paths = [item.get("path") if isinstance(item, dict) else item for item in works] if isinstance(works, list) else []
    threads = record.get("threads")
    listed = record.get("memories")
    return {
        **brief_scene(record, day),
        "time_of_day": str(record.get("time_of_day", record.get("time", ""))),
        "artifacts": [item for item in paths if isinstance(item, str)],
        "makers": [str(item) for item in record.get("participants") or []] if paths else [],
        "threads": [item for item in threads if isinstance(item, dict)] if isinstance(threads, list) else [],
        "memories": len(listed) if isinstance(listed, list) else 0,
    }


def _texts(record: Mapping[str, Any], key: str) -> list[str]:
    value = record.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []


def _span(days: list[int]) -> str:
    return ", ".join(map(str, sorted(days))) if len(days) <= 12 else f"{days[-1]} to {days[0]}"
