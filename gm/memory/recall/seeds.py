"""Seed memories in recall: kept in separate files, and searched only where a filter names them."""

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
    """Return whether a filter names a type, a kind or a category that only seed memories have."""
    named = {casefold(item) for item in (*filters.types, *filters.kinds, *filters.categories)}
    return bool(named & {GIFTED, *TYPES, *WEIGHTS})


def select_seeds(nodes: Sequence[Node], owner: str, filters: Filters, turn_of: Turn) -> list[Node]:
    """Return the seed memories that pass a filter, in their order.

    Args:
        nodes: A character's own seed memories, or those of all.
        owner: The character whose memories are searched.
        filters: The type of a seed memory is its ``metadata.type``.
    """
    test: Callable[[Entry], bool] | None = filters.test(owner, turn_of)
    return [node for node in nodes if test is None or test(describe(_typed(node), 0))]


def type_of(node: Node) -> str:
    """Return ``metadata.type`` of a seed memory; the type of its line where one was written by hand without it."""
    said = node.metadata.get("type")
    return said if isinstance(said, str) and said else node.type


def _typed(node: Node) -> Node:
    return replace(node, type=type_of(node))
