"""Which memories, threads and lines of two states are the same one, although a merge has given it another id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from gm.model.calendar import SceneRef
from gm.model.node import Node, node_record
from gm.model.thread import Thread

Item = TypeVar("Item")
_NUMBERS = ("id", "created", "scene")
_NAME = re.compile(r'"(?:\w+-\d{3,}|day-\d{3,}/scene-\d+[a-z]?|gallery/[^"]*)"')


class Since(NamedTuple):
    """The state from which two others come.

    Attributes:
        clock: A day, and whether it is open; None = unknown.
        is_parted: The earlier state has days that the later one does not have.
        scenes: Those that only the later one has, also of days that were over: a merge brought them.
        is_merged: Some scenes have other names in the later one, so memories may cite other ids.
        gone: Scenes and ends of days that only the earlier one has: a rewind took them back.
    """

    clock: tuple[int, bool] | None
    is_parted: bool = False
    scenes: frozenset[SceneRef] = frozenset()
    is_merged: bool = False
    gone: frozenset[SceneRef] = frozenset()

    def is_late(self, node: Node) -> bool:
        """Return whether a memory belongs to a day that was over: if it is new, a person added it."""
        if self.clock is None or node.when == SceneRef(0) or node.when in self.scenes:
            return False
        day, is_open = self.clock
        return node.when.day < day or (node.when.day == day and not is_open)

    def is_played_apart(self, node: Node) -> bool:
        """Return whether a memory was made after the two states parted."""
        return self.is_parted and self.clock is not None and node.when != SceneRef(0) and not self.is_late(node)


def sign_memory(node: Node) -> tuple[int, str]:
    """Return what a memory is, beside its id and the names that a merge may change."""
    return node.when.day, without_names(node_record(node))


def pair_memories(old: Mapping[str, Node], new: Mapping[str, Node], since: Since) -> dict[str, str]:
    """Return the old id of each memory of the new state that the old one has, by its new id."""
    pairs = pair_items(old, new, (sign_memory, lambda node: (node.type, node.when.day, node.description)))
    return {
        key: was
        for key, was in pairs.items()
        if not since.is_played_apart(new[key]) or sign_memory(new[key]) == sign_memory(old[was])
    }


def pair_threads(old: Mapping[str, Thread], new: Mapping[str, Thread]) -> dict[str, str]:
    """Return the old id of each thread of the new state that the old one has, by its new id."""
    return pair_items(old, new, (lambda thread: (thread.by, thread.kind, thread.text),))


def pair_items(
    old: Mapping[str, Item], new: Mapping[str, Item], signs: Sequence[Callable[[Item], Hashable]]
) -> dict[str, str]:
    """Return the old key of each new item, by its new key.

    An item has another key where its old one holds something else; all others are paired by their keys.

    Args:
        signs: What tells items apart, the strictest first.
    """
    pairs: dict[str, str] = {}
    for sign in signs:
        both = _left(old.keys() & new.keys(), {*pairs, *pairs.values()})
        pairs |= {key: key for key in both if sign(old[key]) == sign(new[key])}
        places: dict[Hashable, list[str]] = {}
        for key in _left(new, pairs):
            places.setdefault(sign(new[key]), []).append(key)
        for key in _left(old, pairs.values()):
            if key in new and (found := places.get(sign(old[key]))):
                pairs[found.pop(0)] = key
    known = set(pairs.values())
    return pairs | {key: key for key in _left(new, pairs) if key in old and key not in known}


def without_names(record: Mapping[str, Any]) -> str:
    """Return a memory, or a line of a logbook, without its number and the names that a merge may change."""
    told = json.dumps({key: value for key, value in record.items() if key not in _NUMBERS}, sort_keys=True)
    return _NAME.sub('""', told)


def _left(items: Iterable[str], known: Collection[str]) -> list[str]:
    taken = set(known)
    return [key for key in items if key not in taken]
