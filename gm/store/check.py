"""Rules for the files of a world. Each rule is a small function over one stream or document; all problems come at once.

Errors are what cannot be read unambiguously, warnings what is off the schema, infos legitimate variety (DESIGN 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gm.errors import Problem, Severity
from gm.model.calendar import parse_ref
from gm.model.ids import parse_node_id
from gm.model.node import NODE_KEYS, NODE_TYPES, Node, node_from_record
from gm.store.jsonl import Line, read_lines
from gm.store.layout import Layout


@dataclass(frozen=True, slots=True)
class Entry:
    """One readable line of a stream: the line and the node in it."""

    line: Line
    node: Node


@dataclass(frozen=True, slots=True)
class StreamFile:
    """One memory stream with its lines."""

    agent: str
    shown: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """What rules need to know about everybody.

    Attributes:
        depths: Depth of every node by id, archives included.
        files: Tells whether a path inside the world exists.
    """

    agents: frozenset[str]
    depths: Mapping[str, int] = field(default_factory=dict)
    files: Callable[[str], bool] = bool


Rule = Callable[[StreamFile, Cast], Iterator[Problem]]


def read_stream(layout: Layout, agent: str) -> StreamFile:
    """Read a stream with its lines; what cannot be read is reported by loading, not here."""
    path = layout.stream(agent)
    lines, _ = read_lines(path, layout.shown(path))
    entries = []
    for line in lines:
        try:
            entries.append(Entry(line, node_from_record(line.record)))
        except ValueError:
            continue
    return StreamFile(agent, layout.shown(path), tuple(entries))


def check_stream(stream: StreamFile, cast: Cast) -> list[Problem]:
    """Hold a stream against all rules."""
    return [problem for rule in RULES for problem in rule(stream, cast)]


def _problem(stream: StreamFile, entry: Entry, severity: Severity, code: str, message: str, hint: str = "") -> Problem:
    return Problem(stream.shown, entry.line.number, 1, severity, code, message, hint)


def ids(stream: StreamFile, cast: Cast) -> Iterator[Problem]:  # noqa: ARG001
    """Ids have the form ``agent-NNN``, belong to the stream's agent, and occur once."""
    seen: dict[str, int] = {}
    for entry in stream.entries:
        node = entry.node
        parsed = parse_node_id(node.id)
        if parsed is None:
            yield _problem(stream, entry, "error", "id-form", f"id {node.id!r}, expected {stream.agent}-001 or alike")
        elif parsed[0] != stream.agent:
            yield _problem(
                stream,
                entry,
                "error",
                "id-agent",
                f"id {node.id!r} belongs to another agent than {stream.agent}",
            )
        if node.id in seen:
            first = seen[node.id]
            yield _problem(stream, entry, "error", "id-double", f"id {node.id!r} was used in line {first} already")
        seen.setdefault(node.id, entry.line.number)


def shape(stream: StreamFile, cast: Cast) -> Iterator[Problem]:  # noqa: ARG001
    """Nodes have the nine keys; the older shape is fine to read."""
    for entry in stream.entries:
        record = entry.line.record
        if "content" in record and "description" not in record:
            yield _problem(stream, entry, "info", "node-older", "this memory has the older shape; it is read as it is")
            continue
        missing = [key for key in NODE_KEYS if key not in record]
        if missing:
            yield _problem(stream, entry, "warning", "node-keys", f"{', '.join(missing)} missing; read as empty")
        extra = [key for key in record if key not in NODE_KEYS]
        if extra:
            yield _problem(stream, entry, "info", "node-extra", f"keys of your own: {', '.join(map(str, extra))}; kept")


def created(stream: StreamFile, cast: Cast) -> Iterator[Problem]:  # noqa: ARG001
    """``created`` names a scene, and never goes back in time."""
    latest = None
    for entry in stream.entries:
        ref = parse_ref(entry.node.created)
        if ref is None:
            message = f"created is {entry.node.created!r}, expected day-003/scene-04"
            yield _problem(stream, entry, "warning", "created-form", message)
            continue
        if latest and ref < latest:
            yield _problem(stream, entry, "warning", "created-order", f"{ref} stands after {latest}")
        latest = max(latest, ref) if latest else ref


