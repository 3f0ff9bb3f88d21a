"""Access to a memory stream without reading all of it.

A stream is a sequence of memories in file order: usually a tuple of unknown order, because people edit it; a very long
one in verified order is an ``InOrder``. The functions here give the same results for both.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence

from gm.model.node import Node


class InOrder(Sequence[Node]):
    """A stream with ascending numbers and non-decreasing story days."""

    @abstractmethod
    def reflections_before(self, end: int) -> tuple[Node, ...]: ...

    @abstractmethod
    def named(self, ids: Collection[str]) -> tuple[Node, ...]: ...


def reflections_before(stream: Sequence[Node], end: int) -> tuple[Node, ...]:
    """Return the memories of depth above 0 before an index of a stream."""
    if isinstance(stream, InOrder):
        return stream.reflections_before(end)
    return tuple(node for node in stream[:end] if node.depth > 0)


def since(stream: Sequence[Node], day: int) -> tuple[Node, ...]:
    """Return the memories of a story day and later, in stream order."""
    if not isinstance(stream, InOrder):
        return tuple(node for node in stream if node.when.day >= day)
    found = []
    for node in reversed(stream):
        if node.when.day < day:
            break
        found.append(node)
    return tuple(reversed(found))


def named(stream: Sequence[Node], ids: Collection[str]) -> Iterable[Node]:
    """Return the memories with one of the ids, in stream order."""
    if isinstance(stream, InOrder):
        return stream.named(ids)
    return tuple(node for node in stream if node.id in ids)
