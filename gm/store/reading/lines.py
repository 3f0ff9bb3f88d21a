"""Memories with the errors of their lines, the same for loading and for checking: a line that has one is left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from gm.errors import Problem
from gm.model.node import Node, NodeError, node_from_record
from gm.store.forms.jsonl import Line
from gm.store.forms.places import Keys, find_spot

_ID = re.compile(r'"id"\s*:\s*"([^"\\]*)"')


def id_in(text: str) -> str:
    """Find the id in a line that is no JSON; empty when it has none."""
    match = _ID.search(text)
    return match[1] if match else ""


def column_of(text: str, keys: Keys) -> int:
    """Find the column, from 1, in which a value of a line begins; that of its object when it is not there."""
    spot = find_spot(text, keys)
    return spot.begin + 1 if spot else 1


def column_in_node(text: str, keys: Keys) -> int:
    """Like ``column_of``, for a key that the line is known to have; faster, as streams may have many problems."""
    # A string token before a colon is a key, never a part of a text, in which quotation marks are escaped.
    token = f'"{keys[0]}":' if keys else ""
    if token and text.count(token) == 1:
        spot = find_spot(text, keys[1:], text.index(token) + len(token))
        if spot is not None:
            return spot.begin + 1
    return column_of(text, keys)


class Numbered(Protocol):
    """Something that stands in a line."""

    @property
    def number(self) -> int:
        """Number of the line, from 1."""
        ...


def read_node(agent: str, line: Line, seen: Mapping[str, Numbered]) -> Node:
    """Read a line of an agent's stream as a memory.

    Args:
        agent: Whose stream it is.
        line: The line.
        seen: What stands in the lines before, by id.

    Raises:
        NodeError: It cannot be read unambiguously, or carries an id that is not its own.
    """
    node = node_from_record(line.record)
    owner, _, number = node.id.rpartition("-")
    if owner != agent:
        message = f"id {node.id!r} is another agent's, expected {agent}-{int(number):03d} or alike"
        raise NodeError("id", "id-agent", message, f"every memory of this file begins with {agent}-")
    if node.id in seen:
        message = f"id {node.id!r} stands in line {seen[node.id].number} already"
        raise NodeError("id", "id-twice", message, "give one of the two a number that was never used")
    return node


def node_problem(shown: str, number: int, text: str, error: NodeError) -> Problem:
    """Say where in its line a value stands that cannot be read."""
    keys: Keys = (error.key,) if error.index is None else (error.key, error.index)
    column = column_of(text, () if error.missing else keys)
    return Problem(shown, number, column, "error", error.code, error.message, error.hint)
