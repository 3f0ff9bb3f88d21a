"""Read a memory stream in one pass, keeping facts in columns and the numbers of lines that rules may have to report."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gm.base.config.kinds import BEYOND
from gm.files.check.facts import BESIDE, KINDS, LEFT_UNDONE, OTHER, OUT_OF_SCENE, MemoryTable, Moments
from gm.files.check.files import CITING, PLAIN_TAG, StreamFile
from gm.files.check.text import is_composed
from gm.files.formats.jsonl import JsonLine, Scan, each_line
from gm.files.formats.lineblocks import LineBlocks
from gm.files.formats.text import undecodable, unreadable
from gm.files.reading import id_in, read_node, record_problem
from gm.memory.care import PINNED
from gm.model.node import ASKED, NODE_KEYS, SUMMARY_KIND, is_beside, node_record
from gm.model.record import RecordError
from gm.scene.evening.dusk import UNDONE

_USUAL = (int, str, int, list, list, dict)
"""Types of depth, description, importance, tags, evidence and metadata."""
_RECENT = 4096
"""Number of memories whose depths are at hand: most evidence is not older."""


def read_stream(path: Path, shown: str, agent: str, moments: Moments | None = None) -> StreamFile:
    """Read a memory stream with the errors of its lines; one that cannot be read has no memories."""
    lines = LineBlocks(path, shown)
    stream = StreamFile(shown, agent, lines, MemoryTable(agent))
    try:
        _read_blocks(stream, Moments() if moments is None else moments)
    except FileNotFoundError:
        return stream
    except OSError as error:
        problem = unreadable(error, shown)
    except UnicodeDecodeError as error:
        problem = undecodable(error, shown)
        problem = replace(problem, line=problem.line + lines.count)
    else:
        return stream
    return StreamFile(shown, agent, lines, MemoryTable(agent), problems=[problem])


def _read_blocks(stream: StreamFile, moments: Moments) -> None:
    plain, depths = set[str](), dict[str, int]()
    for before, text in stream.lines.read():
        scan = Scan(text, before=before)
        if len(depths) > _RECENT:
            depths.clear()
        _read_block(stream, scan, moments, plain, depths)
        for number, broken in scan.broken:
            stream.lost.add(id_in(broken))
            stream.left_out.add(number)
        stream.problems += scan.problems
        stream.blank += scan.blank
        stream.constants += scan.constants
        stream.form.add(text)
        stream.is_composed = stream.is_composed and is_composed(text)
    stream.form.has_mark = stream.lines.has_mark


def _usual_form(nodes: MemoryTable, agent: str, moments: Moments) -> Callable[[Mapping[str, Any]], bool]:
    """Return the function that says whether a line with the nine keys needs no closer look."""
    own = re.compile(re.escape(agent) + "-[0-9]{3,18}").fullmatch

    def is_usual(record: Mapping[str, Any]) -> bool:
        identifier, created, kind, depth, description, importance, tags, evidence, metadata = record.values()
        types = (type(depth), type(description), type(importance), type(tags), type(evidence), type(metadata))
        try:
            "".join(tags)
            "".join(evidence)
            return (
                types == _USUAL
                and 1 <= importance <= 10
                and 0 <= depth < BEYOND
                and kind in KINDS
                and (identifier == nodes.following or (own(identifier) is not None and identifier not in nodes))
                and moments[created] is not None
            )
        except TypeError:  # not texts
            return False

    return is_usual


def _read_block(stream: StreamFile, scan: Scan, moments: Moments, plain: set[str], recent: dict[str, int]) -> None:
    """Read a part of a stream; ``plain`` tags and ``recent`` depths are those of the lines before."""
    shown, agent, nodes = stream.shown, stream.agent, stream.nodes
    is_usual, start = _usual_form(nodes, agent, moments), len(agent) + 1
    latest = nodes.created(len(nodes) - 1) if nodes else ""
    moment = nodes.moments[-1] if nodes else OTHER
    keep_line, keep_moment, keep_kind = nodes.lines.append, nodes.moments.append, nodes.kinds.append
    keep_depth, keep_importance, keep_mark = nodes.depths.append, nodes.importances.append, nodes.marks.append

    for line in each_line(scan, shown):
        usual = tuple(line.record) == NODE_KEYS and is_usual(line.record)
        record = line.record if usual else _read_carefully(stream, scan, line)
        if record is None:
            continue
        identifier, created, kind, depth, _description, importance, tags, evidence, metadata = record.values()
        distinct = set(tags)
        suspect = not usual or kind == "artifact" or len(distinct) != len(tags)
        if not distinct <= plain:
            stream.tags |= distinct
            plain |= {tag for tag in distinct if tag != agent and PLAIN_TAG.fullmatch(tag)}
            suspect = suspect or not distinct <= plain
        if evidence and kind in CITING:
            stream.citing[kind].append(line.number)
        if evidence or depth or kind == "reflection":
            suspect = suspect or _may_be_wrong(kind, depth, evidence, recent, nodes)
        if suspect or (metadata and not stream.fits(metadata)):
            stream.suspected.append(line.number)
        if identifier == nodes.following:
            nodes.follow()
        else:
            nodes.jump(identifier, int(identifier[start:]))
        recent[identifier] = depth
        if created != latest:
            latest, found = created, moments[created]
            moment = OTHER if found is None else found
        if moment == OTHER:
            nodes.note_created(created)
        keep_line(line.number)
        keep_moment(moment)
        keep_kind(KINDS[kind])
        keep_depth(depth)
        keep_importance(importance)
        keep_mark(_note_metadata(stream, line.number, identifier, kind, metadata) if metadata else 0)


def _note_metadata(stream: StreamFile, number: int, identifier: str, kind: str, metadata: Mapping[str, Any]) -> int:
    """Return the marks of a memory."""
    if isinstance(source := metadata.get("copied_from"), str):
        stream.sources.append((number, source))
    if metadata.get("tier") == PINNED:
        stream.pinned.append(number)
    if "replaces" in metadata and "artifact_path" not in metadata:  # a piece names the one it replaces by its path
        stream.stands_for[identifier] = metadata["replaces"]
    if kind == "artifact" and isinstance(path := metadata.get("artifact_path"), str):
        stream.made.add(path)
    of = metadata.get("kind")
    return BESIDE * is_not_lived(metadata) | LEFT_UNDONE * (of in UNDONE) | OUT_OF_SCENE * (of == ASKED)


def is_not_lived(metadata: Mapping[str, Any]) -> bool:
    """Return whether a memory does not count for reflections: a copy, a single utterance, a summary."""
    return is_beside(metadata) or metadata.get("kind") == SUMMARY_KIND


def _may_be_wrong(kind: str, depth: int, evidence: list[str], recent: dict[str, int], nodes: MemoryTable) -> bool:
    layer = 0
    for identifier in evidence:
        there = recent.get(identifier)
        if there is None:
            if (row := nodes.row(identifier)) < 0:
                return True
            there = nodes.depths[row]
        if there > layer:  # without max: twice as fast
            layer = there
    if len(evidence) > 1 and len(set(evidence)) != len(evidence):
        return True
    if kind == "reflection":
        return not evidence or depth != layer + 1
    return depth != 0


def _read_carefully(stream: StreamFile, scan: Scan, line: JsonLine) -> dict[str, Any] | None:
    try:
        return node_record(read_node(stream.agent, line, stream.nodes))
    except RecordError as error:
        stream.problems.append(record_problem(stream.shown, line.number, scan.line(line.number), error))
        stream.left_out.add(line.number)
        stream.lost.add(str(line.record.get("id", "")))
        return None
