"""The graph of evidence around a memory: down to what was lived, and one step up to what rests on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gm.model.fold import fold
from gm.model.node import Node
from gm.store.streams.find import STREAM, Finder, Found

MOST_NODES = 2000


def describe_evidence(finder: Finder, node: Node, most: int = MOST_NODES) -> list[dict[str, Any]]:
    """Describe what a memory rests on, and what that rests on, down to what was lived.

    A memory that is met a second time is only named (``again``), so that a circle ends; an id without a memory is
    ``missing``. Of ``most`` memories at most, this one among them, it is told what they rest on; others have ``cut``.
    """
    return _below(finder, node, {fold(node.id)}, most)


def _below(finder: Finder, node: Node, met: set[str], most: int) -> list[dict[str, Any]]:
    described: list[dict[str, Any]] = []
    for cited in node.evidence:
        found = finder.find(cited)
        if not found:
            described.append({"id": cited, "missing": True})
            continue
        item = brief(found[0])
        described.append(item)
        key = fold(found[0].node.id)
        if key in met:
            item["again"] = True
        elif len(met) >= most:
            item["cut"] = True
        else:
            met.add(key)
            item["evidence"] = _below(finder, found[0].node, met, most)
    return described


def describe_citing(finder: Finder, node: Node) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Describe what rests on a memory, and which memories are copies of it."""
    citing, copies = [], []
    wanted = fold(node.id)
    for found in finder.mentioning(node.id):
        if any(fold(cited) == wanted for cited in found.node.evidence):
            citing.append(brief(found))
        if copied_from(found.node) and fold(copied_from(found.node)) == wanted:
            copies.append(brief(found))
    return citing, copies


def copied_from(node: Node) -> str:
    """Name the memory that one is a copy of; empty when it is none, or when its metadata say something else."""
    value = node.metadata.get("copied_from")
    if isinstance(value, Mapping):
        value = value.get("id", value.get("node"))
    return value if isinstance(value, str) else ""


def brief(found: Found) -> dict[str, Any]:
    """Describe a memory in the few words in which others name it."""
    node = found.node
    described: dict[str, Any] = {
        "id": node.id,
        "agent": found.owner,
        "created": node.created,
        "type": node.type,
        "depth": node.depth,
        "importance": node.importance,
        "description": node.description,
        "path": found.path,
        "line": found.line,
    }
    return described if found.home == STREAM else described | {"home": found.home}


def edges(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give each pair of a memory's id and what it rests on, top down, from a document of ``gm why``."""

    def below(above: str, items: list[dict[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for item in items:
            yield above, item
            yield from below(str(item["id"]), item.get("evidence", []))

    return below(str(document["id"]), document["evidence"])
