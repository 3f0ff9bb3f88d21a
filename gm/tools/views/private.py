"""Memories that their owner, or a person, has marked as nobody else's business."""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.fold import fold
from gm.model.node import Node

PRIVATE = "private"
"""The name in ``publish.private`` with which such memories are kept back."""
TAGS = frozenset(("private", "privat"))
QUOTED = 40
"""So many characters of a memory are looked for: lines that quote one are shortened."""


def is_private(node: Node) -> bool:
    """Tell whether a memory is tagged as private."""
    return any(fold(tag) in TAGS for tag in node.tags)


def tells(text: str, secrets: Iterable[Node]) -> bool:
    """Tell whether a text quotes the beginning of one of some memories."""
    plain = " ".join(text.split())
    return any(start in plain for node in secrets if (start := " ".join(node.description.split())[:QUOTED].rstrip()))
