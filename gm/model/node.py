"""A memory node: one line of a memory stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.ids import parse_node_id

NODE_KEYS = (
    "id",
    "created",
    "type",
    "depth",
    "description",
    "importance",
    "tags",
    "evidence",
    "metadata",
)
BEYOND = 10**18  # no number in a line of a stream is as large as this
NORMAL = "normal"
TIERS = ("pinned", "critical", "important", NORMAL, "low")  # metadata.tier, S2-17
NODE_TYPES = ("observation", "reflection", "plan", "artifact", "conversation")


@dataclass(frozen=True, slots=True)
class Node:
    """One memory (document 004).

    Attributes:
        id: ``<agent>-<NNN>``.
        created: ``day-003/scene-04``, as written in the file.
        type: observation, reflection, plan, artifact or conversation.
        depth: 0 = lived, 1 and more = layers of reflection.
        description: What is remembered, in the world's language.
        importance: 1 (routine) to 10 (pivotal).
        tags: Key words.
        evidence: Ids of the nodes this one rests on; may name another agent's.
        metadata: Anything else.
    """

    id: str
    created: str
    type: str
    depth: int
    description: str
    importance: int
    tags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def when(self) -> SceneRef:
        """Point in story time; the beginning of time when ``created`` has an unknown form."""
        return parse_ref(self.created) or SceneRef(0)

    @property
    def tier(self) -> str:
        """How much it is held on to, whatever its importance: one of ``TIERS``; normal when nobody has said."""
        tier = self.metadata.get("tier")
        return tier if tier in TIERS else NORMAL


def is_beside(metadata: Mapping[str, Any]) -> bool:
    """Tell whether a memory is kept beside what its owner lived through: another's, copied, or a single utterance.

    Such a memory is found when it is looked for. It is in no window, in no reflection and in no accumulator.
    """
    return "copied_from" in metadata or is_utterance(metadata)


def is_utterance(metadata: Mapping[str, Any]) -> bool:
    """Tell whether a memory is the record of a single utterance (``capture.dialogue``)."""
    return metadata.get("kind") == "dialogue" and "speaker" in metadata and "turn" in metadata


def node_record(node: Node) -> dict[str, Any]:
    """Put a node into the keys and the order of the file format."""
    return {
        "id": node.id,
        "created": node.created,
        "type": node.type,
        "depth": node.depth,
        "description": node.description,
        "importance": node.importance,
        "tags": list(node.tags),
        "evidence": list(node.evidence),
        "metadata": dict(node.metadata),
    }


def render_node(node: Node) -> str:
    """Write a node as its line, without the line end."""
    return json.dumps(node_record(node), ensure_ascii=False)


class NodeError(ValueError):
    """A value of a line that cannot be read as a memory.

    Attributes:
        key: Which key of the line.
        index: Which item of its list, from 0; None when the value as a whole is meant.
        code: Stable code of the problem.
        message: What was found and what was expected; begins with the key.
        hint: What to do about it.
        missing: Whether the key is not there at all.
    """

    def __init__(
        self, key: str, code: str, message: str, hint: str = "", *, index: int | None = None, missing: bool = False
    ) -> None:
        super().__init__(message)
        self.key = key
        self.index = index
        self.code = code
        self.message = message
        self.hint = hint
        self.missing = missing


def is_older_record(record: Mapping[str, Any]) -> bool:
    """Tell whether a line has the older shape, with ``content`` for the description and ``day`` for ``created``."""
    return "content" in record and "description" not in record


def node_from_record(record: Mapping[str, Any]) -> Node:
    """Read a node from the object of one line.

    The older shape ``{"id", "agent", "day", "type", "importance", "depth", "content"}`` is read as well: ``content``
    is the description, ``day`` 4 becomes ``day-004``, and the keys it does not have are empty. Whole numbers may be
    written ``5.00``. Keys beyond the nine are left alone.

    Raises:
        NodeError: A key is missing, or has a value that cannot be read unambiguously (a ``ValueError`` whose message
            begins with the key).
    """
    older = is_older_record(record)
    if not older:
        for key in NODE_KEYS:
            if key not in record:
                hint = f"every memory has the keys {', '.join(NODE_KEYS)}"
                raise NodeError(key, "key-missing", f"{key} is missing, expected {_EXPECTED[key]}", hint, missing=True)
    return Node(
        id=_identifier(record),
        created=_created(record, older),
        type=_type(record),
        depth=_whole(record, "depth", 0, None, "depth-range"),
        description=_text(record, "content" if older else "description"),
        importance=_whole(record, "importance", 1, 10, "importance-range"),
        tags=_texts(record, "tags"),
        evidence=_texts(record, "evidence"),
        metadata=_object(record, "metadata"),
    )


_EXPECTED = {
    "id": "a text like vera-042",
    "created": "a text like day-003/scene-04",
    "type": "one of " + ", ".join(NODE_TYPES),
    "depth": "a whole number, at least 0",
    "description": "a text",
    "content": "a text",
    "importance": "a whole number from 1 to 10",
    "tags": "a list of texts",
    "evidence": "a list of ids of memories",
    "metadata": "an object",
}
_HINTS = {
    "type": "put a finer kind into metadata.kind",
    "importance": "write a whole number from 1 (routine) to 10 (pivotal)",
    "created": "write day-003/scene-04: three digits, then two; a letter may follow (scene-04b)",
    "id": "the id is the name of the file, a hyphen and at least three digits",
}


def _wrong(record: Mapping[str, Any], key: str, code: str, message: str = "", index: int | None = None) -> NodeError:
    return NodeError(
        key,
        code,
        message or f"{key} is {_shown(record[key]) if key in record else 'missing'}, expected {_EXPECTED[key]}",
        _HINTS.get(key, ""),
        index=index,
        missing=key not in record,
    )


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise _wrong(record, key, f"{key}-type")
    return value


def _identifier(record: Mapping[str, Any]) -> str:
    value = _text(record, "id")
    if parse_node_id(value) is None:
        raise _wrong(record, "id", "id-form")
    return value


def _created(record: Mapping[str, Any], older: bool) -> str:
    if older and "created" not in record:
        day = record.get("day")
        if day is None:
            return ""
        if not _is_whole(day) or day < 0:
            raise NodeError("day", "day-type", f"day is {_shown(day)}, expected a whole number, at least 0")
        return render_day(int(day))
    value = _text(record, "created")
    if parse_ref(value) is None:
        raise _wrong(record, "created", "created-form")
    return value


def _type(record: Mapping[str, Any]) -> str:
    if "type" not in record:
        return "observation"
    value = _text(record, "type")
    if value not in NODE_TYPES:
        raise _wrong(record, "type", "type-unknown")
    return value


def _whole(record: Mapping[str, Any], key: str, low: int, high: int | None, code: str) -> int:
    value = record.get(key, low if key == "depth" else None)
    if not _is_whole(value):
        raise _wrong(record, key, f"{key}-type")
    if value < low or (high is not None and value > high):
        outside = f"{key} {_shown(value)} is outside {low}–{high}" if high is not None else ""
        raise _wrong(record, key, code, outside)
    return int(value)


def _texts(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = record.get(key, [])
    code = "evidence-form" if key == "evidence" else f"{key}-type"  # evidence-type says who cites, and is no error
    if not isinstance(value, list):
        raise _wrong(record, key, code)
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise _wrong(record, key, code, f"{key} holds {_shown(item)}, expected {_EXPECTED[key]}", index)
    return tuple(value)


def _object(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key, {})
    if not isinstance(value, dict):
        raise _wrong(record, key, f"{key}-type")
    return value


def _is_whole(value: Any) -> bool:
    """Tell whether a value is a whole number, in whichever spelling: ``5`` or ``5.00``."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -BEYOND < value < BEYOND:
        return False
    return isinstance(value, int) or value.is_integer()


def _shown(value: object) -> str:
    found = json.dumps(value, ensure_ascii=False, default=str)
    return found if len(found) <= 60 else found[:57] + "…"
