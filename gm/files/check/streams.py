"""Read a memory stream in one pass, keeping only the lines that rules may have to report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gm.base.config.kinds import BEYOND
from gm.files.check.files import MemoryFacts, StreamFile
from gm.files.formats.jsonl import JsonLine, Scan, each_line
from gm.files.formats.text import Text, read_text
from gm.files.reading.lines import id_in, read_node
from gm.files.reading.records import record_problem
from gm.memory.care import SUMMARY_KIND
from gm.model.calendar import SceneRef, parse_ref
from gm.model.node import NODE_KEYS, NODE_TYPES, is_beside, node_record
from gm.model.record import RecordError
from gm.scene.evening.dusk import UNDONE

PLAIN_TAG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TYPES = frozenset(NODE_TYPES)
_USUAL = (int, str, int, list, list, dict)
"""Types of depth, description, importance, tags, evidence and metadata."""
_new = tuple.__new__  # twice as fast as calling the named tuple


def read_stream(path: Path, shown: str, agent: str, refs: dict[str, SceneRef] | None = None) -> StreamFile:
    """Read a memory stream with the errors of its lines."""
    refs = {} if refs is None else refs
    text, problems = read_text(path, shown)
    stream = _read_text(text, shown, agent, refs)
    for number, broken in stream.scan.broken:
        stream.lost.add(id_in(broken))
        stream.left_out.append(number)
    stream.problems.extend(problems)
    return stream


def _read_text(text: Text, shown: str, agent: str, refs: dict[str, SceneRef]) -> StreamFile:
    scan = Scan(text.body)
    stream = StreamFile(shown, text, scan, agent, refs)
    own, start = re.compile(re.escape(agent) + "-[0-9]{3,18}").fullmatch, len(agent) + 1
    nodes, plain = stream.nodes, set[str]()
    highest, following, latest = 0, f"{agent}-001", ""
    for line in each_line(scan, shown):
        record, usual = line.record, False
        # Fast path for lines in the schema's form; all others are read as in loading.
        if tuple(record) == NODE_KEYS:
            identifier, created, kind, depth, description, importance, tags, evidence, metadata = record.values()
            try:
                usual = (
                    (type(depth), type(description), type(importance), type(tags), type(evidence), type(metadata))
                    == _USUAL
                    and 1 <= importance <= 10
                    and 0 <= depth < BEYOND
                    and kind in _TYPES
                    and (identifier == following or (own(identifier) is not None and identifier not in nodes))
                    and (created == latest or created in refs or _note_created(created, stream))
                )
                distinct = set(tags)
                fresh = not distinct <= plain
                if fresh:
                    "".join(tags)
                if evidence:
                    "".join(evidence)
            except TypeError:  # not texts
                usual = False
        if usual:
            suspect = kind == "artifact" or len(distinct) != len(tags)
        else:
            if (normal := _read_carefully(stream, line)) is None:
                continue
            line = normal
            identifier, created, kind, depth, description, importance, tags, evidence, metadata = line.record.values()
            distinct, fresh, suspect = set(tags), True, True
        if fresh:
            stream.tags |= distinct
            plain |= {tag for tag in distinct if tag != agent and PLAIN_TAG.fullmatch(tag)}
            suspect = suspect or not distinct <= plain
        if evidence or depth or kind == "reflection":
            suspect = suspect or _may_be_wrong(kind, depth, evidence, nodes)
        if suspect:
            stream.suspects.append(line)
        if identifier == following:
            highest += 1
        else:
            highest = _note_jump(stream, identifier, int(identifier[start:]), highest)
        following = f"{agent}-{highest + 1}" if highest > 98 else f"{agent}-{highest + 1:03d}"  # a width is slower
        begins = created != latest  # share one string for a scene
        node = nodes[identifier] = _new(
            MemoryFacts, (line.number, created if begins else latest, kind, depth, importance)
        )
        if begins:
            stream.turns.append(node)
            latest = created
        if metadata:
            _note_metadata(stream, line.number, identifier, created, metadata)
    return stream


def _note_jump(stream: StreamFile, identifier: str, number: int, highest: int) -> int:
    if number != highest + 1:
        stream.jumps.append((identifier, number, highest))
    return max(highest, number)


def _note_metadata(stream: StreamFile, number: int, identifier: str, created: str, metadata: dict[str, Any]) -> None:
    if is_beside(metadata) or metadata.get("kind") == SUMMARY_KIND:
        stream.copies.add(identifier)
    if metadata.get("kind") in UNDONE:
        stream.undone.add(identifier)
    if metadata.get("copied_from") is not None:
        stream.sources.append((number, metadata["copied_from"], created))
    if "tier" in metadata:
        stream.tiers[identifier] = metadata["tier"]
    if "replaces" in metadata and "artifact_path" not in metadata:  # a piece names the one it replaces by its path
        stream.stands_for[identifier] = metadata["replaces"]


def _may_be_wrong(kind: str, depth: int, evidence: list[str], nodes: dict[str, MemoryFacts]) -> bool:
    layer = 0
    for identifier in evidence:
        there = nodes.get(identifier)
        if there is None:
            return True
        if there[3] > layer:  # depth, by index and without max: twice as fast
            layer = there[3]
    if len(evidence) > 1 and len(set(evidence)) != len(evidence):
        return True
    if kind == "reflection":
        return not evidence or depth != layer + 1
    return depth != 0 or kind == "plan"


def _read_carefully(stream: StreamFile, line: JsonLine) -> JsonLine | None:
    try:
        node = read_node(stream.agent, line, stream.nodes)
    except RecordError as error:
        stream.problems.append(record_problem(stream.shown, line.number, stream.scan.line(line.number), error))
        stream.left_out.append(line.number)
        stream.lost.add(str(line.record.get("id", "")))
        return None
    _note_created(node.created, stream)
    stream.odd.append(line)
    return JsonLine(line.number, node_record(node))


def _note_created(created: str, stream: StreamFile) -> bool:
    ref = parse_ref(created)
    if ref is not None:
        stream.refs[created] = ref
    return ref is not None
