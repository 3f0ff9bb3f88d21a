"""Check a whole world: everything that reading it shows, and the rules on top."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from gm.config import TIMES_OF_DAY
from gm.errors import GmError, Problem
from gm.prompt.render import Prompts
from gm.store.check import Cast, StreamFile, check_log, check_stream, read_stream
from gm.store.jsonl import read_lines
from gm.store.layout import Layout
from gm.store.load import Loaded, load_world
from gm.store.shipped import shipped_prompts


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found."""

    agents: int
    memories: int
    scenes: int
    problems: tuple[Problem, ...]


def check_world(layout: Layout) -> CheckReport:
    """Read every file and hold it against every rule."""
    loaded = load_world(layout)
    problems = list(loaded.problems)
    streams = [read_stream(layout, name) for name in layout.agent_names()]
    cast = _cast(layout, streams)
    for stream in streams:
        problems += check_stream(stream, cast)
    problems += _personas(layout, loaded)
    types, found = _prompts(layout, loaded)
    problems += found
    scenes = 0
    for day in layout.logged_days():
        path = layout.day_log(day)
        lines, found = read_lines(path, layout.shown(path))
        scenes += sum(line.record.get("type") != "SUMMARY" for line in lines)
        problems += [item for item in found if item not in problems]
        problems += check_log(layout.shown(path), lines, cast, TIMES_OF_DAY, types)
    memories = sum(len(stream.entries) for stream in streams)
    return CheckReport(len(streams), memories, scenes, tuple(sorted(set(problems))))


def describe_report(report: CheckReport) -> dict[str, Any]:
    """Put a report into the form of ``gm check --json``."""
    count = Counter(problem.severity for problem in report.problems)
    return {
        "ok": not count["error"],
        "counts": {
            "agents": report.agents,
            "memories": report.memories,
            "scenes": report.scenes,
            "errors": count["error"],
            "warnings": count["warning"],
            "infos": count["info"],
        },
        "problems": [
            {
                "severity": problem.severity,
                "code": problem.code,
                "path": problem.path,
                "line": problem.line,
                "column": problem.column,
                "message": problem.message,
                "hint": problem.hint,
            }
            for problem in report.problems
        ],
    }


def _cast(layout: Layout, streams: list[StreamFile]) -> Cast:
    depths = {entry.node.id: entry.node.depth for stream in streams for entry in stream.entries}
    for stream in streams:
        path = layout.archived(stream.agent)
        for line in read_lines(path, layout.shown(path))[0]:
            value = line.record.get("depth", 0)
            depths.setdefault(str(line.record.get("id")), value if isinstance(value, int) else 0)
    return Cast(
        agents=frozenset(stream.agent for stream in streams),
        depths=depths,
        files=lambda path: (layout.root / path).exists(),
    )


def _personas(layout: Layout, loaded: Loaded) -> list[Problem]:
    return [
        Problem(
            layout.shown(layout.persona(agent.id)),
            0,
            0,
            "info",
            "persona-missing",
            f"{agent.id} has no persona: it is played from its name and memories alone",
            "write one: YAML front matter (name, role, home …) and prose",
        )
        for agent in loaded.world.agents.values()
        if agent.persona is None
    ]


def _prompts(layout: Layout, loaded: Loaded) -> tuple[tuple[str, ...], list[Problem]]:
    """Load the templates; one that cannot be parsed is an error."""
    try:
        prompts = Prompts(layout.prompts, shipped_prompts(), loaded.world.settings.language)
        types = tuple(prompts.scene_types())
        prompts.parse_all()
    except GmError as error:
        shown = layout.shown(layout.prompts)
        return (), [Problem(shown, 0, 0, "error", "prompt", error.message, error.hint)]
    return types, []
