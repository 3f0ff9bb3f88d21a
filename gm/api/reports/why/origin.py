"""Where a memory comes from: an answer, the Game Master, the user, a copy, …; what it rests on, and what cites it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any, NotRequired, TypedDict

from gm.api.answers.document import as_json
from gm.api.reports.why.questions import ModelCall, is_worded_in
from gm.base.casefold import casefold
from gm.files.commits.changes import read_day_entries
from gm.files.layout import Layout
from gm.files.story.logbook import read_log
from gm.files.streams.find import GIFTED, STREAM, SUMMARIES, Finder, FoundMemory
from gm.model.logged import LogEntry
from gm.model.node import ASKED, IMPORTED, TOOL, Node, node_from_record
from gm.scene.evening.dusk import is_of_dusk

MOST_NODES = 2000
_SCENE_KEYS = (
    "type",
    "time_of_day",
    "clock",
    "location",
    "moved_to",
    "participants",
    "why",
    "premise",
    "summary",
    "director",
    "score",
    "artifacts",
)
SENTENCES = {
    "reply": "It stands in an answer of {agent} in this scene.",
    "edited": "It stood in an answer of {agent} in this scene, and was changed by hand since.",
    "talk": "The Game Master put it together from what was said in this scene; {agent}'s lines are in its answer.",
    "game-master": "The Game Master wrote it, from what happened in this scene.",
    "dusk": "The Game Master wrote it when the scenes of the day were over, from what was left undone.",
    "asked": "{agent} was asked out of scene, and remembers it.",
    "copied": "It is a copy of {source}.",
    "gifted": "It was given before the first day, made from personas and settings (gm gift).",
    "seed": "It is a seed memory: written by hand, and dated before the first day (gm memory add, or an editor).",
    "hand": "It was added by hand: the scene's line in the logbook does not name it (gm memory add, or an editor).",
    "tool": "{agent} formed it through a memory tool.",
    "summary": "It stands for older memories, which lie in the archive.",
    "unknown": "The logbook says nothing about its scene.",
}
OF_ANOTHER_TOOL = "It was given before the first day, from another tool's file (gm import)."
OF_EVENING = "It stands in what {agent} wrote when the day was over."
"""The sentence for a reply out of a scene: a diary."""


def find_scene(layout: Layout, node: Node) -> dict[str, Any] | None:
    """Return the logbook line of a memory's scene, preferably the one that names it, or None.

    For one of the evening it is the line that closes the day.
    """
    when = node.when
    log = read_log(layout, when.day)
    lines = [
        (number, entry)
        for number, entry in zip(log.numbers, log.entries, strict=True)
        if (entry.ref == when if when.scene else entry.is_summary and _names(entry, node.id))
    ]
    if not lines:
        return None
    number, entry = next((line for line in lines if _names(line[1], node.id)), lines[0])
    record = entry.record
    described = {"created": node.created, "path": layout.shown(layout.day_log(when.day)), "line": number}
    described |= {key: record[key] for key in _SCENE_KEYS if key in record}
    listed = isinstance(record.get("memories"), list)
    return described | {"names_it": _names(entry, node.id) if listed else None}


def _names(entry: LogEntry, identifier: str) -> bool:
    return any(casefold(memory.id) == casefold(identifier) for memory in entry.memories)


def origin_of(
    found: FoundMemory, scene: Mapping[str, Any] | None, questions: Sequence[ModelCall], original: Node | None = None
) -> str:
    """Return the origin of a memory, as a key of ``SENTENCES``; ``original`` is the memory before an edit."""
    node = found.node
    if found.home == GIFTED or node.kind == GIFTED:
        return "gifted"
    if found.home == SUMMARIES:
        return "summary"
    if node.copied_from:
        return "copied"
    if node.source == TOOL:
        return "tool"
    if node.kind == ASKED and node.said:
        return "asked"
    if is_of_dusk(node):
        return "dusk"
    if scene is not None and scene["names_it"] is False:
        return "hand"
    if not node.when.day:
        return "seed"
    made = [item for item in questions if item.made_it]
    if made:
        if all(item.stood is not None for item in made):
            return "edited"
        if node.type != "conversation":
            return "reply"
        first = original or node
        if not any(is_worded_in(item.answer, first) for item in made):
            return "talk"
        return "reply" if first.description == node.description else "edited"
    if scene is not None:
        return "game-master"
    return "unknown"


def sentence_for(origin: str, found: FoundMemory) -> str:
    """Return the origin as a sentence."""
    if origin == "gifted" and found.node.kind == IMPORTED:
        return OF_ANOTHER_TOOL
    is_of_evening = origin == "reply" and not found.node.when.scene
    sentence = OF_EVENING if is_of_evening else SENTENCES[origin]
    return sentence.format(agent=found.agent, source=found.node.copied_from)


def original_node(layout: Layout, path: str, node: Node) -> Node | None:
    """Return a memory as the commit of its scene wrote it, before any edit; ``path`` is the stream inside the world.

    None if the user wrote it, or if the record of changes (local, may be deleted) does not have it.
    """
    for entry in read_day_entries(layout, node.when.day):
        for change in entry.files:
            if entry.moment == node.created and change.path == path and change.appends:
                for line in change.now.split(b"\n"):
                    with suppress(ValueError, RecursionError):  # RecordError is a ValueError
                        original = node_from_record(json.loads(line))
                        if casefold(original.id) == casefold(node.id):
                            return original
    return None


class CitedShown(TypedDict):
    """A cited memory."""

    id: str
    missing: NotRequired[Annotated[bool, "true where no memory has the id, in place of everything else"]]
    agent: NotRequired[Annotated[str, "whose memory it is"]]
    created: NotRequired[str]
    type: NotRequired[str]
    depth: NotRequired[int]
    importance: NotRequired[int]
    description: NotRequired[str]
    path: NotRequired[Annotated[str, "of the file with it"]]
    line: NotRequired[int]
    home: NotRequired[Annotated[str, "where it is, if not in the stream: archive, summaries or gifted"]]
    again: NotRequired[Annotated[bool, "already in the tree; here only named"]]
    cut: NotRequired[Annotated[bool, "its evidence did not fit"]]
    evidence: NotRequired[Annotated[list[Any], "what it rests on in turn, with the same keys"]]


@dataclass(frozen=True, slots=True)
class CitedMemory:
    """A cited memory.

    Attributes:
        again: Already in the tree; here only named.
        cut: Its evidence did not fit.
    """

    id: str
    found: FoundMemory | None
    again: bool = False
    cut: bool = False
    evidence: tuple[CitedMemory, ...] | None = None

    def record(self) -> CitedShown:
        """Return the memory as JSON data; one that is gone as ``missing``."""
        found = self.found
        if found is None:
            return {"id": self.id, "missing": True}
        node = found.node
        shown: CitedShown = {
            "id": node.id,
            "agent": found.agent,
            "created": node.created,
            "type": node.type,
            "depth": node.depth,
            "importance": node.importance,
            "description": node.description,
            "path": found.path,
            "line": found.line,
        }
        if found.home != STREAM:
            shown["home"] = found.home
        if self.again:
            shown["again"] = True
        if self.cut:
            shown["cut"] = True
        if self.evidence is not None:
            shown["evidence"] = as_json(self.evidence)
        return shown


def find_evidence(finder: Finder, node: Node, most: int = MOST_NODES) -> tuple[CitedMemory, ...]:
    """Return the evidence of a memory, recursively.

    A memory met again is only named (``again``). At most ``most`` are expanded; others have ``cut``.
    """
    return tuple(_walk_below(finder, node, {casefold(node.id)}, most))


def _walk_below(finder: Finder, node: Node, met: set[str], most: int) -> Iterator[CitedMemory]:
    for identifier in node.evidence:
        item = cite(finder, identifier)
        key = casefold(item.id)
        if item.found is None:
            yield item
        elif key in met:
            yield replace(item, again=True)
        elif len(met) >= most:
            yield replace(item, cut=True)
        else:
            met.add(key)
            yield replace(item, evidence=tuple(_walk_below(finder, item.found.node, met, most)))


def find_citing(finder: Finder, node: Node) -> tuple[tuple[CitedMemory, ...], tuple[CitedMemory, ...]]:
    """Return the memories that cite a node, and the copies of it."""
    citing, copies = [], []
    wanted = casefold(node.id)
    for found in finder.naming(node.id):
        if any(casefold(item) == wanted for item in found.node.evidence):
            citing.append(cited(found))
        if found.node.copied_from and casefold(found.node.copied_from) == wanted:
            copies.append(cited(found))
    return tuple(citing), tuple(copies)


def cite(finder: Finder, identifier: str) -> CitedMemory:
    """Return the memory with an id, if there is one."""
    found = finder.find(identifier)
    return cited(found[0]) if found else CitedMemory(identifier, None)


def cited(found: FoundMemory) -> CitedMemory:
    """Return a memory that was found."""
    return CitedMemory(found.node.id, found)


def edges(above: str, items: Sequence[CitedMemory]) -> Iterator[tuple[str, CitedMemory]]:
    """Yield pairs of a node id and its evidence, top down."""
    for item in items:
        yield above, item
        yield from edges(item.id, item.evidence or ())
