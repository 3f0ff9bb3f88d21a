"""Changes in the memories of one character."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from gm.files.forms.jsonl import scan_lines
from gm.files.forms.text import BOM
from gm.model.calendar import SceneRef
from gm.model.node import Node, node_from_record, node_record
from gm.model.record import RecordError

DAY, HAND = "day", "hand"


@dataclass(slots=True)
class Memories:
    """Memories of a file.

    Attributes:
        nodes: In file order; repeated ids get a suffix ``#2``.
        broken: Line number and reason.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    broken: list[tuple[int, str]] = field(default_factory=list)


def read_memories(data: bytes | None, shown: str) -> Memories:
    """Read the memories of a file, collecting unreadable lines."""
    found = Memories()
    try:
        text = (data or b"").decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        found.broken.append((0, f"not UTF-8: {error.reason}"))
        return found
    scan = scan_lines(text, shown)
    found.broken += [(problem.line, problem.message) for problem in scan.problems]
    for line in scan.lines:
        try:
            node = node_from_record(line.record)
        except RecordError as error:
            found.broken.append((line.number, error.message))
            continue
        key, count = node.id, 1
        while key in found.nodes:
            count += 1
            key = f"{node.id}#{count}"
        found.nodes[key] = node
    return found


def compare_memories(
    old: Memories, new: Memories, old_archive: Memories, new_archive: Memories, since: tuple[int, bool] | None
) -> dict[str, Any]:
    """Compare two states of a stream and its archive.

    Args:
        since: Earlier clock: day, and whether it was open; new memories of older days were added by hand.

    Returns:
        ``new``, ``edited``, ``deleted``, ``moved``, ``archived``, ``restored``: lists, oldest first.
    """
    everywhere = {**old_archive.nodes, **old.nodes}
    later = {**new_archive.nodes, **new.nodes}
    return {
        "new": [
            {**described(node), "by": HAND if _is_late(node, since) else DAY}
            for key, node in later.items()
            if key not in everywhere
        ],
        "edited": [
            {**described(node), "by": HAND, "changes": changes}
            for key, node in later.items()
            if key in everywhere and (changes := changes_of(everywhere[key], node))
        ],
        "deleted": [{**described(node), "by": HAND} for key, node in everywhere.items() if key not in later],
        "moved": [{**described(new.nodes[key]), "by": HAND} for key in moved(list(old.nodes), list(new.nodes))],
        "archived": [
            described(node) for key, node in new_archive.nodes.items() if key in old.nodes and key not in new.nodes
        ],
        "restored": [
            described(node) for key, node in new.nodes.items() if key in old_archive.nodes and key not in old.nodes
        ],
    }


def described(node: Node) -> dict[str, Any]:
    """Return a memory as differences show it."""
    return {key: value for key, value in node_record(node).items() if key != "metadata"}


def changes_of(old: Node, new: Node) -> dict[str, list[Any]]:
    """Return the differing values of two versions of a memory, as [old, new]."""
    before, after = node_record(old), node_record(new)
    return {key: [before[key], after[key]] for key in before if before[key] != after[key]}


def moved(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the smallest set of memories that must have moved, in their new order."""
    places = {key: place for place, key in enumerate(old)}
    common = [key for key in new if key in places]
    order = [places[key] for key in common]
    if all(before < after for before, after in pairwise(order)):
        return []
    stay = _longest_rise(order)
    return [key for key, place in zip(common, order, strict=True) if place not in stay]


def _longest_rise(order: Sequence[int]) -> set[int]:
    """Return a longest increasing subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for at, number in enumerate(order):
        place = bisect_left(tails, number)
        before.append(ends[place - 1] if place else None)
        tails[place : place + 1] = [number]
        ends[place : place + 1] = [at]
    kept = set()
    here = ends[-1] if ends else None
    while here is not None:
        kept.add(order[here])
        here = before[here]
    return kept


def _is_late(node: Node, since: tuple[int, bool] | None) -> bool:
    """A memory of a day that was already over cannot have been written by a run."""
    if since is None or node.when == SceneRef(0):
        return False
    day, is_open = since
    return node.when.day < day or (node.when.day == day and not is_open)


def values_between(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the differing values of two documents, as [old, new]; absent = None."""
    keys = dict.fromkeys((*old, *new))
    return {key: [old.get(key), new.get(key)] for key in keys if old.get(key) != new.get(key)}
