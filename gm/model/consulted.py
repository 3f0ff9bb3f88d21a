"""Calls of memory tools in a scene, and their effects on the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.base.config import kinds
from gm.model.layer_replies import SoulEdit
from gm.model.node import NODE_TYPES, NodeType
from gm.model.record import Key, Record, each


@dataclass(frozen=True, slots=True)
class Formed:
    """A memory formed in a scene, not yet with an id; ``FORMED`` describes the attributes."""

    description: str
    importance: int
    type: NodeType = "observation"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consulted:
    """One call of a memory tool; ``CONSULTED`` describes the attributes."""

    tool: str
    arguments: Mapping[str, object]
    text: str
    is_error: bool = False
    formed: tuple[Formed, ...] = ()
    reinforced: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    soul: tuple[SoulEdit, ...] = ()
    care: bool = False


FORMED = Record(
    Formed,
    "formed memory",
    Key("description", kinds.text, "what is remembered"),
    Key("importance", kinds.whole(1, 10), "from 1 (routine) to 10 (pivotal)"),
    Key("type", kinds.word(*NODE_TYPES), "one of the five types of the stream"),
    Key("tags", kinds.texts, "key words"),
    Key("metadata", kinds.mapping, "where it comes from, and its finer kind"),
)
_EDITS = kinds.Kind(
    "a list of edits",
    lambda value: isinstance(value, list),
    {"type": "array", "items": {"type": "object"}},
    keep=lambda value: tuple(map(SoulEdit.model_validate, value)),
    write=lambda value: [edit.model_dump() for edit in value],
)
CONSULTED = Record(
    Consulted,
    "call of a memory tool",
    Key("tool", kinds.text, "the name of the tool"),
    Key("arguments", kinds.mapping, "as they were given"),
    Key("text", kinds.text, "what came back: JSON, or why nothing did"),
    Key("is_error", kinds.flag, "whether nothing came back"),
    Key("formed", each(FORMED, "a list of memories"), "memories that come of it"),
    Key("reinforced", kinds.texts, "ids of memories that the character wants to keep"),
    Key("recalled", kinds.texts, "ids of memories that came up"),
    Key("soul", _EDITS, "what the character adds to its soul and takes out of it", default=(), brief=True),
    Key("care", kinds.flag, "whether it wants to put its old memories together", default=False, brief=True),
)
"""An item of the record kept beside the answers of a scene."""


def consulted_from_record(record: Mapping[str, object]) -> Consulted:
    """Read a call.

    Raises:
        ValueError: The record was not written by ``CONSULTED``.
    """
    try:
        return CONSULTED.read(record)
    except ValueError as error:
        raise ValueError(f"no call of a tool: {error}") from error
