"""What an index says about the memories it is asked about: which have a vector, and how close each is to a question."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
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
        ids: Memories that have the vectors of their present text, in stream order; each as often as it has vectors.
        rows: Row of each of these.
        missing: Memories that have none, or not all, in stream order.
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
    """Find the rows of each memory. A row counts only for the very text it was made of."""
    row_of = {key: row for row, key in enumerate(shelf.keys) if key}
    ids: list[str] = []
    rows: list[int] = []
    missing = []
    for node in nodes:
        own = [row_of.get(key) for key in recipe.rows(node)]
        there = [row for row in own if row is not None]
        if len(there) < len(own):
            missing.append(node)
        else:
            ids += [node.id] * len(there)
            rows += there
    return Opened(shelf, tuple(ids), tuple(rows), tuple(missing))


def wanted_rows(nodes: Iterable[Node], recipe: Recipe) -> dict[bytes, str]:
    """Name all rows that memories want, with the text of each."""
    return {key: text for node in nodes for key, text in recipe.rows(node).items()}


@dataclass(frozen=True)
class Similarities:
    """Vectors of memories that questions can be held against.

    Attributes:
        shelf: The vectors on disk.
        ids: Whose vectors these are, in stream order; a memory with several stands there several times, and the best
            of them counts.
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
        ids, values = self._best_of_each(self.ids, self._scores(query))
        if allowed is not None:
            inside = frozenset(allowed)
            pairs = [(name, value) for name, value in zip(ids, values, strict=True) if name in inside]
            ids, values = [name for name, _ in pairs], [value for _, value in pairs]
        if count is None:
            return dict(zip(ids, map(_clipped, values), strict=True))
        return {ids[place]: _clipped(values[place]) for place in best(values, count)}

    @cached_property
    def _are_several(self) -> bool:
        return len(set(self.ids)) < len(self.ids)

    def _best_of_each(self, ids: Sequence[str], values: list[float]) -> tuple[Sequence[str], list[float]]:
        """Keep of the vectors of one memory the closest."""
        if not self._are_several:
            return ids, values
        found: dict[str, float] = {}
        for name, value in zip(ids, values, strict=True):
            if value > found.get(name, -math.inf):
                found[name] = value
        return list(found), list(found.values())

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
        places = sorted(self._places[row] for row in rows)
        vectors = b"".join(self._vector(self.rows[place]) for place in places)
        named = [self.ids[place] for place in places]
        ids, values = self._best_of_each(named, score(memoryview(vectors), query))
        if len(ids) < count:
            return None
        return {ids[index]: _clipped(values[index]) for index in best(values, count)}

    def _vector(self, row: int) -> bytes:
        inside = row < len(self.shelf)
        return bytes(self.shelf.row(row)) if inside else self.extra[row - len(self.shelf)].tobytes()


def join(opened: Opened, nodes: Sequence[Node], made: Sequence[tuple[str, array[float]]], above: int) -> Similarities:
    """Put vectors that were made just now beside those of an index, in stream order.

    Args:
        opened: The index.
        nodes: The stream.
        made: Ids of memories that have no vectors there, and what was made for each; several for one memory or none.
        above: Number of vectors from which on the graph proposes what is compared.
    """
    assert opened.shelf is not None
    rows_of: dict[str, list[int]] = {}
    added = enumerate((name for name, _ in made), len(opened.shelf))
    for name, row in chain(zip(opened.ids, opened.rows, strict=True), ((name, row) for row, name in added)):
        rows_of.setdefault(name, []).append(row)
    ids = [node.id for node in nodes for _ in rows_of.get(node.id, ())]
    rows: Sequence[int] = [row for node in nodes for row in rows_of.get(node.id, ())]
    # a stream that was never edited has its rows in its own order: then nothing has to be looked up
    in_order = range(len(opened.shelf) + len(made))
    extra = tuple(vector for _, vector in made)
    return Similarities(opened.shelf, ids, in_order if rows == list(in_order) else rows, extra, above)


def embed_with(embedder: Embedder, recipe: Recipe, query: str, texts: Iterable[str]) -> list[array[float]]:
    """Embed a question and, in the same call where the batch allows it, texts that have no vector yet.

    Returns:
        The question's vector, then those of the texts.
    """
    return embed_texts(embedder, recipe, [recipe.question(query), *texts])


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
