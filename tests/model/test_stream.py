"""Streams that are known to be in order say the same as those that are not; they look at less."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import overload

import pytest

from gm.model.node import Node, NodeType
from gm.model.stream import InOrder, named, reflections_before, since


def node(number: int, day: int, depth: int = 0) -> Node:
    kind: NodeType = "reflection" if depth else "observation"
    return Node(f"vera-{number:03d}", f"day-{day:03d}/scene-01", kind, depth, f"Nummer {number}", 5)


NODES = (node(1, 1), node(2, 1, 1), node(3, 2), node(4, 3, 2), node(5, 3))


class Ordered(InOrder):
    """Knows that it is in order, and notes how many memories were looked at."""

    def __init__(self) -> None:
        self.looked = 0

    def __len__(self) -> int:
        return len(NODES)

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, place: int | slice) -> Node | tuple[Node, ...]:
        return NODES[place]

    def __reversed__(self) -> Iterator[Node]:
        for each in reversed(NODES):
            self.looked += 1
            yield each

    def reflections_before(self, end: int) -> tuple[Node, ...]:
        return tuple(each for each in NODES[:end] if each.depth)

    def named(self, ids: Collection[str]) -> tuple[Node, ...]:
        return tuple(each for each in NODES if each.id in ids)


@pytest.mark.parametrize("day", [0, 1, 2, 3, 4])
def test_what_is_since_a_day_is_the_same_in_both(day: int) -> None:
    assert since(Ordered(), day) == since(NODES, day) == tuple(each for each in NODES if each.when.day >= day)


def test_what_is_recent_is_found_from_the_end() -> None:
    stream = Ordered()
    assert [each.id for each in since(stream, 3)] == ["vera-004", "vera-005"]
    assert stream.looked == 3


@pytest.mark.parametrize("end", [0, 2, 5])
def test_reflections_before_a_place_are_the_same_in_both(end: int) -> None:
    assert reflections_before(Ordered(), end) == reflections_before(NODES, end)


def test_memories_by_name_come_in_the_order_of_the_stream() -> None:
    wanted = {"vera-005", "vera-002", "vera-099"}
    assert [each.id for each in named(Ordered(), wanted)] == ["vera-002", "vera-005"]
    assert list(named(NODES, wanted)) == list(named(Ordered(), wanted))
