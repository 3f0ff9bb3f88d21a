"""What the rules look at: every stream, archive, logbook and document of a world, read once, with its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from gm.config import Settings
from gm.errors import Problem, Severity
from gm.model.calendar import SceneRef, parse_ref
from gm.model.ids import highest_number, parse_node_id
from gm.model.node import NODE_KEYS, NODE_TYPES, NodeError, node_record
from gm.model.scene import SUMMARY
from gm.store.check.lines import column_in_node, column_of, id_in, node_problem, read_node
from gm.store.check.places import Keys
from gm.store.document import Document
from gm.store.jsonl import Line, Scan, scan_lines
from gm.store.layout import Layout
from gm.store.text import Text, read_text

_TYPES = frozenset(NODE_TYPES)


@dataclass(slots=True)
class LineFile:
    """A file with one object a line.

    Attributes:
        shown: Path for problems.
        text: The file as it stands.
        scan: Its lines.
        problems: What reading it found.
    """

    shown: str
    text: Text
    scan: Scan
    problems: list[Problem]

    def at(self, line: Line, keys: Keys, severity: Severity, code: str, message: str, hint: str = "") -> Problem:
        """Make a problem that points at a value of a line."""
        return Problem(
            self.shown, line.number, column_of(self.scan.line(line.number), keys), severity, code, message, hint
        )


@dataclass
class StreamFile(LineFile):
    """A memory stream, or an archive of one.

    Attributes:
        agent: Whose it is.
        lines: Every line that is a memory, its record in the keys of the schema.
        odd: Those of them that are written in another way, as they stand.
        places: The same lines by id.
        lost: Ids that occur in lines that are left out.
        left_out: The numbers of those lines.
        refs: Every form of ``created`` that occurs, parsed.
    """

    agent: str
    lines: list[Line] = field(default_factory=list)
    odd: list[Line] = field(default_factory=list)
    places: dict[str, Line] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    left_out: list[int] = field(default_factory=list)
    refs: dict[str, SceneRef] = field(default_factory=dict)

    @cached_property
    def highest(self) -> int:
        """The highest number of an own id, that of lines left out included."""
        return highest_number(self.agent, (*self.lost, *self.places))

    @cached_property
    def tags(self) -> frozenset[str]:
        """Every tag that occurs."""
        return frozenset(chain.from_iterable(line.record["tags"] for line in self.lines))


@dataclass(slots=True)
class LogFile(LineFile):
    """The logbook of one day."""

    day: int

    @property
    def scenes(self) -> list[Line]:
        """The lines that are scenes."""
        return [line for line in self.scan.lines if line.record.get("type") != SUMMARY]


@dataclass(slots=True)
class Doc:
    """A JSON document with the path for problems."""

    shown: str
    document: Document
    exists: bool
    body: str

    @property
    def data(self) -> Mapping[str, Any]:
        """What it says; empty when it is absent or broken."""
        return self.document.data


@dataclass
class Files:
    """A whole world as the rules see it.

    Attributes:
        layout: Where everything is.
        settings: What ``gm.yaml`` says.
        names: Everybody who has a file.
        streams: Memory streams by agent; archives likewise.
        logs: Logbooks in the order of days.
        world: ``state/world.json``.
        bulletin: ``state/bulletin.json``.
        agents: Agent files.
        scene_types: Types that the prompts define.
    """

    layout: Layout
    settings: Settings
    names: tuple[str, ...]
    streams: Mapping[str, StreamFile]
    archives: Mapping[str, StreamFile]
    logs: Sequence[LogFile]
    world: Doc
    bulletin: Doc
    agents: Mapping[str, Doc]
    scene_types: frozenset[str] = frozenset()

    @cached_property
    def made(self) -> frozenset[str]:
        """Paths that artifact memories name."""
        paths = (
            line.record["metadata"].get("artifact_path")
            for stream in self.streams.values()
            for line in stream.lines
            if line.record["type"] == "artifact"
        )
        return frozenset(path for path in paths if isinstance(path, str))

    def node(self, identifier: str) -> Mapping[str, Any] | None:
        """Find a memory by its id, archives included."""
        owner = owner_of(identifier)
        for files in (self.streams, self.archives):
            stream = files.get(owner)
            if stream is not None and identifier in stream.places:
                return stream.places[identifier].record
        return None

    def is_lost(self, identifier: str) -> bool:
        """Tell whether an id stands in a line that is left out: it exists, and its own line has the error."""
        return any(identifier in stream.lost for files in (self.streams, self.archives) for stream in files.values())

    def was_used(self, identifier: str) -> bool:
        """Tell whether an id lies below the highest one of its agent, so that the memory was taken away later."""
        parsed = parse_node_id(identifier)
        if parsed is None:
            return False
        files = [found for found in (self.streams.get(parsed[0]), self.archives.get(parsed[0])) if found]
        return 0 < parsed[1] <= max((stream.highest for stream in files), default=0)

    @property
    def day(self) -> int | None:
        """The day of the clock; None when it cannot be told."""
        value = self.world.data.get("day")
        return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else None


def read_line_file(path: Path, shown: str) -> tuple[Text, Scan, list[Problem]]:
    """Read a file with one object a line."""
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    return text, scan, problems + scan.problems


def read_stream(path: Path, shown: str, agent: str) -> StreamFile:
    """Read a memory stream with the errors of its lines."""
    text, scan, problems = read_line_file(path, shown)
    stream = StreamFile(shown, text, scan, problems, agent)
    own = re.compile(re.escape(agent) + "-[0-9]{3,18}").fullmatch
    add, places, refs = stream.lines.append, stream.places, stream.refs
    for number, broken in scan.broken:
        stream.lost.add(id_in(broken))
        stream.left_out.append(number)
    for line in scan.lines:
        record = line.record
        # A line that is written as the schema says passes here; every other one is read the careful way, as in loading.
        if tuple(record) == NODE_KEYS:
            identifier, created, kind, depth, description, importance, tags, evidence, metadata = record.values()
            try:
                if (
                    type(importance) is int
                    and 1 <= importance <= 10
                    and kind in _TYPES
                    and type(depth) is int
                    and depth >= 0
                    and type(description) is str
                    and type(tags) is list
                    and type(evidence) is list
                    and type(metadata) is dict
                    and own(identifier)
                    and identifier not in places
                    and (created in refs or _note(created, refs))
                ):
                    "".join(tags)
                    "".join(evidence)
                    places[identifier] = line
                    add(line)
                    continue
            except TypeError:  # not texts
                pass
        _read_carefully(stream, line)
    return stream


def _read_carefully(stream: StreamFile, line: Line) -> None:
    """Read a line of another form than the schema's, or say why that cannot be done."""
    try:
        node = read_node(stream.agent, line, stream.places)
    except NodeError as error:
        stream.problems.append(node_problem(stream.shown, line.number, stream.scan.line(line.number), error))
        stream.left_out.append(line.number)
        stream.lost.add(str(line.record.get("id", "")))
        return
    _note(node.created, stream.refs)
    stream.odd.append(line)
    normal = Line(line.number, node_record(node))
    stream.lines.append(normal)
    stream.places[node.id] = normal