def kinds(stream: StreamFile, cast: Cast) -> Iterator[Problem]:  # noqa: ARG001
    """Types are the five of the schema."""
    for entry in stream.entries:
        if entry.node.type not in NODE_TYPES:
            message = f"type {entry.node.type!r}, expected one of {', '.join(NODE_TYPES)}"
            yield _problem(stream, entry, "warning", "type-unknown", message, "put a finer kind into metadata.kind")


def evidence(stream: StreamFile, cast: Cast) -> Iterator[Problem]:
    """Evidence exists and came before; reflections have some."""
    places = {entry.node.id: place for place, entry in enumerate(stream.entries)}
    for place, entry in enumerate(stream.entries):
        node = entry.node
        if node.type == "reflection" and not node.evidence:
            yield _problem(stream, entry, "info", "reflection-bare", "a reflection without evidence")
        for cited in node.evidence:
            if cited not in cast.depths:
                yield _problem(stream, entry, "warning", "evidence-missing", f"evidence {cited!r} does not exist")
            elif places.get(cited, -1) >= place:
                yield _problem(stream, entry, "warning", "evidence-later", f"evidence {cited!r} came later")


def depth(stream: StreamFile, cast: Cast) -> Iterator[Problem]:
    """A reflection lies one above its deepest evidence; everything else lies at 0."""
    for entry in stream.entries:
        node = entry.node
        known = [cast.depths[cited] for cited in node.evidence if cited in cast.depths]
        expected = max(known, default=0) + 1 if node.type == "reflection" else 0
        if node.depth != expected and len(known) == len(node.evidence):
            message = f"depth {node.depth} of a {node.type}, expected {expected}"
            yield _problem(stream, entry, "info", "depth-rule", message)


def tags(stream: StreamFile, cast: Cast) -> Iterator[Problem]:  # noqa: ARG001
    """A tag occurs once in a node."""
    for entry in stream.entries:
        double = {tag for tag in entry.node.tags if entry.node.tags.count(tag) > 1}
        if double:
            yield _problem(stream, entry, "warning", "tag-double", f"tags twice: {', '.join(sorted(double))}")


def artifacts(stream: StreamFile, cast: Cast) -> Iterator[Problem]:
    """An artifact names its file, and the file exists."""
    for entry in stream.entries:
        node = entry.node
        if node.type != "artifact":
            continue
        path = node.metadata.get("artifact_path")
        if not isinstance(path, str):
            yield _problem(stream, entry, "info", "artifact-bare", "an artifact without metadata.artifact_path")
        elif not cast.files(path):
            yield _problem(stream, entry, "warning", "artifact-missing", f"{path} does not exist")


RULES: tuple[Rule, ...] = (ids, shape, created, kinds, evidence, depth, tags, artifacts)


def check_log(
    shown: str, lines: Iterable[Line], cast: Cast, times: Iterable[str], types: Iterable[str]
) -> Iterator[Problem]:
    """Hold a logbook against the rules: scenes in order, known words, known people, memories that exist."""
    known_times, known_types = set(times), set(types)
    last = 0
    for line in lines:
        record = line.record

        def problem(severity: Severity, code: str, message: str, number: int = line.number) -> Problem:
            return Problem(shown, number, 1, severity, code, message)

        if record.get("type") == "SUMMARY":
            continue
        number = record.get("scene")
        if not isinstance(number, int):
            yield problem("warning", "scene-number", f"scene is {number!r}, expected its number within the day")
        elif number <= last:
            yield problem("warning", "scene-order", f"scene {number} stands after scene {last}")
        last = number if isinstance(number, int) else last
        if record.get("type") not in known_types:
            yield problem("info", "scene-type", f"scene type {record.get('type')!r}")
        if record.get("time_of_day") not in known_times:
            yield problem("info", "scene-time", f"time of day {record.get('time_of_day')!r}")
        for name in record.get("participants") or ():
            if name not in cast.agents:
                yield problem("info", "participant", f"{name!r} takes part and is no agent")
        for item in record.get("memories") or ():
            identifier = item.get("id") if isinstance(item, dict) else item
            if identifier not in cast.depths:
                yield problem("warning", "memory-missing", f"memory {identifier!r} does not exist")
