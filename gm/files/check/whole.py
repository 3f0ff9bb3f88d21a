"""Read a whole world once and apply every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gm.base.errors import Problem
from gm.files.check import agents, artifacts, declared, eras, evidence, logbook, nodes, personas, rest, world
from gm.files.check.facts import Moments
from gm.files.check.files import Doc, Files, LineFile, LogFile, StreamFile, check_suspects
from gm.files.check.streams import read_stream
from gm.files.commits.journal import journal_problems
from gm.files.commits.snapshot import snapshot
from gm.files.formats.document import read_document
from gm.files.formats.jsonl import scan_file
from gm.files.formats.lineblocks import ChangedFileError
from gm.files.formats.text import is_there
from gm.files.formats.yamlfile import read_yaml
from gm.files.layout import Layout
from gm.files.reading import report_lost_streams
from gm.files.story.now import load_bulletin, load_now, load_persona, load_state
from gm.model.logged import LogEntry

STREAM_RULES = (*nodes.RULES, *evidence.RULES, *logbook.STREAM_RULES)
SUSPECT_RULES = (*nodes.SUSPECT_RULES, *artifacts.SUSPECT_RULES, *evidence.SUSPECT_RULES)
WORLD_RULES = (
    *world.RULES,
    *logbook.WORLD_RULES,
    *nodes.WORLD_RULES,
    *rest.RULES,
    *eras.RULES,
    *declared.RULES,
    *personas.WORLD_RULES,
)

_AGAIN = 2
"""How often a world is checked again if an editor changes a stream meanwhile."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of checking a world: counts, and problems sorted by file and line."""

    agents: int
    memories: int
    scenes: int
    problems: tuple[Problem, ...]


def check_files(layout: Layout, scene_types: Iterable[str] = (), *, history: bool = True) -> Findings:
    """Check every file of a world; no ``scene_types`` = not known.

    Args:
        history: Whether to read memories and logbooks; without them, only problems of other files count.
    """
    types = frozenset(scene_types)
    with snapshot(layout):
        for _ in range(_AGAIN):
            with suppress(ChangedFileError):
                return _check_world(layout, types, history)
        return _check_world(layout, types, history)


def _check_world(layout: Layout, scene_types: frozenset[str], history: bool) -> Findings:
    files, problems = read_files(layout, scene_types, history=history)
    problems += _apply_rules(files)
    memories = sum(len(stream.nodes) for stream in files.streams.values())
    scenes = sum(len(log.scenes) for log in files.logs)
    # a truncated line gets no line end from --fix: it has to be completed first
    broken = {(item.path, item.line) for item in problems if item.code in ("json-syntax", "merge-conflict")}
    kept = {item for item in problems if item.code != "final-newline" or (item.path, item.line) not in broken}
    return Findings(len(files.names), memories, scenes, tuple(sorted(kept)))


def read_files(layout: Layout, scene_types: Iterable[str] = (), *, history: bool = True) -> tuple[Files, list[Problem]]:
    """Read every file that has rules of its own, with the problems of loading; see ``check_files``."""
    settings, _, problems = load_now(layout)
    problems += journal_problems(layout)
    problems += load_bulletin(layout)[2]
    names = layout.agent_names()
    for name in names:
        persona, found = load_persona(layout, name)
        problems += found
        problems += load_state(layout, name, persona)[1]
    moments = Moments()
    remembering = names if history else ()
    streams = _read_streams(layout, remembering, layout.stream, moments)
    archives = _read_streams(layout, remembering, layout.archived, moments)
    summaries = _read_streams(layout, remembering, layout.summarised, moments)
    logs = [_read_log_file(layout, day) for day in (layout.logged_days() if history else ())]
    path = layout.threads
    threads_file = LineFile(layout.shown(path), *scan_file(path, layout.shown(path))) if is_there(path) else None
    threads_files = [threads_file] if threads_file else []
    for stream in (*streams.values(), *archives.values(), *summaries.values()):
        problems += stream.problems
    for file in (*logs, *threads_files):
        problems += file.problems
    kinds = (streams, archives, summaries)
    held = {name for files in kinds for name, file in files.items() if file.nodes or file.lost}
    lines = (LogEntry(log.day, line.record) for log in logs for line in log.scan.lines)
    lost = dict(report_lost_streams(layout, {*remembering} - held, lines))
    problems += lost.values()
    return (
        Files(
            layout,
            settings,
            names,
            streams,
            archives,
            summaries,
            logs,
            _read_doc(layout, layout.world),
            _read_doc(layout, layout.bulletin),
            {name: _read_doc(layout, layout.agent(name)) for name in names},
            frozenset(scene_types),
            threads_file,
            is_set=not read_yaml(layout.settings, layout.shown(layout.settings))[2],
            history=history,
            lost=frozenset(lost),
        ),
        problems,
    )


def _apply_rules(files: Files) -> Iterator[Problem]:
    for stream in files.streams.values():
        for stream_rule in STREAM_RULES:
            yield from stream_rule(stream, files)
        yield from check_suspects(stream, files, SUSPECT_RULES)
    for log in files.logs:
        for log_rule in logbook.RULES:
            yield from log_rule(log, files)
    for name in files.names:
        for agent_rule in agents.RULES:
            yield from agent_rule(name, files.agents[name], files)
        for persona_rule in personas.RULES:
            yield from persona_rule(name, files)
    for world_rule in WORLD_RULES:
        yield from world_rule(files)


def _read_streams(
    layout: Layout, names: Iterable[str], place: Callable[[str], Path], moments: Moments
) -> dict[str, StreamFile]:
    paths = {name: place(name) for name in names}
    return {
        name: read_stream(path, layout.shown(path), name, moments) for name, path in paths.items() if is_there(path)
    }


def _read_log_file(layout: Layout, day: int) -> LogFile:
    path = layout.day_log(day)
    return LogFile(layout.shown(path), *scan_file(path, layout.shown(path)), day)


def _read_doc(layout: Layout, path: Path) -> Doc:
    shown = layout.shown(path)
    document, _ = read_document(path, shown)
    return Doc(shown, document, is_there(path))