def each_line_file(files: Files) -> Iterator[LineFile]:
    """Give all files with one object a line."""
    yield from files.streams.values()
    yield from files.archives.values()
    yield from files.logs


def _note(created: str, refs: dict[str, SceneRef]) -> bool:
    ref = parse_ref(created)
    if ref is not None:
        refs[created] = ref
    return ref is not None


def owner_of(identifier: str) -> str:
    """Name the agent to whom a memory belongs, by its id."""
    return identifier.rpartition("-")[0]


class Often:
    """Names what occurs often and is legitimate once: at its first place, with how often it occurs.

    Args:
        file: Where it occurs.
    """

    def __init__(self, file: LineFile) -> None:
        self._file = file
        self._found: dict[object, Problem] = {}
        self._count: dict[object, int] = {}

    def add(
        self, what: object, line: Line, keys: Keys, severity: Severity, code: str, message: str, hint: str = ""
    ) -> None:
        """Take note of one occurrence; ``what`` tells which occurrences are the same."""
        self._count[what] = self._count.get(what, 0) + 1
        if what not in self._found:
            self._found[what] = self._file.at(line, keys, severity, code, message, hint)

    def problems(self) -> Iterator[Problem]:
        """Give one problem for each thing that occurred."""
        for what, problem in self._found.items():
            count = self._count[what]
            more = f" ({count} times in this file, first here)" if count > 1 else ""
            yield replace(problem, message=problem.message + more)
