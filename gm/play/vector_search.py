"""Vector search, and embedding of new memories."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from gm.base.config import IndexSettings
from gm.base.errors import GmError, LockedError
from gm.files.commits.lock import locked
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.memory.recall.query import Similarity
from gm.model.node import GIFTED, Node

if TYPE_CHECKING:  # loaded where they are used: most commands need no vectors
    from gm.llm.vectors.base import Embedder
    from gm.llm.vectors.opened import OpenedIndex
    from gm.llm.vectors.similarities import Similarities
    from gm.llm.vectors.texts import Recipe

MOST_QUESTIONS = 512
"""Number of question vectors that are kept; the oldest go first."""
Nodes = Callable[[], Sequence[Node]]
"""Returns the memories of an index, in stream order."""


@dataclass(frozen=True, slots=True)
class _Row:
    # A text without a vector in the index: a memory, or a sentence of one (``is_detail``).
    id: str
    key: bytes
    text: str
    is_detail: bool


@dataclass(slots=True)
class _Stream:
    name: str
    nodes: Sequence[Node]
    opened: OpenedIndex
    ready: Similarities | None = None

    @property
    def prefix(self) -> str:
        """Seed memories are numbered from 1, like those of the stream."""
        return f"{GIFTED}/" if self.name.endswith(f"/{GIFTED}") else ""

    def late(self, recipe: Recipe, most: int) -> list[_Row]:
        missing = self.opened.missing
        return [
            _Row(node.id, key, text, is_detail)
            for node in (missing if len(missing) <= most else ())
            for is_detail, rows in zip((False, True), recipe.rows_in_two(node), strict=True)
            for key, text in rows.items()
        ]


class VectorSearch:
    """Compares questions with memories by vectors. May be used from several threads."""

    def __init__(self, layout: Layout, settings: IndexSettings, embedder: Embedder | None = None) -> None:
        self.settings = settings
        self._layout = layout
        self._embedder = embedder
        self._streams: dict[str, _Stream | None] = {}
        self._questions: dict[str, array[float]] = {}
        self._noted: list[tuple[str, Sequence[_Stream]]] | None = None
        self._failed = False
        self._caught_up = 0
        self._notices: dict[str, bool] = {}
        self._lock = RLock()

    @cached_property
    def _recipe(self) -> Recipe:
        from gm.llm.vectors.texts import recipe_of

        return recipe_of(self.settings)

    @property
    def is_usable(self) -> bool:
        return self.settings.enabled and not self._failed

    @property
    def state(self) -> tuple[bool, int]:
        """What the similarity of the same texts depends on."""
        return self._failed, self._caught_up

    @property
    def is_noting(self) -> bool:
        """Whether questions are only collected."""
        return self._noted is not None

    def take_notices(self) -> tuple[str, ...]:
        """Return the new notices of degradation since the last call."""
        with self._lock:
            new = tuple(notice for notice, taken in self._notices.items() if not taken)
            self._notices.update(dict.fromkeys(new, True))
        return new

    def over(self, streams: Mapping[str, Nodes]) -> Similarity | None:
        """Return the similarity of memories to a question; None when the index is off.

        Args:
            streams: The memories by index name; read when first needed.

        Returns:
            A function from a question to cosines in [-1, 1] by memory id (``gifted/…`` for seed memories), or None.
        """
        if not self.settings.enabled:
            return None
        return lambda text: self._closeness(streams, text)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Collect questions, unanswered, and embed them at the end in one batch."""
        self._noted = []
        try:
            yield
            noted = self._noted
        finally:
            self._noted = None
        if noted and self.is_usable:
            streams = {stream.name: stream for _, some in noted for stream in some}
            with self._lock:
                self._embed([text for text, _ in noted], list(streams.values()))

    def catch_up(self, streams: Mapping[str, Sequence[Node]]) -> bool:
        """Embed memories without vectors, in one batch; False if the embedder failed or the index is locked."""
        if not self.is_usable:
            return False
        with self._lock:
            self._caught_up += 1
            wanted: dict[str, dict[bytes, str]] = {}
            for name, nodes in streams.items():
                self._streams.pop(name, None)
                wanted[name] = self._find_wanted(name, nodes)
            texts = [text for rows in wanted.values() for text in rows.values()]
            vectors = self._vectors_of(texts)
            if vectors is None:
                return False
            made = iter(vectors)
            return self._keep({name: {key: next(made) for key in rows} for name, rows in wanted.items() if rows})

    def close(self) -> None:
        with self._lock:
            self._streams.clear()

    def _closeness(self, streams: Mapping[str, Nodes], text: str) -> Mapping[str, float] | None:
        if self._failed or not text.strip():
            return None
        with self._lock:
            opened = [stream for name, nodes in streams.items() if (stream := self._stream(name, nodes)) is not None]
            if not opened:
                return None
            if self._noted is not None:
                self._noted.append((text, opened))
                return None
            if not self._embed([text], opened):
                return None
            try:
                return {
                    stream.prefix + name: value
                    for stream in opened
                    if stream.ready is not None
                    for name, value in stream.ready.to(self._questions[text]).items()
                }
            except GmError as error:
                self._fail(error)
                return None

    def _stream(self, name: str, nodes: Nodes) -> _Stream | None:
        if name not in self._streams:
            self._streams[name] = self._open_stream(name, nodes())
        return self._streams[name]

    def _open_stream(self, name: str, nodes: Sequence[Node]) -> _Stream | None:
        if not nodes:
            return None
        from gm.llm.vectors.opened import open_vectors

        stream = _Stream(name, nodes, open_vectors(index_folder(self._layout, name), nodes, self._recipe))
        late = len(stream.opened.missing)
        if stream.opened.shelf is None:
            if not stream.prefix:
                self._note(lexical(f"{stream.opened.reason}; gm index build makes one"))
            return None
        if late > self.settings.catch_up:
            self._note(
                f"{late} of {len(nodes)} memories are not in the index and are found by their words: gm index build"
            )
        return stream

    def _embed(self, questions: Sequence[str], streams: Sequence[_Stream]) -> bool:
        new = [text for text in dict.fromkeys(questions) if text not in self._questions]
        late = [
            (stream, row)
            for stream in streams
            if stream.ready is None
            for row in stream.late(self._recipe, self.settings.catch_up)
        ]
        vectors = self._vectors_of([*map(self._recipe.question, new), *(row.text for _, row in late)])
        if vectors is None:
            return False
        for text, vector in zip(new, vectors, strict=False):
            self._questions[text] = vector
        while len(self._questions) > max(MOST_QUESTIONS, len(new)):
            del self._questions[next(iter(self._questions))]
        made: dict[str, dict[bytes, array[float]]] = {}
        rows: dict[str, list[tuple[_Row, array[float]]]] = {}
        for (stream, row), vector in zip(late, vectors[len(new) :], strict=True):
            made.setdefault(stream.name, {})[row.key] = vector
            rows.setdefault(stream.name, []).append((row, vector))
        for stream in streams:
            if stream.ready is None:
                stream.ready = self._join_rows(stream, rows.get(stream.name, []))
        self._keep(made)
        return True

    def _join_rows(self, stream: _Stream, made: Sequence[tuple[_Row, array[float]]]) -> Similarities:
        from gm.llm.vectors.similarities import join

        details = {place for place, (row, _) in enumerate(made) if row.is_detail}
        new = [(row.id, vector) for row, vector in made]
        return join(stream.opened, stream.nodes, new, details)

    def _find_wanted(self, name: str, nodes: Sequence[Node]) -> dict[bytes, str]:
        from gm.llm.vectors.opened import open_vectors, wanted_rows

        folder = index_folder(self._layout, name)
        opened = open_vectors(folder, nodes, self._recipe)
        missing = opened.missing[max(0, len(opened.missing) - self.settings.catch_up) :]
        if opened.shelf is None and (len(missing) < len(opened.missing) or self._is_of_another_model(folder)):
            return {}
        there = frozenset(opened.shelf.keys) if opened.shelf else frozenset()
        return {key: text for key, text in wanted_rows(missing, self._recipe).items() if key not in there}

    def _is_of_another_model(self, folder: Path) -> bool:
        from gm.llm.vectors.files import read_header

        header = read_header(folder)
        return header is not None and not header.fits(self._recipe)

    def _vectors_of(self, texts: Sequence[str]) -> list[array[float]] | None:
        if not texts:
            return []
        from gm.llm.vectors.texts import embed_texts
        from gm.play.embedder import open_embedder

        try:
            if self._embedder is None:
                self._embedder = open_embedder(self._layout, self.settings)
            return embed_texts(self._embedder, self._recipe, texts)
        except GmError as error:
            self._fail(error)
            return None

    def _keep(self, made: Mapping[str, Mapping[bytes, array[float]]]) -> bool:
        from gm.llm.vectors.files import ShelfWriter
        from gm.play.embedder import store_recipe

        try:
            if made:
                with disk.explained(self._layout.vectors):
                    disk.make_private(self._layout.derived)
                    with locked(self._layout.vectors_lock, "gm"):
                        for name, rows in made.items():
                            # another process may have added rows since
                            writer = ShelfWriter(index_folder(self._layout, name), self._recipe)
                            there = frozenset(writer.shelf.keys)
                            writer.append({key: row for key, row in rows.items() if key not in there})
            if self._embedder is not None:
                store_recipe(self._layout, self.settings, self._embedder)
        except LockedError:
            return False
        except (GmError, OSError) as error:
            self._note(f"new vectors could not be kept: {error}")
            return False
        return True

    def _fail(self, error: GmError) -> None:
        self._failed = True
        said = f"{error.message}; {error.hint}" if error.hint else error.message
        self._note(f"{lexical(said)} (until the end of this command)")

    def _note(self, notice: str) -> None:
        self._notices.setdefault(notice, False)


def lexical(reason: str) -> str:
    """Return the notice that only words are searched."""
    return f"no index, words only: {reason}"


def index_folder(layout: Layout, agent: str) -> Path:
    """Return an agent's folder of vectors."""
    return layout.vectors / agent


def gifted_index(owner: str) -> str:
    """Return the seed memories' index name."""
    return f"{owner}/gifted"
