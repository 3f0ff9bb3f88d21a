"""The origin of a memory: an answer, the Game Master, the user, a copy, …"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from gm.api.why.evidence import copied_from
from gm.api.why.questions import Question
from gm.base.casefold import casefold
from gm.files.commits.changes import read_day_entries
from gm.files.layout import Layout
from gm.files.logbook import read_log, ref_of
from gm.files.streams.find import GIFTED, SUMMARIES, Found
from gm.model.node import Node, node_from_record

_SCENE_KEYS = (
    "type",
    "time_of_day",
    "location",
    "participants",
    "why",
    "premise",
    "summary",
    "director",
    "score",
    "artifacts",
)
ASKED = "asked"
SENTENCES = {
    "reply": "It stands in an answer of {agent} in this scene.",
    "edited": "It stood in an answer of {agent} in this scene, and somebody has changed it since.",
    "game-master": "The Game Master wrote it, from what happened in this scene.",
    "asked": "{agent} was asked out of scene, and remembers it.",
    "copied": "It is a copy of {source}.",
    "gifted": "It was given before the first day, made from personas and settings (gm gift).",
    "hand": "It was added by hand: the scene's line in the logbook does not name it (gm memory add, or an editor).",
    "tool": "{agent} formed it through a memory tool.",
    "summary": "It stands for older memories, which lie in the archive.",
    "unknown": "The logbook says nothing about its scene.",
}


def find_scene(layout: Layout, node: Node) -> dict[str, Any] | None:
    """Return the logbook line of a memory's scene, preferably the one that names it, or None."""
    when = node.when
    if not when.scene:
        return None
    log = read_log(layout, when.day)
    lines = [
        (number, entry.record) for number, entry in zip(log.numbers, log.entries, strict=True) if ref_of(entry) == when
    ]
    if not lines:
        return None
    number, record = next((line for line in lines if names_memory(line[1], node.id)), lines[0])
    described = {"created": node.created, "path": layout.shown(layout.day_log(when.day)), "line": number}
    described |= {key: record[key] for key in _SCENE_KEYS if key in record}
    listed = isinstance(record.get("memories"), list)
    return described | {"names_it": names_memory(record, node.id) if listed else None}


def names_memory(record: Mapping[str, Any], identifier: str) -> bool:
    """Return whether a logbook line lists a node."""
    listed = record.get("memories")
    ids = [item.get("id") if isinstance(item, dict) else item for item in listed] if isinstance(listed, list) else []
    return any(isinstance(item, str) and casefold(item) == casefold(identifier) for item in ids)


def origin_of(found: Found, scene: Mapping[str, Any] | None, questions: Sequence[Question]) -> str:
    """Return the origin of a memory, as a key of ``SENTENCES``."""
    node = found.node
    if found.home == GIFTED or node.metadata.get("kind") == GIFTED:
        return "gifted"
    if found.home == SUMMARIES:
        return "summary"
    if copied_from(node):
        return "copied"
    if node.metadata.get("source") == "tool":
        return "tool"
    if node.metadata.get("kind") == ASKED and "exchange" in node.metadata:
        return "asked"
    if scene is not None and scene["names_it"] is False:
        return "hand"
    made = [item for item in questions if item.made_it]
    if made:
        return "reply" if any(item.stood is None for item in made) else "edited"
    if scene is not None:
        return "game-master"
    return "unknown"


def sentence_for(origin: str, found: Found) -> str:
    """Return the origin as a sentence."""
    return SENTENCES[origin].format(agent=found.agent, source=copied_from(found.node))


def original_node(layout: Layout, path: str, node: Node) -> Node | None:
    """Return a memory as the commit of its scene wrote it, before any edit; ``path`` is the stream inside the world.

    None if the user wrote it, or if the record of changes (local, may be deleted) does not have it.
    """
    for entry in read_day_entries(layout, node.when.day):
        for change in entry.files:
            if entry.moment == node.created and change.path == path and change.appends:
                for line in change.now.split(b"\n"):
                    with suppress(ValueError, RecursionError):  # RecordError is a ValueError
                        born = node_from_record(json.loads(line))
                        if casefold(born.id) == casefold(node.id):
                            return born
    return None
