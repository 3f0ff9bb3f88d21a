"""What a character has asked its own memory in a scene, and what is to become of the world because of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gm.model.replies import SoulEdit


@dataclass(frozen=True, slots=True)
class Formed:
    """A memory that a character has formed in a scene. It gets its id when the scene lands.

    Attributes:
        description: What is remembered.
        importance: 1–10.
        type: One of the five of the stream.
        tags: Key words.
        metadata: Where it comes from, and its finer kind.
    """

    description: str
    importance: int
    type: str = "observation"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consulted:
    """One call of a memory tool.

    Attributes:
        tool: Name of the tool.
        arguments: As they were given.
        text: What came back: JSON, or why nothing did.
        is_error: Whether nothing did.
        formed: Memories that come of it.
        reinforced: Ids of memories that the character wants to keep.
        recalled: Ids of memories that came up.
        soul: What the character adds to its soul and takes out of it.
        care: Whether it wants to put its old memories together.
    """

    tool: str
    arguments: Mapping[str, object]
    text: str
    is_error: bool = False
    formed: tuple[Formed, ...] = ()
    reinforced: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    soul: tuple[SoulEdit, ...] = ()
    care: bool = False


def consulted_record(item: Consulted) -> dict[str, object]:
    """Turn a call into plain data, as it is kept beside the answers of a scene."""
    return {
        "tool": item.tool,
        "arguments": dict(item.arguments),
        "text": item.text,
        "is_error": item.is_error,
        "formed": [
            {
                "description": formed.description,
                "importance": formed.importance,
                "type": formed.type,
                "tags": list(formed.tags),
                "metadata": dict(formed.metadata),
            }
            for formed in item.formed
        ],
        "reinforced": list(item.reinforced),
        "recalled": list(item.recalled),
        **({"soul": [edit.model_dump() for edit in item.soul]} if item.soul else {}),
        **({"care": True} if item.care else {}),
    }


def consulted_from_record(record: Mapping[str, Any]) -> Consulted:
    """Read a call back.

    Raises:
        ValueError: The record is not one of ours.
    """
    try:
        return Consulted(
            str(record["tool"]),
            dict(record["arguments"]),
            str(record["text"]),
            bool(record["is_error"]),
            tuple(
                Formed(
                    str(item["description"]),
                    int(item["importance"]),
                    str(item["type"]),
                    tuple(map(str, item["tags"])),
                    dict(item["metadata"]),
                )
                for item in record["formed"]
            ),
            tuple(map(str, record["reinforced"])),
            tuple(map(str, record["recalled"])),
            tuple(SoulEdit.model_validate(edit) for edit in record.get("soul", ())),
            bool(record.get("care", False)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"no call of a tool: {error}") from error
