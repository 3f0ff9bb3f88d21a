"""The input of the rules: all streams, archives, logbooks and documents of a world, read once."""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from gm.base.config import Settings, kinds
from gm.base.errors import Problem, Severity, say
from gm.files.check.facts import MemoryFacts, MemoryTable
from gm.files.check.text import TextForm
from gm.files.formats.document import Document
from gm.files.formats.jsonl import JsonLine, Scan
from gm.files.formats.lineblocks import LineBlocks
from gm.files.formats.places import Keys, json_place
from gm.files.formats.text import Text
from gm.files.layout import Layout
from gm.files.reading import NumberedLine, column_in_node, column_of
from gm.model.ids import agent_of, highest_number, parse_node_id
from gm.model.node import METADATA, NODE_KEYS, node_from_record, node_record
from gm.model.scene import SUMMARY

PLAIN_TAG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
CITING = ("plan", "artifact")
"""Types of memories that need no evidence, and may have it."""
_PLAIN_TYPES = (str, str, str, int, str, int, list, list, dict)


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

    @property
    def form(self) -> TextForm:
        return TextForm.of(self.text)

    @property
    def blank(self) -> list[int]:
        """Numbers of blank lines."""
        return self.scan.blank

    def at(
        self, line: NumberedLine, keys: Keys, severity: Severity, code: str, message: str, hint: str = ""
    ) -> Problem:
        """Return a problem at a value of a line, or at the line where it has no such value."""
        column = column_of(self.scan.line(line.number), keys)
        return Problem(self.shown, line.number, column, severity, code, message, hint)


class Suspect(NamedTuple):
    """A memory with possibly wrong tags, evidence, depth or artifact, or written differently from the schema.

    Attributes:
        record: Has the schema's keys.
        written: The object of the line.
    """

    number: int
    record: dict[str, Any]
    written: dict[str, Any]


@dataclass
class StreamFile:
    """A memory stream or an archive. Its lines are not kept, but read again where rules ask for them: see ``streams``.

    Attributes:
        problems: Those found while reading.
        blank: Numbers of blank lines.
        constants: Numbers of lines with NaN or Infinity, which are not JSON.
        is_composed: Whether its text is composed Unicode (NFC).
        lost: Ids in skipped lines.
        left_out: Numbers of skipped lines.
        tags: All tags of its memories.
        suspected: Numbers of lines about which ``SUSPECT_RULES`` may have something to say.
        citing: Numbers of lines of memories with evidence, for each type of ``CITING``.
        pinned: Numbers of lines of pinned memories.
        stands_for: What ``metadata.replaces`` says, the memories that a summary stands for, by its id.
        sources: Line and value of each ``metadata.copied_from``.
        made: Paths in artifact memories.
        forms: Keys and types of metadata that fit.
    """

    shown: str
    agent: str
    lines: LineBlocks
    nodes: MemoryTable
    form: TextForm = field(default_factory=TextForm)
    problems: list[Problem] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    constants: list[int] = field(default_factory=list)
    is_composed: bool = True
    lost: set[str] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    suspected: array[int] = field(default_factory=partial(array, "Q"))
    citing: dict[str, array[int]] = field(default_factory=lambda: {kind: array("Q") for kind in CITING})
    pinned: list[int] = field(default_factory=list)
    stands_for: dict[str, object] = field(default_factory=dict)
    sources: list[tuple[int, str]] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    forms: set[object] = field(default_factory=set)

    def at(
        self, line: NumberedLine, keys: Keys, severity: Severity, code: str, message: str, hint: str = ""
    ) -> Problem:
        """Return a problem as ``LineFile.at`` does."""
        column = column_in_node(self.lines.line(line.number), keys)
        return Problem(self.shown, line.number, column, severity, code, message, hint)

    def fits(self, metadata: Mapping[str, object]) -> bool:
        """Return whether metadata are as declared, which depends on their types alone, except for a tier."""
        form = (*metadata, *map(type, metadata.values()))
        if form not in self.forms or "tier" in metadata:
            if not METADATA.fits(metadata):
                return False
            self.forms.add(form)
        return True

    @cached_property
    def highest(self) -> int:
        """Highest number among own ids, skipped lines included."""
        return max(self.nodes.highest, highest_number(self.agent, self.lost))

    @cached_property
    def special_tags(self) -> frozenset[str]:
        """Tags that are more than lower-case letters, digits and hyphens, or the owner's id."""
        return frozenset(tag for tag in self.tags if not PLAIN_TAG.fullmatch(tag) or tag == self.agent)

    def suspects(self) -> Iterator[Suspect]:
        """Decode the suspected lines once more."""
        for number in self.suspected:
            written = json.loads(self.lines.line(number))
            yield Suspect(number, written if _is_plain(written) else node_record(node_from_record(written)), written)

    def again(self, numbers: Iterable[int] | None = None) -> Iterator[JsonLine]:
        """Decode lines once more; None = of all memories."""
        for number in self.nodes.lines if numbers is None else numbers:
            yield JsonLine(number, json.loads(self.lines.line(number)))


