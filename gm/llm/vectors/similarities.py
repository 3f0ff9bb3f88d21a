"""Similarity of memories to a question, by exact comparison."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from importlib import import_module
from itertools import chain, islice
from mmap import MADV_DONTNEED, PAGESIZE, mmap
from typing import Any

from gm.base.installed import pip_install
from gm.llm.vectors.base import EmbeddingError
from gm.llm.vectors.files import FLOAT, Shelf
from gm.llm.vectors.opened import OpenedIndex, Rows, stretches
from gm.model.node import Node

CLOSEST = 200
"""Number of the closest memories compared sentence by sentence."""
PIECE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Similarities:
    """Vectors of memories, to be compared with questions.

    A memory's similarity is the best of the rows for it as a whole; for the ``CLOSEST``, the mean of that and the best
    of all its rows.

    Attributes:
        rows: First row of each; numbers beyond the shelf refer to ``extra``, vectors not on disk.
    """

    shelf: Shelf
    ids: Sequence[str]
    rows: Sequence[int]
    extra: tuple[array[float], ...] = ()
    more: Mapping[str, Rows] = field(default_factory=dict)
    details: Mapping[str, Rows] = field(default_factory=dict)

    @cached_property
    def _in_order(self) -> bool:
        first = range(len(self.rows))
        return not self.more and (self.rows == first or list(self.rows) == list(first))

    @cached_property
    def _spans(self) -> Sequence[tuple[int, int]]:
        count = len(self.shelf)
        if self._in_order:
            return [(0, min(count, len(self.rows)))]
        return stretches(row for row in chain(self.rows, *self.more.values()) if row < count)

    @cached_property
    def _slots(self) -> Sequence[int]:
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
        """Return the cosine of memories with a question, in [-1, 1], by id.

        Args:
            query: Of length 1.
            count: Only the closest, in order, ties in stream order; None = all, in stream order.
        """
        ids, values = self.ids, self._closeness(query)
        if allowed is not None:
            inside = frozenset(allowed)
            pairs = [(name, value) for name, value in zip(ids, values, strict=True) if name in inside]
            ids, values = [name for name, _ in pairs], [value for _, value in pairs]
        if count is None:
            return dict(zip(ids, map(_clip, values), strict=True))
        return {ids[place]: _clip(values[place]) for place in best(values, count)}

    def _closeness(self, query: array[float]) -> list[float]:
        values = self._score_all(query)
        if self.details:
            places = nlargest(CLOSEST, range(len(values)), key=values.__getitem__)
            for place, value in self._with_details(query, places, values).items():
                values[place] = value
        return values

    def _score_all(self, query: array[float]) -> list[float]:
        scores: list[float] = []
        for begin, end in self._spans:
            scores += score(self.shelf.data, query, begin, end)
        if self.extra:
            scores += score(memoryview(b"".join(vector.tobytes() for vector in self.extra)), query)
        if self._in_order and len(scores) == len(self.rows):
            return scores
        values = [scores[slot] for slot in self._slots]
        for place, slots in self._more_slots:
            values[place] = max(values[place], *(scores[slot] for slot in slots))
        return values

    def _with_details(self, query: array[float], places: Iterable[int], values: Sequence[float]) -> dict[int, float]:
        wanted = [(place, rows) for place in places if (rows := self.details.get(self.ids[place]))]
        scores = iter(self._of_rows(query, [row for _, rows in wanted for row in rows]))
        return {place: (values[place] + max(values[place], *islice(scores, len(rows)))) / 2 for place, rows in wanted}

    def _of_rows(self, query: array[float], rows: Iterable[int]) -> list[float]:
        return score(memoryview(b"".join(map(self._vector, rows))), query)

    def _vector(self, row: int) -> memoryview:
        return self.shelf.row(row) if row < len(self.shelf) else memoryview(self.extra[row - len(self.shelf)]).cast("B")


def join(
    opened: OpenedIndex, nodes: Sequence[Node], made: Sequence[tuple[str, array[float]]], details: Collection[int] = ()
) -> Similarities:
    """Add new vectors to those of an index, in stream order.

    Args:
        made: Vectors with the ids of their memories, which have none in the index; several for one memory or none.
        details: Indices in ``made`` of the vectors of sentences.
    """
    assert opened.shelf is not None
    if not made:
        return Similarities(opened.shelf, opened.ids, opened.rows, (), opened.more, opened.details)
    added: tuple[dict[str, Rows], dict[str, Rows]] = {}, {}
    for place, (name, _) in enumerate(made):
        kind = added[place in details]
        kind[name] = (*kind.get(name, ()), len(opened.shelf) + place)
    row_of = dict(zip(opened.ids, opened.rows, strict=True)) | {name: rows[0] for name, rows in added[0].items()}
    ids = [node.id for node in nodes if node.id in row_of]
    more = dict(opened.more) | {name: rows[1:] for name, rows in added[0].items() if len(rows) > 1}
    extra = tuple(vector for _, vector in made)
    rows = [row_of[name] for name in ids]
    return Similarities(opened.shelf, ids, rows, extra, more, {**opened.details, **added[1]})


def _clip(value: float) -> float:
    return max(-1.0, min(1.0, value))


def score(data: memoryview, query: array[float], first: int = 0, last: int | None = None) -> list[float]:
    """Return the cosine of ``query`` with each row; rounding may exceed 1 by less than a millionth.

    Args:
        data: Rows of float32 of length 1.
        last: The row after the last one; None = to the end.

    Raises:
        EmbeddingError: simsimd is not installed.

    Source:
        Document 000 (exact search, O(rows x dimensions)); document 001 (relevance = cosine).
    """
    simsimd = load_simsimd()
    width = len(query)
    asked = memoryview(query).cast("B").cast("f", shape=[1, width])
    size = width * FLOAT
    step = max(1, PIECE_BYTES // size) * size
    scores: list[float] = []
    end = len(data) if last is None else last * size
    for start in range(first * size, end, step):
        piece = data[start : min(start + step, end)]
        found = memoryview(simsimd.cdist(asked, piece.cast("f", shape=[len(piece) // size, width]), "dot"))
        scores += found.cast("B").cast("d").tolist()
        _forget(data, start, len(piece))
    return scores


def load_simsimd() -> Any:
    """Import simsimd, or raise an ``EmbeddingError``."""
    try:
        return import_module("simsimd")
    except ImportError as error:
        hint = f"install what the index needs: {pip_install('index')}"
        raise EmbeddingError("simsimd is not installed", hint) from error


def _forget(data: memoryview, start: int, size: int) -> None:
    # The piece stays in the system's cache, and the process stays small.
    if isinstance(data.obj, mmap):
        first = -(-start // PAGESIZE) * PAGESIZE
        whole = (start + size - first) // PAGESIZE * PAGESIZE
        if whole > 0:
            data.obj.madvise(MADV_DONTNEED, first, whole)


def best(scores: list[float], count: int) -> list[int]:
    """Return the indices of the highest scores, ties in their order."""
    border = nlargest(count, scores)[-1] if count > 0 and scores else math.inf
    places = [place for place, value in enumerate(scores) if value >= border]
    return sorted(places, key=lambda place: (-scores[place], place))[:count]
