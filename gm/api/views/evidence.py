"""The evidence of memories, as trees."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Memory = TypeVar("Memory", bound=Hashable)


@dataclass(slots=True)
class TreePlace(Generic[Memory]):
    """A place in a tree of evidence.

    Attributes:
        memory: None = no memory has this id.
        again: Already in a tree; here only named.
        cut: Number of cited memories that did not fit.
    """

    id: str
    memory: Memory | None
    depth: int = 0
    below: list[TreePlace[Memory]] = field(default_factory=list)
    again: bool = False
    cut: int = 0

    def walk(self) -> Iterator[TreePlace[Memory]]:
        """Yield this place and all below it, in pre-order."""
        yield self
        for place in self.below:
            yield from place.walk()


def grow_tree(
    identifier: str,
    memory: Memory,
    rests_on: Callable[[Memory], Iterable[tuple[str, Memory | None]]],
    *,
    deepest: int,
    most: int,
    met: set[Memory] | None = None,
) -> TreePlace[Memory]:
    """Grow the tree of a memory breadth first; a cycle ends where it closes.

    Args:
        rests_on: Returns cited ids with their memories.
        met: Memories in other trees; this tree's are added.
    """
    met = set() if met is None else met
    root = TreePlace(identifier, memory, again=memory in met)
    met.add(memory)
    grown = [root]
    for place in grown:  # grows while iterated
        if place.memory is None or place.again:
            continue
        for cited, found in rests_on(place.memory):
            if place.depth >= deepest or len(grown) >= most:
                place.cut += 1
                continue
            new = TreePlace(cited, found, place.depth + 1, again=found is not None and found in met)
            if found is not None:
                met.add(found)
            place.below.append(new)
            grown.append(new)
    return root
