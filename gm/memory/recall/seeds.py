"""Seed memories in recall: searched only where a filter names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gm.base.casefold import casefold
from gm.memory.recall.entry import Entry, describe
from gm.memory.recall.query import Filters, Turn
from gm.memory.seed_memories import CHARACTER, KNOWLEDGE, LESSON, SCENE, WEIGHTS
from gm.model.node import Node

GIFTED = "gifted"
TYPES = (CHARACTER, SCENE, KNOWLEDGE, LESSON)
"""Types of seed memories (``metadata.type``), as document 000 names them."""


def names_seeds(filters: Filters) -> bool:
    """Return whether a filter names a type, kind or category that only seed memories have."""
    named = {casefold(item) for item in (*filters.types, *filters.kinds, *filters.categories)}
    return bool(named & {GIFTED, *TYPES, *WEIGHTS})


def select_seeds(nodes: Sequence[Node], owner: str, filters: Filters, turn_of: Turn) -> list[Node]:
    """Return the seed memories that pass a filter, in their order; their type is ``metadata.type``."""
    test: Callable[[Entry], bool] | None = filters.test(owner, turn_of)
    return [node for node in nodes if test is None or test(describe(_typed(node), 0))]


def type_of(node: Node) -> str:
    """Return ``metadata.type`` of a seed memory, else the type of its line (written by hand)."""
    said = node.metadata.get("type")
    return said if isinstance(said, str) and said else node.type


def _typed(node: Node) -> Node:
    return replace(node, type=type_of(node))
