"""What memories rest on, as trees: grown layer by layer, each memory unfolded once, as far as there is room."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Memory = TypeVar("Memory", bound=Hashable)


@dataclass(slots=True)
class Place(Generic[Memory]):
    """One place in a tree.

    Attributes:
        id: The memory, as whatever rests on it spells it.
        memory: The memory; None where there is none of that id.
        depth: How many layers below the root it lies.
        below: What it rests on, in the order of its line.
        again: It stands in a tree already, with what is below it: here it is only named.
        cut: How many memories that it rests on found no room.
    """

    id: str
    memory: Memory | None
    depth: int = 0
    below: list[Place[Memory]] = field(default_factory=list)
    again: bool = False
    cut: int = 0

    def walk(self) -> Iterator[Place[Memory]]:
        """Give this place and all below it, each before what it rests on."""
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
) -> Place[Memory]:
    """Grow the tree of a memory, all of a layer before anything below it. A circle ends where it closes.

    Args:
        identifier: Its id.
        memory: The memory.
        rests_on: Gives the ids that a memory cites, each with the memory of that id.
        deepest: How many layers below it there may be.
        most: How many places there may be.
        met: What stands in other trees already; what this one has is added. None = it is a tree by itself.
    """
    met = set() if met is None else met
    root = Place(identifier, memory, again=memory in met)
    met.add(memory)
    grown = [root]
    for place in grown:  # it gets longer meanwhile
        if place.memory is None or place.again:
            continue
        for cited, found in rests_on(place.memory):
            if place.depth >= deepest or len(grown) >= most:
                place.cut += 1
                continue
            new = Place(cited, found, place.depth + 1, again=found is not None and found in met)
            if found is not None:
                met.add(found)
            place.below.append(new)
            grown.append(new)
    return root
