"""What an index says about the memories it is asked about: which have a vector, and how close each is to a question."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gm.index.base import Embedder, checked
from gm.index.exact import best, score
from gm.index.files import Shelf, read_header, read_shelf
from gm.index.near import Near, open_near
from gm.index.texts import Recipe
from gm.model.node import Node


@dataclass(frozen=True, slots=True)
class Opened:
    """An index as it fits a stream.

    Attributes:
        shelf: The vectors; None when there are none that can be used.
        ids: Memories that have a vector of their present text, in stream order.
        rows: Row of each of these.
        missing: Memories that have none, in stream order.
        reason: Why there is no shelf, for people; empty when there is one.
    """

    shelf: Shelf | None
    ids: tuple[str, ...]
    rows: tuple[int, ...]
    missing: tuple[Node, ...]
    reason: str = ""

    @property
    def stale(self) -> int:
        """Rows that belong to no memory any more: it was edited, archived or taken away, or the row is damaged."""
        return len(self.shelf) - len(self.rows) if self.shelf else 0


def open_index(folder: Path, nodes: Sequence[Node], recipe: Recipe) -> Opened:
    """Open an agent's index for a stream. Never fails: an index that cannot be used is none.

    Args:
        folder: Where the index lies; need not exist.
        nodes: The memories that count, in stream order.
        recipe: How vectors are wanted.
    """
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
    return match(shelf, nodes, recipe)


def _without(nodes: Sequence[Node], reason: str) -> Opened:
    return Opened(None, (), (), tuple(nodes), reason)


def match(shelf: Shelf, nodes: Sequence[Node], recipe: Recipe) -> Opened:
    """Find the row of each memory. A row counts only for the very text it was made of."""
    row_of = {key: row for row, key in enumerate(shelf.keys) if key}
    ids, rows, missing = [], [], []
    for node in nodes:
        row = row_of.get(recipe.key(node))
        if row is None:
            missing.append(node)
        else:
            ids.append(node.id)
            rows.append(row)
    return Opened(shelf, tuple(ids), tuple(rows), tuple(missing))


@dataclass(frozen=True)
class Similarities:
    """Vectors of memories that questions can be held against.

    Attributes:
        shelf: The vectors on disk.
        ids: Whose vectors these are, in stream order.
        rows: Row of each; rows behind those of the shelf are ``extra``.
        extra: Vectors that are not on disk.
        approximate_above: Number of vectors from which on the graph proposes what is compared.
    """

    shelf: Shelf
    ids: Sequence[str]
    rows: Sequence[int]
    extra: tuple[array[float], ...] = ()
    approximate_above: int = 100_000

    @cached_property
    def _near(self) -> Near | None:
        return open_near(self.shelf)

    @cached_property
    def _places(self) -> Mapping[int, int]:
        """Where in the stream the memory of a row stands."""
        return {row: place for place, row in enumerate(self.rows)}

    def to(
        self, query: array[float], count: int | None = None, allowed: Collection[str] | None = None
    ) -> Mapping[str, float]:
        """Tell how close memories are to a question.

        Args:
            query: The question's vector, of length 1.
            count: Only so many, the closest; None = all.
            allowed: Only these memories.

        Returns:
            The cosine in [-1, 1] by id: in stream order where all are wanted, else the closest first, equal ones in
            stream order.
        """
        if count is not None and allowed is None and len(self.rows) > self.approximate_above:
            found = self._approximate(query, count)
            if found is not None:
                return found
        values = self._scores(query)
        ids: Sequence[str] = self.ids
        if allowed is not None:
            inside = frozenset(allowed)
            pairs = [(name, value) for name, value in zip(ids, values, strict=True) if name in inside]
            ids, values = [name for name, _ in pairs], [value for _, value in pairs]
        if count is None:
            return dict(zip(ids, map(_clipped, values), strict=True))
        return {ids[place]: _clipped(values[place]) for place in best(values, count)}

    def _scores(self, query: array[float]) -> list[float]:
        scores = score(self.shelf.data, query)
        if self.extra:
            scores += score(_joined(self.extra), query)
        return scores if self.rows == range(len(scores)) else [scores[row] for row in self.rows]

    def _approximate(self, query: array[float], count: int) -> Mapping[str, float] | None:
        """Let the graph propose, and compare what it proposes exactly; None when it cannot answer."""
        near = self._near
        if near is None:
            return None
        later = range(near.count, len(self.shelf) + len(self.extra))
        rows = {row for row in (*near.propose(query, count), *later) if row in self._places}
        if len(rows) < count:
            return None
        places = sorted(self._places[row] for row in rows)
        vectors = b"".join(self._vector(self.rows[place]) for place in places)
        values = score(memoryview(vectors), query)
        return {self.ids[places[index]]: _clipped(values[index]) for index in best(values, count)}

    def _vector(self, row: int) -> bytes:
        inside = row < len(self.shelf)
        return bytes(self.shelf.row(row)) if inside else self.extra[row - len(self.shelf)].tobytes()


def join(opened: Opened, nodes: Sequence[Node], made: Mapping[str, array[float]], above: int) -> Similarities:
    """Put vectors that were made just now beside those of an index, in stream order."""
    assert opened.shelf is not None
    row_of = dict(zip(opened.ids, opened.rows, strict=True))
    row_of |= {name: len(opened.shelf) + place for place, name in enumerate(made)}
    ids = [node.id for node in nodes if node.id in row_of]
    rows: Sequence[int] = [row_of[name] for name in ids]
    # a stream that was never edited has its rows in its own order: then nothing has to be looked up
    in_order = range(len(opened.shelf) + len(made))
    return Similarities(opened.shelf, ids, in_order if rows == list(in_order) else rows, tuple(made.values()), above)


def embed_with(embedder: Embedder, recipe: Recipe, query: str, nodes: Sequence[Node]) -> list[array[float]]:
    """Embed a question and, in the same call where the batch allows it, memories that have no vector yet.

    Returns:
        The question's vector, then those of the memories.
    """
    return embed_texts(embedder, recipe, [recipe.question(query), *(recipe.text(node) for node in nodes)])


def embed_texts(embedder: Embedder, recipe: Recipe, texts: Sequence[str]) -> list[array[float]]:
    """Embed texts, a batch at a time.

    Raises:
        EmbeddingError: The provider cannot do it, or gives vectors of another length.
    """
    made: list[array[float]] = []
    for start in range(0, len(texts), embedder.batch):
        piece = texts[start : start + embedder.batch]
        made += checked(embedder.embed(piece), len(piece), recipe.dimensions, f"{recipe.model} ({embedder.where})")
    return made


def _joined(vectors: Sequence[array[float]]) -> memoryview:
    return memoryview(b"".join(vector.tobytes() for vector in vectors))


def _clipped(value: float) -> float:
    return max(-1.0, min(1.0, value))
