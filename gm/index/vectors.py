"""What an index says about the memories it is asked about: which have a vector, and how close each is to a question."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from itertools import chain, islice
from pathlib import Path

from gm.index.base import Embedder, checked
from gm.index.exact import best, score
from gm.index.files import Shelf, read_header, read_shelf
from gm.index.near import Near, open_near
from gm.index.texts import Recipe
from gm.model.node import Node

CLOSEST = 200
"""So many of the closest memories are looked at sentence by sentence."""
APART = 64
"""Rows that nobody asked for are read along where no more of them lie between two that are wanted."""
Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """An index as it fits a stream.

    Attributes:
        shelf: The vectors; None when there are none that can be used.
        ids: Memories that have the vectors of their present text, in stream order.
        rows: The first row of each of these.
        missing: Memories that have none, or not all, in stream order.
        reason: Why there is no shelf, for people; empty when there is one.
        more: Other rows that stand for a memory as a whole, by its id.
        details: Rows of sentences, by the id of the memory.
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
        """Rows that belong to no memory any more: it was edited, archived or taken away, or the row is damaged."""
        known = len(self.rows) + sum(map(len, self.more.values())) + sum(map(len, self.details.values()))
        return len(self.shelf) - known if self.shelf else 0

    @property
    def is_scattered(self) -> bool:
        """Whether other rows are read along with those that every question is held against: one with four of them."""
        wanted = list(chain(self.rows, *self.more.values()))
        return bool(wanted) and 4 * sum(end - begin for begin, end in _stretches(wanted)) > 5 * len(wanted)


def _stretches(rows: Iterable[int]) -> list[tuple[int, int]]:
    """Put rows together to a few stretches to be read: first row, row after the last."""
    found: list[tuple[int, int]] = []
    begin = end = -1
    for row in sorted(rows):
        if row > end + APART or begin < 0:
            if begin >= 0:
                found.append((begin, end))
            begin = row
        end = row + 1
    return [*found, (begin, end)] if begin >= 0 else found


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
    return Opened(shelf, tuple(ids), tuple(rows), tuple(missing), more=more, details=details)


def wanted_rows(nodes: Iterable[Node], recipe: Recipe) -> dict[bytes, str]:
    """Name all rows that memories want, with the text of each: those of whole memories first, then sentences."""
    leading: dict[bytes, str] = {}
    details: dict[bytes, str] = {}
    for node in nodes:
        one, other = recipe.rows_in_two(node)
        leading |= one
        details |= other
    return leading | details


