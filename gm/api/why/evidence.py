"""The evidence of a memory, recursively, and its direct citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.api.document import part
from gm.base.casefold import casefold
from gm.files.streams.find import STREAM, Finder, Found
from gm.model.node import Node

MOST_NODES = 2000


@dataclass(frozen=True, slots=True)
class Missing:
    """An id that no memory has."""

    id: str
    missing: bool = True


@dataclass(frozen=True, slots=True)
class Cited:
    """A memory in brief.

    Attributes:
        path: Inside the world; ``line`` is from 1.
        home: archive, summaries or gifted; None = the stream.
        again: Already in the tree; here only named.
        cut: Its evidence did not fit.
        evidence: None = not expanded.
    """

    id: str
    agent: str
    created: str
    type: str
    depth: int
    importance: int
    description: str
    path: str
    line: int
    home: str | None = part(omit=None)
    again: bool = part(omit=False)
    cut: bool = part(omit=False)
    evidence: tuple[Cited | Missing, ...] | None = part(omit=None)


def find_evidence(finder: Finder, node: Node, most: int = MOST_NODES) -> tuple[Cited | Missing, ...]:
    """Return the evidence of a memory, recursively.

    A memory met again is only named (``again``), so that cycles end. At most ``most`` memories are expanded, including
    this one; others have ``cut``.
    """
    return tuple(_below(finder, node, {casefold(node.id)}, most))


def _below(finder: Finder, node: Node, met: set[str], most: int) -> Iterator[Cited | Missing]:
    for cited in node.evidence:
        found = finder.find(cited)
        if not found:
            yield Missing(cited)
            continue
        item, key = brief(found[0]), casefold(found[0].node.id)
        if key in met:
            yield replace(item, again=True)
        elif len(met) >= most:
            yield replace(item, cut=True)
        else:
            met.add(key)
            yield replace(item, evidence=tuple(_below(finder, found[0].node, met, most)))


def find_citing(finder: Finder, node: Node) -> tuple[tuple[Cited, ...], tuple[Cited, ...]]:
    """Return the memories that cite a node, and the copies of it."""
    citing, copies = [], []
    wanted = casefold(node.id)
    for found in finder.mentioning(node.id):
        if any(casefold(cited) == wanted for cited in found.node.evidence):
            citing.append(brief(found))
        if copied_from(found.node) and casefold(copied_from(found.node)) == wanted:
            copies.append(brief(found))
    return tuple(citing), tuple(copies)


def copied_from(node: Node) -> str:
    """Return the id of which a node is a copy, or ``""``."""
    value = node.metadata.get("copied_from")
    if isinstance(value, Mapping):
        value = value.get("id", value.get("node"))
    return value if isinstance(value, str) else ""


def brief(found: Found) -> Cited:
    """Return a memory in brief."""
    node, home = found.node, None if found.home == STREAM else found.home
    return Cited(
        id=node.id,
        agent=found.owner,
        created=node.created,
        type=node.type,
        depth=node.depth,
        importance=node.importance,
        description=node.description,
        path=found.path,
        line=found.line,
        home=home,
    )


def edges(above: str, items: Sequence[Cited | Missing]) -> Iterator[tuple[str, Cited | Missing]]:
    """Yield pairs of a node id and its evidence, top down."""
    for item in items:
        yield above, item
        if isinstance(item, Cited):
            yield from edges(item.id, item.evidence or ())