def _is_plain(record: dict[str, Any]) -> bool:
    """Return whether a memory is written as the schema says: ``node_record`` would return it unchanged."""
    return tuple(record) == NODE_KEYS and tuple(map(type, record.values())) == _PLAIN_TYPES


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
        lost: Characters whose memories are gone, as was reported.
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
    lost: frozenset[str] = frozenset()

    @cached_property
    def made(self) -> frozenset[str]:
        """Paths in artifact memories."""
        return frozenset().union(*(stream.made for stream in self.streams.values()))

    def node(self, identifier: str) -> MemoryFacts | None:
        """Find a memory in the stream, the summaries or the archive of its owner; None if there is none."""
        owner = agent_of(identifier)
        for files in (self.streams, self.summaries, self.archives):
            if (stream := files.get(owner)) is not None and (found := stream.nodes.get(identifier)):
                return found
        return None

    def is_lost(self, identifier: str) -> bool:
        """Return whether an id is in a skipped line or a lost stream, so that only that is reported."""
        if agent_of(identifier) in self.lost:
            return True
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


def each_line_file(files: Files) -> Iterator[LineFile | StreamFile]:
    """Yield all files with one object a line."""
    yield from files.streams.values()
    yield from files.archives.values()
    yield from files.summaries.values()
    yield from files.logs
    if files.threads is not None:
        yield files.threads


SuspectRule = Callable[[Suspect, StreamFile, Files, "FrequentProblems"], Iterator[Problem]]


def check_suspects(stream: StreamFile, files: Files, rules: Sequence[SuspectRule]) -> Iterator[Problem]:
    """Apply rules to the suspected lines, each of which is decoded once for all of them."""
    often = FrequentProblems(stream)
    for line in stream.suspects():
        for rule in rules:
            yield from rule(line, stream, files, often)
    yield from often.problems()


def say_times(message: str, count: int) -> str:
    """Return a message with how often it applies in its file."""
    return say("{part} ({count} times in this file, first here)", message, count) if count > 1 else message


class FrequentProblems:
    """Reports frequent legitimate findings once a file: at the first place, with their number."""

    def __init__(self, file: LineFile | StreamFile, severity: Severity = "info") -> None:
        self._file, self._severity = file, severity
        self._found: dict[object, Problem] = {}
        self._count: dict[object, int] = {}

    def add(self, what: object, line: NumberedLine, keys: Keys, code: str, message: str, hint: str = "") -> None:
        """Count a finding; the first place of each ``what`` is reported."""
        self._count[what] = self._count.get(what, 0) + 1
        if what not in self._found:
            self._found[what] = self._file.at(line, keys, self._severity, code, message, hint)

    def problems(self) -> Iterator[Problem]:
        """Yield one problem for each ``what``, with its number."""
        for what, problem in self._found.items():
            yield replace(problem, message=say_times(problem.message, self._count[what]))