@dataclass(frozen=True)
class Similarities:
    """Vectors of memories that questions can be held against.

    How close a memory is: the best of the rows that stand for it as a whole; of the ``CLOSEST``, half of that and half
    of the best of all their rows.

    Attributes:
        shelf: The vectors on disk.
        ids: Whose vectors these are, in stream order.
        rows: First row of each; rows behind those of the shelf are ``extra``.
        extra: Vectors that are not on disk.
        approximate_above: Number of memories from which on the graph proposes what is compared.
        more: Other rows that stand for a memory as a whole, by its id.
        details: Rows of sentences, by the id of the memory.
    """

    shelf: Shelf
    ids: Sequence[str]
    rows: Sequence[int]
    extra: tuple[array[float], ...] = ()
    approximate_above: int = 100_000
    more: Mapping[str, Rows] = field(default_factory=dict)
    details: Mapping[str, Rows] = field(default_factory=dict)

    @cached_property
    def _near(self) -> Near | None:
        return open_near(self.shelf)

    @cached_property
    def _places(self) -> Mapping[int, int]:
        """Where in the stream the memory of a row stands."""
        known = {row: place for place, row in enumerate(self.rows)}
        for place, name in enumerate(self.ids):
            for row in (*self.more.get(name, ()), *self.details.get(name, ())):
                known[row] = place
        return known

    @cached_property
    def _in_order(self) -> bool:
        """Whether the rows are the first of the shelf, one for each memory: so in a stream that was never edited."""
        first = range(len(self.rows))
        return not self.more and (self.rows == first or list(self.rows) == list(first))

    @cached_property
    def _spans(self) -> Sequence[tuple[int, int]]:
        """Rows of the shelf that every question is held against, as few stretches: first row, row after the last."""
        count = len(self.shelf)
        if self._in_order:
            return [(0, min(count, len(self.rows)))]
        return _stretches(row for row in chain(self.rows, *self.more.values()) if row < count)

    @cached_property
    def _slots(self) -> Sequence[int]:
        """Where among the scores of the spans, and behind them of what is not on disk, each row of ``rows`` stands."""
        return self._slots_of(self.rows)

    @cached_property
    def _more_slots(self) -> Sequence[tuple[int, Sequence[int]]]:
        place_of = {name: place for place, name in enumerate(self.ids)} if self.more else {}
        return [(place_of[name], self._slots_of(rows)) for name, rows in self.more.items() if name in place_of]

    @cached_property
    def _shifts(self) -> tuple[Sequence[int], Sequence[int]]:
        begins, shifts, before = [], [], 0
        for begin, end in (*self._spans, (len(self.shelf), len(self.shelf))):
            begins.append(begin)
            shifts.append(before - begin)
            before += end - begin
        return begins, shifts

    def _slots_of(self, rows: Iterable[int]) -> list[int]:
        begins, shifts = self._shifts
        return [row + shifts[bisect_right(begins, row) - 1] for row in rows]

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
        ids, values = self.ids, self._closeness(query)
        if allowed is not None:
            inside = frozenset(allowed)
            pairs = [(name, value) for name, value in zip(ids, values, strict=True) if name in inside]
            ids, values = [name for name, _ in pairs], [value for _, value in pairs]
        if count is None:
            return dict(zip(ids, map(_clipped, values), strict=True))
        return {ids[place]: _clipped(values[place]) for place in best(values, count)}

    def _closeness(self, query: array[float]) -> list[float]:
        """Compare with all that stands for whole memories, then with the sentences of the closest."""
        values = self._whole(query)
        if self.details:
            places = nlargest(CLOSEST, range(len(values)), key=values.__getitem__)
            for place, value in self._with_details(query, places, values).items():
                values[place] = value
        return values

    def _whole(self, query: array[float]) -> list[float]:
        scores: list[float] = []
        for begin, end in self._spans:
            scores += score(self.shelf.data, query, begin, end)
        if self.extra:
            scores += score(_joined(self.extra), query)
        if self._in_order and len(scores) == len(self.rows):
            return scores
        values = [scores[slot] for slot in self._slots]
        for place, slots in self._more_slots:
            values[place] = max(values[place], *(scores[slot] for slot in slots))
        return values

    def _with_details(
        self, query: array[float], places: Iterable[int], values: Sequence[float] | Mapping[int, float]
    ) -> dict[int, float]:
        """Put the best sentence of each of some memories beside what it is as a whole."""
        wanted = [(place, rows) for place in places if (rows := self.details.get(self.ids[place]))]
        scores = iter(self._of_rows(query, [row for _, rows in wanted for row in rows]))
        return {place: (values[place] + max(values[place], *islice(scores, len(rows)))) / 2 for place, rows in wanted}

    def _of_rows(self, query: array[float], rows: Iterable[int]) -> list[float]:
        return score(memoryview(b"".join(map(self._vector, rows))), query)

    def _approximate(self, query: array[float], count: int) -> Mapping[str, float] | None:
        """Let the graph propose, and compare what it proposes exactly; None when it cannot answer."""
        near = self._near
        if near is None:
            return None
        later = range(near.count, len(self.shelf) + len(self.extra))
        places = sorted({self._places[row] for row in (*near.propose(query, count), *later) if row in self._places})
        if len(places) < count:
            return None
        wanted = [(self.rows[place], *self.more.get(self.ids[place], ())) for place in places]
        scores = iter(self._of_rows(query, [row for rows in wanted for row in rows]))
        found = {place: max(islice(scores, len(rows))) for place, rows in zip(places, wanted, strict=True)}
        values = list((found | self._with_details(query, places, found)).values())
        return {self.ids[places[index]]: _clipped(values[index]) for index in best(values, count)}

    def _vector(self, row: int) -> memoryview:
        return self.shelf.row(row) if row < len(self.shelf) else memoryview(self.extra[row - len(self.shelf)]).cast("B")


def join(
    opened: Opened,
    nodes: Sequence[Node],
    made: Sequence[tuple[str, array[float]]],
    above: int,
    details: Collection[int] = (),
) -> Similarities:
    """Put vectors that were made just now beside those of an index, in stream order.

    Args:
        opened: The index.
        nodes: The stream.
        made: Ids of memories that have no vectors there, and what was made for each; several for one memory or none.
        above: Number of memories from which on the graph proposes what is compared.
        details: Which of what was made are sentences, by place.
    """
    assert opened.shelf is not None
    if not made:
        return Similarities(opened.shelf, opened.ids, opened.rows, (), above, opened.more, opened.details)
    added: tuple[dict[str, Rows], dict[str, Rows]] = {}, {}
    for place, (name, _) in enumerate(made):
        kind = added[place in details]
        kind[name] = (*kind.get(name, ()), len(opened.shelf) + place)
    row_of = dict(zip(opened.ids, opened.rows, strict=True)) | {name: rows[0] for name, rows in added[0].items()}
    ids = [node.id for node in nodes if node.id in row_of]
    more = dict(opened.more) | {name: rows[1:] for name, rows in added[0].items() if len(rows) > 1}
    extra = tuple(vector for _, vector in made)
    rows = [row_of[name] for name in ids]
    return Similarities(opened.shelf, ids, rows, extra, above, more, {**opened.details, **added[1]})


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
