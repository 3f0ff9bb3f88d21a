"""A memory stream that is known to be in order, so that what is recent in it is found from its end.

A stream is a sequence of memories in the order of its file. As a rule it is a tuple, and nothing is known of the order:
people write into it. Of a very long one that was looked through before, ``InOrder`` knows it, and need not read it
whole. The functions here give the same for both.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence

from gm.model.node import Node


class InOrder(Sequence[Node]):
    """A stream whose numbers rise from memory to memory, and whose story days never fall."""

    @abstractmethod
    def reflections_before(self, end: int) -> tuple[Node, ...]:
        """Return the memories of a depth above 0 that stand before a place, oldest first."""

    @abstractmethod
    def named(self, ids: Collection[str]) -> tuple[Node, ...]:
        """Return the memories that have one of some ids, oldest first."""


def reflections_before(stream: Sequence[Node], end: int) -> tuple[Node, ...]:
    """Return what was understood, not lived (depth above 0), before a place of a stream.

    Args:
        stream: The whole stream.
        end: Place, from 0 to the length of the stream.
    """
    if isinstance(stream, InOrder):
        return stream.reflections_before(end)
    return tuple(node for node in stream[:end] if node.depth > 0)


def since(stream: Sequence[Node], day: int) -> tuple[Node, ...]:
    """Return what was remembered on a story day and later, in the order of the stream."""
    if not isinstance(stream, InOrder):
        return tuple(node for node in stream if node.when.day >= day)
    found = []
    for node in reversed(stream):
        if node.when.day < day:
            break
        found.append(node)
    return tuple(reversed(found))


def named(stream: Sequence[Node], ids: Collection[str]) -> Iterable[Node]:
    """Return the memories of a stream that have one of some ids, in the order of the stream."""
    if isinstance(stream, InOrder):
        return stream.named(ids)
    return (node for node in stream if node.id in ids)
