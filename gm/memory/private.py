"""Memories and evenings that are tagged as private."""

from __future__ import annotations

from collections.abc import Iterable

from gm.base.casefold import casefold
from gm.base.config.pages import PRIVATE_TAGS
from gm.model.node import Node

PRIVATE = "private"
"""The name in ``publish.private`` that keeps them back."""
QUOTED = 40
"""Characters of a memory that are compared, since quotations in lines are shortened."""


def is_private(tags: Iterable[str]) -> bool:
    """Return whether one of the tags is a private one."""
    return any(casefold(tag) in PRIVATE_TAGS for tag in tags)


def open_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the memories that are not private."""
    return tuple(node for node in nodes if not is_private(node.tags))


def private_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the memories that are private."""
    return tuple(node for node in nodes if is_private(node.tags))


def quotes(text: str, secrets: Iterable[Node]) -> bool:
    """Return whether a text quotes the beginning of a memory."""
    plain = " ".join(text.split())
    return any(start in plain for node in secrets if (start := " ".join(node.description.split())[:QUOTED].rstrip()))
