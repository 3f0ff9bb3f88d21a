"""The input of the rules: all streams, archives, logbooks and documents of a world, read once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from gm.base.config import Settings, kinds
from gm.base.errors import Problem, Severity
from gm.files.formats.document import Document
from gm.files.formats.jsonl import JsonLine, Scan, scan_lines
from gm.files.formats.places import Keys, json_place
from gm.files.formats.text import Text
from gm.files.layout import Layout
from gm.files.reading.lines import column_in_node
from gm.files.reading.records import column_of
from gm.model.calendar import SceneRef
from gm.model.ids import highest_number, parse_node_id
from gm.model.scene import SUMMARY


@dataclass(slots=True)
class LineFile:
    """A file with one object a line."""

    shown: str
    text: Text
    scan: Scan

    @property
    def problems(self) -> list[Problem]:
        """Those found while reading."""
        return self.scan.problems

    def at(
        self, line: JsonLine | MemoryFacts, keys: Keys, severity: Severity, code: str, message: str, hint: str = ""
    ) -> Problem:
        """Return a problem at a value of a line, or at the line where it has no such value."""
        return Problem(
            self.shown, line.number, column_of(self.scan.line(line.number), keys), severity, code, message, hint
        )


class MemoryFacts(NamedTuple):
    """What is kept of every memory; ``number`` is its line."""

    number: int
    created: str
    type: str
    depth: int
    importance: int


@dataclass
class StreamFile(LineFile):
    """A memory stream or an archive. Most lines are not kept: see ``streams``.

    Attributes:
        refs: Parsed forms of ``created`` in all streams (shared).
        odd: Memories written differently from the schema, unchanged.
        lost: Ids in skipped lines.
        left_out: Numbers of skipped lines.
        tags: All tags of its memories.
        suspects: Memories with possibly wrong tags, evidence, depth or artifact; their records have the schema's keys.
        jumps: Memories that do not follow the previous id: id, number, highest number before.
        turns: Memories with another ``created`` than the line before.
        copies: Ids of memories that do not count for reflections: copies, single utterances, summaries.
        tiers: What ``metadata.tier`` says, by id of the summary.
        stands_for: What ``metadata.replaces`` says, the memories that a summary stands for, by its id.
        undone: Ids of memories of what a day left undone.
        sources: Line, value and ``created`` of each ``metadata.copied_from``.
    """

    agent: str
    refs: dict[str, SceneRef]
    nodes: dict[str, MemoryFacts] = field(default_factory=dict)
    odd: list[JsonLine] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    left_out: list[int] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    suspects: list[JsonLine] = field(default_factory=list)
    jumps: list[tuple[str, int, int]] = field(default_factory=list)
    turns: list[MemoryFacts] = field(default_factory=list)
    copies: set[str] = field(default_factory=set)
    tiers: dict[str, object] = field(default_factory=dict)
    stands_for: dict[str, object] = field(default_factory=dict)
    undone: set[str] = field(default_factory=set)
    sources: list[tuple[int, object, str]] = field(default_factory=list)

    def at(
        self, line: JsonLine | MemoryFacts, keys: Keys, severity: Severity, code: str, message: str, hint: str = ""
    ) -> Problem:
        column = column_in_node(self.scan.line(line.number), keys)
        return Problem(self.shown, line.number, column, severity, code, message, hint)

    @cached_property
    def highest(self) -> int:
        """Highest number among own ids, skipped lines included."""
        return highest_number(self.agent, (*self.lost, *self.nodes))

    def again(self) -> Iterator[JsonLine]:
        """Decode the kept lines once more: a stream holds only the facts of its memories."""
        kept = {node.number for node in self.nodes.values()}
        return (line for line in scan_lines(self.text.body, self.shown).lines if line.number in kept)


@dataclass(slots=True)
class LogFile(LineFile):
    """The logbook of one day."""

    day: int

    @property
    def scenes(self) -> list[JsonLine]:
        return [line for line in self.scan.lines if line.record.get("type") != SUMMARY]


@dataclass(slots=True)
class Doc:
    """A JSON document with the path for problems."""

    shown: str
    document: Document
    exists: bool

    @property
    def data(self) -> Mapping[str, Any]:
        return self.document.data

    @property
    def body(self) -> str:
        return self.document.body

    def at(self, keys: Keys, severity: Severity, code: str, message: str, hint: str = "") -> Problem:
        """Return a problem at a value."""
        return Problem(self.shown, *json_place(self.body, keys), severity, code, message, hint)


@dataclass
class Files:
    """A whole world as seen by the rules.

    Attributes:
        streams: By agent, like ``archives``, ``summaries`` and ``agents``.
        scene_types: From the prompts; empty = not known.
        is_set: Whether ``gm.yaml`` can be read; else ``settings`` are defaults, against which nothing is checked.
        history: Whether memories and logbooks were read; else they count as absent.
    """

    layout: Layout
    settings: Settings
    names: tuple[str, ...]
    streams: Mapping[str, StreamFile]
    archives: Mapping[str, StreamFile]
    summaries: Mapping[str, StreamFile]
    logs: Sequence[LogFile]
    world: Doc
    bulletin: Doc
    agents: Mapping[str, Doc]
    scene_types: frozenset[str] = frozenset()
    threads: LineFile | None = None
    is_set: bool = True
    history: bool = True

    @cached_property
    def made(self) -> frozenset[str]:
        """Paths in artifact memories."""
        paths = (
            line.record["metadata"].get("artifact_path")
            for stream in self.streams.values()
            for line in stream.suspects
            if line.record["type"] == "artifact"
        )
        return frozenset(path for path in paths if isinstance(path, str))

    def node(self, identifier: str) -> MemoryFacts | None:
        """Find a memory in the stream, the summaries or the archive of its owner; None if there is none."""
        owner = owner_of(identifier)
        for files in (self.streams, self.summaries, self.archives):
            stream = files.get(owner)
            if stream is not None and identifier in stream.nodes:
                return stream.nodes[identifier]
        return None

    def is_lost(self, identifier: str) -> bool:
        """Return whether an id is in a skipped line, so that only that line is reported."""
        kinds = (self.streams, self.summaries, self.archives)
        return any(identifier in stream.lost for files in kinds for stream in files.values())

    def was_used(self, identifier: str) -> bool:
        """Return whether an id is below the highest one of its agent, so that the memory was removed later."""
        parsed = parse_node_id(identifier)
        if parsed is None:
            return False
        kinds = (self.streams, self.summaries, self.archives)
        files = [found for kind in kinds if (found := kind.get(parsed[0]))]
        return 0 < parsed[1] <= max((stream.highest for stream in files), default=0)

    @property
    def day(self) -> int | None:
        """The day of the clock; None when it is invalid."""
        value: Any = self.world.data.get("day")
        return int(value) if kinds.is_number(value) and (isinstance(value, int) or math.isfinite(value)) else None

    @property
    def today(self) -> int | None:
        """The day of the clock, if there is a clock."""
        return self.day if self.world.exists else None


def each_line_file(files: Files) -> Iterator[LineFile]:
    """Yield all files with one object a line."""
    yield from files.streams.values()
    yield from files.archives.values()
    yield from files.summaries.values()
    yield from files.logs
    if files.threads is not None:
        yield files.threads


def owner_of(identifier: str) -> str:
    """Return the agent part of a memory's id."""
    return identifier.rpartition("-")[0]


class FrequentProblems:
    """Reports frequent legitimate findings once a file: at the first place, with their number."""

    def __init__(self, file: LineFile) -> None:
        self._file = file
        self._found: dict[object, Problem] = {}
        self._count: dict[object, int] = {}

    def add(
        self,
        what: object,
        line: JsonLine | MemoryFacts,
        keys: Keys,
        severity: Severity,
        code: str,
        message: str,
        hint: str = "",
    ) -> None:
        """Count a finding; the first place of each ``what`` is reported."""
        self._count[what] = self._count.get(what, 0) + 1
        if what not in self._found:
            self._found[what] = self._file.at(line, keys, severity, code, message, hint)

    def problems(self) -> Iterator[Problem]:
        """Yield one problem for each ``what``, with its number."""
        for what, problem in self._found.items():
            count = self._count[what]
            more = f" ({count} times in this file, first here)" if count > 1 else ""
            yield replace(problem, message=problem.message + more)
