"""Update of an agent's index from its memory stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.llm.vectors.base import Embedder
from gm.llm.vectors.files import ShelfWriter
from gm.llm.vectors.opened import match, wanted_rows
from gm.llm.vectors.texts import Recipe, embed_texts
from gm.model.node import Node

LEFT_OVER = 4
"""Stale rows are dropped when they are more than one in this many."""
FEW = 64


@dataclass(frozen=True, slots=True)
class Built:
    """Memories embedded now, rows in the index afterwards, rows dropped."""

    embedded: int
    rows: int
    dropped: int


def build(
    folder: Path,
    nodes: Sequence[Node],
    embedder: Embedder,
    recipe: Recipe,
    *,
    anew: bool = False,
    tell: Callable[[int, int], object] = lambda _done, _of: None,
) -> Built:
    """Bring an index up to date. Each batch is on the disk before the next one is requested.

    Args:
        folder: The agent's; the caller holds the lock of the index.
        anew: Discard the existing rows.
        tell: Called with the number of texts embedded so far, and of all.

    Raises:
        EmbeddingError: The provider failed. What was embedded before is kept.
    """
    writer = ShelfWriter(folder, recipe, anew=anew)
    missing = match(writer.shelf, nodes, recipe).missing
    there = set(writer.shelf.keys)
    wanted = [(key, text) for key, text in wanted_rows(missing, recipe).items() if key not in there]
    for start in range(0, len(wanted), embedder.batch):
        piece = wanted[start : start + embedder.batch]
        vectors = embed_texts(embedder, recipe, [text for _, text in piece])
        writer.append({key: vector for (key, _), vector in zip(piece, vectors, strict=True)})
        tell(start + len(piece), len(wanted))
    shelf = writer.reread()
    found = match(shelf, nodes, recipe)
    stale = found.stale
    dropped = stale if stale > FEW and stale * LEFT_OVER > len(shelf) else 0
    if dropped or (found.is_scattered and len(shelf) > FEW):
        dropped = stale
        writer.keep(wanted_rows(nodes, recipe))
        shelf = writer.shelf
    return Built(len(missing), len(shelf), dropped)
