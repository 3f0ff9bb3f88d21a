"""One stream of the index, as recall asks for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gm.memory.recall.entry import Entry
from gm.memory.recall.lexicon import UNENDING, Postings, collect
from gm.store.lexical.schema import ENTRY_COLUMNS
from gm.store.lexical.sync import Owner


class Spot(NamedTuple):
    """Where a memory stands: in which of its owner's files, at which byte, and how many."""

    kept: int
    start: int
    size: int


class IndexedLexicon:
    """The memories of one character, in one state of the index. Terms that were asked for stay in memory.

    Args:
        file: The index, within a transaction.
        owner: Whose memories.
        paths: The owner's files.
        left_out: Names of those files of which lines are no memories, and how many are not.
    """

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
        entries: list[Entry] = []
        self.spots: list[Spot] = []
        self._place: dict[int, int] = {}
        seen: set[tuple[int, str]] = set()
        columns = ", ".join(f"e_{name}" for name in ENTRY_COLUMNS)
        for doc, kept, start, size, *values in file.execute(
            f"SELECT doc, kept, start, size, {columns} FROM node WHERE owner = ? ORDER BY kept, start", (owner.number,)
        ):
            entry = Entry._make(values)
            if (kept, entry.id) in seen:  # an id that was used twice is the first one's
                continue
            seen.add((kept, entry.id))
            self._place[doc] = len(entries)
            entries.append(entry)
            self.spots.append(Spot(kept, start, size))
        self.entries: Sequence[Entry] = entries
        self._found: dict[str, Postings] = {}
        self._longer: dict[str, Sequence[str]] = {}

    def find(self, term: str) -> Postings:
        if term not in self._found:
            place = self._place
            rows = self._file.execute(
                "SELECT doc, places FROM posting WHERE owner = ? AND term = ?", (self._number, term)
            )
            self._found[term] = collect((place[doc], where) for doc, where in rows if doc in place)
        return self._found[term]

    def compounds(self, part: str) -> Sequence[str]:
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
