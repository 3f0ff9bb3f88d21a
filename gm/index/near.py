"""Approximate search for very long lives: a graph over the rows (HNSW, usearch), opened as a mapped view.

It only proposes rows; what is compared in the end are the vectors themselves. It grows in steps and is saved after
each, so that an interrupted build goes on; rows that it does not know yet are compared exactly.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gm.index.base import INSTALL, EmbeddingError
from gm.index.exact import load_simsimd
from gm.index.files import STAMP_NS, Shelf

if TYPE_CHECKING:
    from usearch.index import Index

STEP = 20_000
NEIGHBOURS = 16
EFFORT_BUILDING = 128
EFFORT_SEARCHING = 256
"""Candidates looked at for one question: more finds more of the true neighbours and takes longer."""
PROPOSED = 4
"""Rows proposed for each one that is asked for, at least ``LEAST``: the exact comparison then puts them in order."""
LEAST = 64


def grow(shelf: Shelf, done: Callable[[int], object] = lambda _rows: None, *, step: int = STEP) -> int:
    """Bring the graph up to the rows there are; tell how many it knows then.

    Args:
        shelf: The vectors.
        done: Is told how many rows the graph knows, after each step.
        step: Rows between two savings.

    Raises:
        EmbeddingError: The package that does it is not installed.
    """
    numpy = _numpy()
    graph = _open(shelf, view=False) or _new(shelf.header.dimensions)
    path = shelf.folder / shelf.header.near
    count = len(shelf)
    for start in range(len(graph), count, step):
        end = min(count, start + step)
        size = shelf.header.row_bytes
        rows = numpy.frombuffer(shelf.data[start * size : end * size], dtype="float32")
        graph.add(numpy.arange(start, end), rows.reshape(end - start, -1), threads=1)
        beside = path.with_name(f".{path.name}.new")
        graph.save(str(beside))
        os.utime(beside, ns=(STAMP_NS, STAMP_NS))
        os.replace(beside, path)
        done(end)
    return len(graph)


class Near:
    """The graph of an index, mapped.

    Attributes:
        count: Rows it knows: the first so many of the shelf.
    """

    def __init__(self, graph: Index) -> None:
        self._graph = graph
        self.count = len(graph)

    def propose(self, query: array[float], wanted: int) -> list[int]:
        """Name rows that are close to a vector, the closest first: several times as many as wanted."""
        found: Any = self._graph.search(
            _numpy().frombuffer(query, dtype="float32"), min(self.count, max(LEAST, PROPOSED * wanted)), threads=1
        )
        return [int(row) for row in found.keys]


def open_near(shelf: Shelf) -> Near | None:
    """Map the graph of an index; None when there is none that gm itself has written."""
    if not (shelf.folder / shelf.header.near).exists():
        return None
    graph = _open(shelf, view=True)
    return Near(graph) if graph is not None and len(graph) else None


def _open(shelf: Shelf, *, view: bool) -> Index | None:
    path = shelf.folder / shelf.header.near
    try:
        if path.stat().st_mtime_ns != STAMP_NS:
            return None  # not as gm left it: mapping a damaged graph could take the process down
        graph = _library().Index.restore(str(path), view=view, expansion_search=EFFORT_SEARCHING)
    except (OSError, RuntimeError, ValueError):
        return None
    if graph is None or graph.ndim != shelf.header.dimensions or len(graph) > len(shelf):
        return None
    graph.expansion_add = EFFORT_BUILDING
    found: Index = graph
    return found


def _new(dimensions: int) -> Index:
    graph: Index = _library().Index(
        ndim=dimensions,
        metric="ip",
        dtype="bf16",
        connectivity=NEIGHBOURS,
        expansion_add=EFFORT_BUILDING,
        expansion_search=EFFORT_SEARCHING,
    )
    return graph


def _library() -> Any:
    load_simsimd()  # first: loaded after usearch, it would be bound to functions of usearch and know no float32
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        from usearch import index
    except ImportError as error:
        raise EmbeddingError("usearch is not installed", INSTALL) from error
    return index


def _numpy() -> Any:
    _library()
    import numpy

    return numpy
