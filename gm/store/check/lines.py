"""Memories with the errors of their lines, the same for loading and for checking: a line that has one is left out."""

from __future__ import annotations

import re

from gm.errors import Problem
from gm.model.ids import parse_node_id
from gm.model.node import Node, NodeError, node_from_record
from gm.store.check.places import Keys, find_spot
from gm.store.jsonl import Line


_ID = re.compile(r'"id"\s*:\s*"([^"\\]*)"')


def id_in(text: str) -> str:
    """Find the id in a line that is no JSON; empty when it has none."""
    match = _ID.search(text)
    return match[1] if match else ""


def column_of(text: str, keys: Keys) -> int:
    """Find the column, from 1, in which a value of a line begins; that of its object when it is not there."""
    spot = find_spot(text, keys)
    return spot.begin + 1 if spot else 1


def read_node(agent: str, line: Line, seen: dict[str, int]) -> Node:
    """Read a line of an agent's stream as a memory.

    Args:
        agent: Whose stream it is.
        line: The line.
        seen: Ids of the lines before with their line numbers; the new one is added.

    Raises:
        NodeError: It cannot be read unambiguously, or carries an id that is not its own.
    """
    node = node_from_record(line.record)
    parsed = parse_node_id(node.id)
    assert parsed is not None
    if parsed[0] != agent:
        message = f"id {node.id!r} is another agent's, expected {agent}-{parsed[1]:03d} or alike"
        raise NodeError("id", "id-agent", message, f"every memory of this file begins with {agent}-")
    if node.id in seen:
        message = f"id {node.id!r} stands in line {seen[node.id]} already"
        raise NodeError("id", "id-twice", message, "give one of the two a number that was never used")
    seen[node.id] = line.number
    return node


def node_problem(shown: str, line: Line, error: NodeError) -> Problem:
    """Say where in its line a value stands that cannot be read."""
    keys: Keys = (error.key,) if error.index is None else (error.key, error.index)
    column = column_of(line.text, () if error.missing else keys)
    return Problem(shown, line.number, column, "error", error.code, error.message, error.hint)
