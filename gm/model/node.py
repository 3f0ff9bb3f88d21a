"""A memory node: one line of a memory stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gm.model.calendar import SceneRef, parse_ref, render_day

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
NODE_TYPES = ("observation", "reflection", "plan", "artifact", "conversation")


@dataclass(frozen=True, slots=True)
class Node:
    """One memory (document 004).

    Attributes:
        id: ``<agent>-<NNN>``.
        created: ``day-XXX/scene-YY``, as written in the file.
        type: observation, reflection, plan, artifact or conversation; other words in hand-made worlds.
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


def node_from_record(record: Mapping[str, Any]) -> Node:
    """Read a node from the object of one line.

    Missing keys take their empty value. The older shape ``{"id", "agent", "day", "type", "importance",
    "depth", "content"}`` is read as well: ``content`` is the description and ``day`` 4 becomes ``day-004``.

    Raises:
        ValueError: A value has a type that cannot be read as a memory; the message names the key, what was
            found and what is expected.
    """
    description = record.get("description", record.get("content"))
    if not isinstance(description, str):
        raise ValueError(_expected("description", description, "a text"))
    identifier = record.get("id")
    if not isinstance(identifier, str):
        raise ValueError(_expected("id", identifier, "a text like vera-042"))
    created = record.get("created")
    day = _whole(record.get("day"))
    if created is None and day is not None:
        created = render_day(day)
    if created is None:
        created = ""
    if not isinstance(created, str):
        raise ValueError(_expected("created", created, "a text like day-003/scene-04"))
    kind = record.get("type", "observation")
    if not isinstance(kind, str):
        raise ValueError(_expected("type", kind, "one of " + ", ".join(NODE_TYPES)))
    depth = _whole(record.get("depth", 0))
    if depth is None or depth < 0:
        raise ValueError(_expected("depth", record["depth"], "a whole number, at least 0"))
    importance = _whole(record.get("importance"))
    if importance is None or not 1 <= importance <= 10:
        raise ValueError(_expected("importance", record.get("importance"), "a whole number from 1 to 10"))
    metadata = record.get("metadata", {})
    if not isinstance(metadata, dict):
        raise ValueError(_expected("metadata", metadata, "an object"))
    return Node(
        id=identifier,
        created=created,
        type=kind,
        depth=depth,
        description=description,
        importance=importance,
        tags=_texts(record, "tags"),
        evidence=_texts(record, "evidence"),
        metadata=metadata,
    )


def _texts(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = record.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(_expected(key, value, "a list of texts"))
    return tuple(value)


def _whole(value: object) -> int | None:
    """Read a whole number, spelled ``5`` or ``5.00``; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _expected(key: str, value: object, expected: str) -> str:
    found = json.dumps(value, ensure_ascii=False, default=str) if value is not None else "missing"
    if len(found) > 60:
        found = found[:57] + "…"
    return f"{key} is {found}, expected {expected}"
