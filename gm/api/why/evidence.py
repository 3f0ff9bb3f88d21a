"""The evidence of a memory, recursively, and its direct citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gm.api.document import as_json
from gm.base.casefold import casefold
from gm.files.streams.find import STREAM, Finder, Found
from gm.model.node import Node

MOST_NODES = 2000


@dataclass(frozen=True, slots=True)
class Cited:
    """A cited memory.

    Attributes:
        found: None = no memory has this id.
        again: Already in the tree; here only named.
        cut: Its evidence did not fit.
        evidence: None = not expanded.
    """

    id: str
    found: Found | None
    again: bool = False
    cut: bool = False
    evidence: tuple[Cited, ...] | None = None

    def record(self) -> dict[str, Any]:
        """Return it as JSON."""
        found = self.found
        if found is None:
            return {"id": self.id, "missing": True}
        brief = {"id": found.node.id, "agent": found.agent, **{key: getattr(found.node, key) for key in _BRIEF}}
        brief |= {"path": found.path, "line": found.line}
        seldom = {"home": found.home, "again": self.again, "cut": self.cut, "evidence": as_json(self.evidence)}
        return brief | {key: value for key, value in seldom.items() if value not in (STREAM, False, None)}


_BRIEF = ("created", "type", "depth", "importance", "description")


def find_evidence(finder: Finder, node: Node, most: int = MOST_NODES) -> tuple[Cited, ...]:
    """Return the evidence of a memory, recursively.

    A memory met again is only named (``again``), so that cycles end. At most ``most`` memories are expanded, including
    this one; others have ``cut``.
    """
    return tuple(_below(finder, node, {casefold(node.id)}, most))


def _below(finder: Finder, node: Node, met: set[str], most: int) -> Iterator[Cited]:
    for identifier in node.evidence:
        item = cite(finder, identifier)
        key = casefold(item.id)
        if item.found is None:
            yield item
        elif key in met:
            yield replace(item, again=True)
        elif len(met) >= most:
            yield replace(item, cut=True)
        else:
            met.add(key)
            yield replace(item, evidence=tuple(_below(finder, item.found.node, met, most)))


def find_citing(finder: Finder, node: Node) -> tuple[tuple[Cited, ...], tuple[Cited, ...]]:
    """Return the memories that cite a node, and the copies of it."""
    citing, copies = [], []
    wanted = casefold(node.id)
    for found in finder.mentioning(node.id):
        if any(casefold(item) == wanted for item in found.node.evidence):
            citing.append(cited(found))
        if copied_from(found.node) and casefold(copied_from(found.node)) == wanted:
            copies.append(cited(found))
    return tuple(citing), tuple(copies)


def copied_from(node: Node) -> str:
    """Return the id of which a node is a copy, or ``""``."""
    value = node.metadata.get("copied_from")
    if isinstance(value, Mapping):
        value = value.get("id", value.get("node"))
    return value if isinstance(value, str) else ""


def cite(finder: Finder, identifier: str) -> Cited:
    """Return the memory with an id, if there is one."""
    found = finder.find(identifier)
    return cited(found[0]) if found else Cited(identifier, None)


def cited(found: Found) -> Cited:
    """Return a memory that was found."""
    return Cited(found.node.id, found)


def edges(above: str, items: Sequence[Cited]) -> Iterator[tuple[str, Cited]]:
    """Yield pairs of a node id and its evidence, top down."""
    for item in items:
        yield above, item
        yield from edges(item.id, item.evidence or ())
