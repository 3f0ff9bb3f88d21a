"""An index matched to a memory stream, and brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from gm.llm.vectors.base import Embedder
from gm.llm.vectors.files import Shelf, ShelfWriter, read_header, read_shelf
from gm.llm.vectors.texts import Recipe, embed_texts
from gm.model.node import Node

APART = 64
"""Rows between two wanted ones are read along up to this number."""
Rows = tuple[int, ...]
LEFT_OVER = 4
"""Stale rows are dropped when they are more than one in this many."""
FEW_ROWS = 64


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """An index matched to a stream.

    Attributes:
        ids: Memories with all vectors of their current text, in stream order.
        rows: The first row of each.
        missing: The other memories, in stream order.
        more: Further rows for a whole memory, by its id.
        details: Rows of sentences, by the memory's id.
    """

    shelf: Shelf | None
    ids: Sequence[str]
    rows: Sequence[int]
    missing: tuple[Node, ...]
    reason: str = ""
    more: Mapping[str, Rows] = field(default_factory=dict)
    details: Mapping[str, Rows] = field(default_factory=dict)

    @property
    def stale(self) -> int:
        """Number of rows without a memory, or damaged."""
        known = len(self.rows) + sum(map(len, self.more.values())) + sum(map(len, self.details.values()))
        return len(self.shelf) - known if self.shelf else 0

    @property
    def is_scattered(self) -> bool:
        """Whether over a fifth of the rows read are unwanted."""
        wanted = list(chain(self.rows, *self.more.values()))
        return bool(wanted) and 4 * sum(end - begin for begin, end in stretches(wanted)) > 5 * len(wanted)


def stretches(rows: Iterable[int]) -> list[tuple[int, int]]:
    """Group rows into few ranges to be read: first row, row after the last."""
    found: list[tuple[int, int]] = []
    begin = end = -1
    for row in sorted(rows):
        if row > end + APART or begin < 0:
            if begin >= 0:
                found.append((begin, end))
            begin = row
        end = row + 1
    return [*found, (begin, end)] if begin >= 0 else found


def open_vectors(folder: Path, nodes: Sequence[Node], recipe: Recipe) -> OpenedIndex:
    """Match an agent's index to a stream; an unusable one counts as none."""
    try:
        header = read_header(folder)
        if header is not None and not header.fits(recipe):
            made = f"{header.model} ({header.dimensions} dimensions)"
            wanted = f"{recipe.model} ({recipe.dimensions})"
            return _without(nodes, f"the index was made with {made}, {wanted} is configured")
        shelf = read_shelf(folder)
    except OSError as error:
        return _without(nodes, f"the index cannot be read: {error.strerror}")
    if shelf is None or not shelf.header.fits(recipe):
        return _without(nodes, "there is no index")
    return match_rows(shelf, nodes, recipe)


def _without(nodes: Sequence[Node], reason: str) -> OpenedIndex:
    return OpenedIndex(None, (), (), tuple(nodes), reason)


def match_rows(shelf: Shelf, nodes: Sequence[Node], recipe: Recipe) -> OpenedIndex:
    """Find memories' rows. A row counts only for the exact text it was made of."""
    row_of = {key: row for row, key in enumerate(shelf.keys) if key}
    ids: list[str] = []
    rows: list[int] = []
    more: dict[str, Rows] = {}
    details: dict[str, Rows] = {}
    missing = []
    for node in nodes:
        leading, beside = ([row_of.get(key) for key in keys] for keys in recipe.rows_in_two(node))
        there = [row for row in leading if row is not None], [row for row in beside if row is not None]
        if not there[0] or len(there[0]) + len(there[1]) < len(leading) + len(beside):
            missing.append(node)
            continue
        ids.append(node.id)
        rows.append(there[0][0])
        if len(there[0]) > 1:
            more[node.id] = tuple(there[0][1:])
        if there[1]:
            details[node.id] = tuple(there[1])
    return OpenedIndex(shelf, tuple(ids), tuple(rows), tuple(missing), more=more, details=details)


def wanted_rows(nodes: Iterable[Node], recipe: Recipe) -> dict[bytes, str]:
    """Return the wanted rows' texts by key: whole memories, then sentences."""
    leading: dict[bytes, str] = {}
    details: dict[bytes, str] = {}
    for node in nodes:
        one, other = recipe.rows_in_two(node)
        leading |= one
        details |= other
    return leading | details


@dataclass(frozen=True, slots=True)
class Built:
    """Memories embedded now, rows afterwards, rows dropped."""

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
    """Bring an index up to date. Each batch is on disk before the next one is requested.

    Args:
        folder: The agent's; the caller holds the index lock.
        anew: Discard the existing rows.
        tell: Called with the number of texts embedded so far, and of all.

    Raises:
        EmbeddingError: The provider failed. What was embedded before is kept.
    """
    writer = ShelfWriter(folder, recipe, anew=anew)
    missing = match_rows(writer.shelf, nodes, recipe).missing
    there = set(writer.shelf.keys)
    wanted = [(key, text) for key, text in wanted_rows(missing, recipe).items() if key not in there]
    for start in range(0, len(wanted), embedder.batch):
        piece = wanted[start : start + embedder.batch]
        vectors = embed_texts(embedder, recipe, [text for _, text in piece])
        writer.append({key: vector for (key, _), vector in zip(piece, vectors, strict=True)})
        tell(start + len(piece), len(wanted))
    shelf = writer.reread()
    found = match_rows(shelf, nodes, recipe)
    stale = found.stale
    dropped = stale if stale > FEW_ROWS and stale * LEFT_OVER > len(shelf) else 0
    if dropped or (found.is_scattered and len(shelf) > FEW_ROWS):
        dropped = stale
        writer.keep(wanted_rows(nodes, recipe))
        shelf = writer.shelf
    return Built(len(missing), len(shelf), dropped)
