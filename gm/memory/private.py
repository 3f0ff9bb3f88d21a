"""Memories and evenings that their owner, or a person, has marked as nobody else's business."""

from __future__ import annotations

from collections.abc import Iterable

from gm.config.pages import PRIVATE_TAGS
from gm.model.fold import fold
from gm.model.node import Node

PRIVATE = "private"
"""The name in ``publish.private`` with which they are kept back."""
QUOTED = 40
"""So many characters of a memory are looked for: lines that quote one are shortened."""


def is_private(tags: Iterable[str]) -> bool:
    """Tell whether one of the tags says that nobody else is to read it."""
    return any(fold(tag) in PRIVATE_TAGS for tag in tags)


def open_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Keep the memories that everybody may read."""
    return tuple(node for node in nodes if not is_private(node.tags))


def private_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Keep those that nobody else is to read."""
    return tuple(node for node in nodes if is_private(node.tags))


def quotes(text: str, secrets: Iterable[Node]) -> bool:
    """Tell whether a text quotes the beginning of one of some memories."""
    plain = " ".join(text.split())
    return any(start in plain for node in secrets if (start := " ".join(node.description.split())[:QUOTED].rstrip()))
