"""What a summary stands for: its time (``metadata.from``, ``to``), and ids or runs of ids (``replaces``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gm.model.calendar import SceneRef, parse_ref
from gm.model.ids import parse_node_id, render_node_id
from gm.model.node import Node

SUMMARY_KIND = "summary"
BETWEEN = ".."


def join_ids(ids: Iterable[str]) -> list[str]:
    """Return ids in the order given, with runs abbreviated: ``vera-003..vera-017``."""
    runs: list[tuple[str, str]] = []
    for identifier in ids:
        if runs and _follows(runs[-1][1], identifier):
            runs[-1] = (runs[-1][0], identifier)
        else:
            runs.append((identifier, identifier))
    return [first if first == last else f"{first}{BETWEEN}{last}" for first, last in runs]


def split_ids(runs: Iterable[object], most: int = 1_000_000) -> Iterator[str]:
    """Yield the ids that ``join_ids`` joined; items of another form are left out.

    Args:
        most: Longest run that is expanded, since a line may be edited by hand.
    """
    for run in runs:
        first, between, last = str(run).partition(BETWEEN)
        begin, end = parse_node_id(first), parse_node_id(last if between else first)
        if begin is None or end is None or begin[0] != end[0] or not 0 <= end[1] - begin[1] < most:
            continue
        yield from (render_node_id(begin[0], number) for number in range(begin[1], end[1] + 1))


def began(node: Node) -> SceneRef:
    """Return when the time of a summary begins; for other memories, when it was made."""
    return _moment(node, "from")


def ended(node: Node) -> SceneRef:
    """Return when the time of a summary ends; for other memories, when it was made."""
    return _moment(node, "to")


def replaced_ids(node: Node) -> tuple[str, ...]:
    """Return the memories that a summary, and those made with it, replace; empty if another one says it."""
    runs = node.metadata.get("replaces")
    return tuple(split_ids(runs)) if isinstance(runs, list) else ()


def _moment(node: Node, key: str) -> SceneRef:
    value = node.metadata.get(key)
    return (parse_ref(value) if isinstance(value, str) else None) or node.when


def _follows(one: str, other: str) -> bool:
    before, after = parse_node_id(one), parse_node_id(other)
    return before is not None and after is not None and (before[0], before[1] + 1) == after
