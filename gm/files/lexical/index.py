"""The lexical index of a world, updated at each query."""

from __future__ import annotations

import sqlite3
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gm.files.commits.snapshot import snapshot
from gm.files.formats.disk import make_private
from gm.files.formats.text import read_slice
from gm.files.layout import Layout
from gm.files.lexical import files, packed, schema
from gm.files.lexical.sync import (
    ARCHIVE,
    SUMMARIES,
    Owner,
    Tell,
    find_owner,
    is_fresh,
    kept_files,
    list_unreadable,
    sync_owner,
)
from gm.files.reading import node_in
from gm.memory.recall import columns, query, words
from gm.memory.recall.lexicon import NOWHERE, UNENDING, Entries, Postings, collect
from gm.model.node import Node

T = TypeVar("T")
FEW = 200
"""Entries that are read one by one: all of a long stream take seconds."""
MANY = 200_000
"""From this many memories on, numbers are kept in arrays: lists are faster, but take up to nine times the memory."""
GONE = -1  # place of a memory that was removed
KEPT = {ARCHIVE: "archive", SUMMARIES: "summaries"}


class MemoryLocation(NamedTuple):
    """The location of a memory: one of its owner's files, offset and size in bytes."""

    kept: int
    start: int
    size: int


class IndexedLexicon:
    """The words of one character in one state of the index. Results are cached by term."""

    def __init__(
        self,
        file: sqlite3.Connection,
        owner: Owner,
        paths: Mapping[int, Path],
        left_out: Sequence[tuple[str, int]] = (),
    ) -> None:
        self._file = file
        self._number = owner.number
        self.owner = owner.name
        self.language = owner.language
        self.generation = owner.generation
        self.paths = paths
        self.left_out = left_out
        self._runs = packed.read_runs(file, owner.number)
        self._ends = [run.place + run.size for run in self._runs]
        self._by_doc = sorted(self._runs, key=lambda run: run.doc)
        self._last_docs = [run.doc + run.size - 1 for run in self._by_doc]
        self._size = self._ends[-1] if self._ends else 0
        self._numbers: dict[str, Sequence[int]] = {}
        self._locations: dict[int, MemoryLocation] = {}
        self.entries: Entries = _IndexedEntries(self, self._size)
        self._found: dict[str, Postings] = {}
        self._longer: dict[str, Sequence[str]] = {}

    @schema.fitting
    def location(self, place: int) -> MemoryLocation:
        """Return where a memory is; valid within one ``ask``."""
        if place not in self._locations:
            doc = self._doc_of(place)
            row = self._file.execute("SELECT kept, start, size FROM node WHERE doc = ?", (doc,)).fetchone()
            self._locations[place] = MemoryLocation._make(row)
        return self._locations[place]

    @schema.fitting
    def numbers(self, name: str) -> Sequence[int]:
        if name not in packed.NUMBERS and name not in packed.TEXTS:
            return [number for (number,) in self.rows(name)]
        if name not in self._numbers:
            found = packed.read_numbers(self._file, self._number, name, self._size)
            if len(found) != self._size:
                raise ValueError(f"{len(found)} of {name} for {self._size} memories")
            self._numbers[name] = found if self._size > MANY else found.tolist()
        return self._numbers[name]

    @schema.fitting
    def texts(self, name: str) -> Sequence[str]:
        if name in packed.TEXTS:
            texts = packed.read_column(self._file, self._number, name)
            return list(map(texts.__getitem__, self.numbers(name)))
        return [text for (text,) in self.rows(name)]

    def different(self, name: str) -> Collection[str]:
        if name in packed.TEXTS:
            return packed.read_column(self._file, self._number, name)[1:]
        return set(self.texts(name)) - {""}

    def rows(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Return some columns of all entries, in order."""
        return self._file.execute(
            f"SELECT {_columns(names)} FROM node WHERE owner = ? "
            "AND doc NOT IN (SELECT doc FROM repeated WHERE owner = ?) ORDER BY kept, start",
            (self._number, self._number),
        )

    @schema.fitting
    def read_entry(self, place: int) -> words.IndexEntry:
        """Return the entry of one memory."""
        row = self._file.execute(
            f"SELECT {_columns(schema.ENTRY_COLUMNS)} FROM node WHERE doc = ?", (self._doc_of(place),)
        ).fetchone()
        return words.IndexEntry._make(row)

    @schema.fitting
    def read_entries(self) -> list[words.IndexEntry]:
        """Return the entries of all memories."""
        found = list(map(words.IndexEntry._make, self.rows(*schema.ENTRY_COLUMNS)))
        if len(found) != self._size:
            raise ValueError(f"{len(found)} rows for {self._size} memories")
        return found

    def _doc_of(self, place: int) -> int:
        run = self._runs[bisect_right(self._ends, place)]
        return run.doc + place - run.place

    @schema.fitting
    def find(self, term: str) -> Postings:
        """Return the places of a term; valid within one ``ask``."""
        if term not in self._found:
            rows = self._file.execute(
                "SELECT docs, counts, places FROM posting WHERE owner = ? AND term = ? ORDER BY doc",
                (self._number, term),
            ).fetchall()
            self._found[term] = self._read_postings(*map(b"".join, zip(*rows, strict=True))) if rows else NOWHERE
        return self._found[term]

    def _read_postings(self, docs: bytes, counts: bytes, where: bytes) -> Postings:
        postings = Postings(self._places_of(array(schema.NUMBER, docs)), array(schema.NUMBER, counts), where)
        if len(postings.places) != len(postings.counts):
            raise ValueError(f"{len(postings.counts)} counts for {len(postings.places)} memories")
        if len(where) != 2 * sum(postings.counts):  # other words in the same bytes would be seen only by a digest
            raise ValueError(f"{len(where)} bytes of places for {sum(postings.counts)} words")
        in_order = sorted(postings.places)
        if in_order == postings.places and in_order[0] != GONE:
            return postings
        return collect(item for item in postings.rows() if item[0] != GONE)

    def _places_of(self, docs: Sequence[int]) -> list[int]:
        """Return the places of ascending documents."""
        places: list[int] = []
        while len(places) < len(docs):
            begin = len(places)
            number = bisect_left(self._last_docs, docs[begin])
            first = self._by_doc[number].doc if number < len(self._by_doc) else sys.maxsize
            if docs[begin] < first:
                places += repeat(GONE, bisect_left(docs, first, begin) - begin)
                continue
            shift = self._by_doc[number].place - first
            end = bisect_right(docs, self._last_docs[number], begin)
            places += [doc + shift for doc in docs[begin:end]] if shift else docs[begin:end]
        return places

    def compounds(self, part: str) -> Sequence[str]:
        """Return the longer words that begin or end with a part."""
        if part not in self._longer:
            found = set()
            for column, beginning in (("term", part), ("backwards", part[::-1])):
                rows = self._file.execute(
                    f"SELECT term FROM word WHERE owner = ? AND {column} >= ? AND {column} < ?",
                    (self._number, beginning, beginning + UNENDING),
                )
                found |= {term for (term,) in rows}
            self._longer[part] = sorted(term for term in found - {part} if self.find(term).places)
        return self._longer[part]


class _IndexedEntries:
    """The entries of an index, read one by one as they are asked for; past ``FEW``, all at once."""

    def __init__(self, lexicon: IndexedLexicon, size: int) -> None:
        self._lexicon = lexicon
        self._size = size
        self._some: dict[int, words.IndexEntry] = {}

    @cached_property
    def _all(self) -> list[words.IndexEntry]:
        return self._lexicon.read_entries()

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[words.IndexEntry]:
        return iter(self._all)

    def __getitem__(self, place: int) -> words.IndexEntry:
        if place not in self._some:
            if len(self._some) >= FEW:
                return self._all[place]
            self._some[place] = self._lexicon.read_entry(place)
        return self._some[place]


def _columns(names: Iterable[str]) -> str:
    return ", ".join(f"e_{name}" for name in names)


class WordIndex:
    """The words of a world's memories; opened when first asked. Within one ``ask``, the files have one state."""

    def __init__(self, layout: Layout, language: str, tell: Tell = lambda _: None) -> None:
        self._layout = layout
        self._tell = tell
        self._language = language
        self._columns: dict[str, columns.Columns] = {}

    @cached_property
    def _file(self) -> sqlite3.Connection:
        with suppress(OSError):
            make_private(self._layout.derived)
        return schema.connect(self._layout.lexical)

    def close(self) -> None:
        if "_file" in vars(self):
            self._file.close()

    def ask(self, names: Sequence[str], work: Callable[[tuple[columns.Columns, ...]], T]) -> T:
        """Update the characters' rows, then return ``work`` of them, within one transaction.

        Args:
            work: Called again if the index file proves damaged.
        """

        def once() -> T:
            self._begin(names)
            try:
                return work(tuple(self._columns[name] for name in names))
            finally:
                with suppress(sqlite3.Error):
                    self._file.execute("COMMIT")

        with snapshot(self._layout):
            return self._guarded(once)

    def turns(self) -> query.Turn:
        """Return the ordinal of each scene; takes the shared lock."""
        with snapshot(self._layout):
            return self._guarded(lambda: files.count_scenes(self._file, self._layout))

    @schema.fitting
    def read_node(self, hit: query.Hit) -> Node | None:
        """Read a memory of a hit, within the same ``ask``; None if gone."""
        lexicon = self._lexicon(hit.owner)
        kept, start, size = lexicon.location(hit.place)
        return node_in(read_slice(lexicon.paths[kept], start, size).decode("utf-8", "replace"))

    @schema.fitting
    def kept_in(self, hit: query.Hit) -> str:
        """Return ``archive`` or ``summaries`` for a memory outside the stream, else ""."""
        return KEPT.get(self._lexicon(hit.owner).location(hit.place).kept, "")

    def left_out(self, names: Sequence[str]) -> list[tuple[str, int]]:
        """Return the files with unreadable lines, and their number."""
        return [item for name in names for item in self._lexicon(name).left_out]

    def _lexicon(self, name: str) -> IndexedLexicon:
        lexicon = self._columns[name].lexicon
        assert isinstance(lexicon, IndexedLexicon)
        return lexicon

    def _begin(self, names: Sequence[str]) -> None:
        stale = [name for name in names if not is_fresh(self._file, self._layout, name, self._language)]
        if stale:
            self._file.execute("BEGIN IMMEDIATE")
            for name in stale:
                sync_owner(self._file, self._layout, name, self._language, self._tell)
            self._file.execute("COMMIT")
        self._file.execute("BEGIN")
        for name in names:
            owner = find_owner(self._file, name)
            assert owner is not None
            if name not in self._columns or self._lexicon(name).generation != owner.generation:
                paths = dict(kept_files(self._layout, name))
                lost = list(list_unreadable(self._file, self._layout, owner))
                self._columns[name] = columns.Columns(IndexedLexicon(self._file, owner, paths, lost))

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except sqlite3.DatabaseError as error:
            self._leave()
            if not schema.is_damage(error):
                self._file = schema.in_memory(self._layout.lexical)
                return work()
        with suppress(OSError, sqlite3.Error):
            schema.make_anew(self._layout.lexical)
            self._file = schema.connect(self._layout.lexical)
            return work()
        self._leave()
        self._file = schema.in_memory(None)
        return work()

    def _leave(self) -> None:
        self._columns.clear()
        with suppress(sqlite3.Error):
            self._file.close()


@contextmanager
def open_index(layout: Layout, language: str, tell: Tell = lambda _: None) -> Iterator[WordIndex]:
    """Open the index of a world within a block; ``tell`` is called with the progress of reading a long stream."""
    index = WordIndex(layout, language, tell)
    try:
        yield index
    finally:
        index.close()
