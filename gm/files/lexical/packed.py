"""What a question weighs of every memory, in blocks of each column: no row is read for each memory.

Places are those of a lexicon: of a repeated id the first counts. Memories that are appended to a stream change the last
blocks alone; after any other change all are packed again.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from gm.files.lexical.schema import NUMBER, fitting
from gm.model.ids import parse_node_id

BLOCK = 1_000
ANY = "q"  # of an array: numbers that do not fit their column's kind are kept as eight bytes each
NUMBERS = {
    "day": NUMBER,
    "scene": "H",
    "importance": "B",
    "date": NUMBER,
    "is_question": "B",
    "tells": "B",
    "length": "H",
}
TEXTS = {"people": NUMBER, "session": NUMBER, "speaker": NUMBER, "tier": "B"}
"""Texts that repeat: kept as numbers of the table ``text``, the empty one as 0."""
_KINDS = NUMBERS | TEXTS
_TABLES = ("run", "block", "text", "repeated")


class Run(NamedTuple):
    """Memories whose documents follow one another."""

    place: int
    doc: int
    size: int


def read_runs(file: sqlite3.Connection, owner: int) -> list[Run]:
    """Return the documents of all memories, by place."""
    rows = file.execute("SELECT place, doc, size FROM run WHERE owner = ? ORDER BY place", (owner,))
    return list(map(Run._make, rows))


def read_numbers(file: sqlite3.Connection, owner: int, name: str, size: int) -> array[int]:
    """Return a packed column of ``size`` memories; of texts, their numbers."""
    rows = file.execute(
        "SELECT kind, data FROM block WHERE owner = ? AND name = ? ORDER BY number", (owner, name)
    ).fetchall()
    blocks = [_read_block(kind, data, min(BLOCK, size - BLOCK * number)) for number, (kind, data) in enumerate(rows)]
    kinds = {kind for kind, _ in rows}
    if len(kinds) > 1:
        return array(ANY, chain.from_iterable(blocks))
    found: array[int] = array(*kinds or NUMBER)
    for block in blocks:
        found.extend(block)
    return found


def read_column(file: sqlite3.Connection, owner: int, name: str) -> list[str]:
    """Return the texts of a packed column by their numbers, first the empty one."""
    rows = file.execute("SELECT text FROM text WHERE owner = ? AND name = ? ORDER BY number", (owner, name))
    return ["", *(text for (text,) in rows)]


def unpack(file: sqlite3.Connection, owner: int) -> None:
    """Remove what is packed of a character, since memories have changed or moved."""
    for table in _TABLES:
        file.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,))
    file.execute("UPDATE owner SET highest = 0 WHERE number = ?", (owner,))


@fitting
def pack_memories(file: sqlite3.Connection, owner: int, last: int) -> None:
    """Pack the memories of a character that follow those that are packed.

    Args:
        last: The file to which lines are appended; it is the last one.
    """
    run = file.execute(
        "SELECT place, doc, size FROM run WHERE owner = ? ORDER BY place DESC LIMIT 1", (owner,)
    ).fetchone()
    size, after = 0, (-1, -1)
    if run:
        size = run[0] + run[2]
        after = file.execute("SELECT kept, start FROM node WHERE doc = ?", (run[1] + run[2] - 1,)).fetchone()
        if after[0] != last:  # repeated ids may follow it, which are not new ones
            unpack(file, owner)
            size, after = 0, (-1, -1)
    rows = file.execute(
        f"SELECT kept, start, e_id, doc, {', '.join(f'e_{name}' for name in _KINDS)} FROM node "
        "WHERE owner = ? AND (kept, start) > (?, ?) ORDER BY kept, start",
        (owner, *after),
    )
    first = _without_repeated(file, owner, last, rows)
    columns = [_Column(file, owner, name, kind) for name, kind in _KINDS.items()]
    while batch := list(islice(first, BLOCK - size % BLOCK)):
        docs, *values = zip(*batch, strict=True)
        _add_runs(file, owner, size, docs)
        for column, new in zip(columns, values, strict=True):
            column.append(size, new)
        size += len(batch)


class _Column:
    """Writes a column of a character."""

    def __init__(self, file: sqlite3.Connection, owner: int, name: str, kind: str) -> None:
        self._file = file
        self._key = (owner, name)
        self._kind = kind
        self._numbers: dict[str, int] | None = None

    def append(self, size: int, values: Sequence[Any]) -> None:
        """Append values to the last block, which they do not exceed; ``size`` counts those before them."""
        number, filled = divmod(size, BLOCK)
        if self._key[1] in TEXTS:
            values = list(map(self._number_of, values))
        if filled:
            kind, data = self._file.execute(
                "SELECT kind, data FROM block WHERE owner = ? AND name = ? AND number = ?", (*self._key, number)
            ).fetchone()
            values = [*_read_block(kind, data, filled), *values]
        try:
            packed = array(self._kind, values)
        except OverflowError:
            packed = array(ANY, values)
        data = packed.tobytes() if any(packed) else b""
        self._file.execute(
            "INSERT OR REPLACE INTO block (owner, name, number, kind, data) VALUES (?, ?, ?, ?, ?)",
            (*self._key, number, packed.typecode, data),
        )

    def _number_of(self, text: str) -> int:
        if not text:
            return 0
        if self._numbers is None:
            self._numbers = {known: number for number, known in enumerate(read_column(self._file, *self._key))}
        if text not in self._numbers:
            self._numbers[text] = len(self._numbers)
            self._file.execute(
                "INSERT INTO text (owner, name, number, text) VALUES (?, ?, ?, ?)",
                (*self._key, self._numbers[text], text),
            )
        return self._numbers[text]


def _read_block(kind: str, data: bytes, size: int) -> array[int]:
    if kind not in {*_KINDS.values(), ANY}:
        raise ValueError(f"blocks of no known kind: {kind!r}")
    found: array[int] = array(kind, data)  # without data, each is 0
    return found if data else array(kind, bytes(size * found.itemsize))


def _add_runs(file: sqlite3.Connection, owner: int, size: int, docs: Sequence[int]) -> None:
    row = file.execute(
        "SELECT place, doc, size FROM run WHERE owner = ? ORDER BY place DESC LIMIT 1", (owner,)
    ).fetchone()
    runs = [Run._make(row)] if row else []
    for place, doc in enumerate(docs, size):
        if runs and doc == runs[-1].doc + runs[-1].size:
            runs[-1] = runs[-1]._replace(size=runs[-1].size + 1)
        else:
            runs.append(Run(place, doc, 1))
    file.executemany(
        "INSERT OR REPLACE INTO run (owner, place, doc, size) VALUES (?, ?, ?, ?)", ((owner, *run) for run in runs)
    )


def _without_repeated(
    file: sqlite3.Connection, owner: int, last: int, rows: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """Yield document and columns of rows with a new id; the documents of the others are noted.

    An id with a higher number than all before it is a new one: only others are looked for.
    """
    (highest,) = file.execute("SELECT highest FROM owner WHERE number = ?", (owner,)).fetchone()
    within, number, seen = last, highest, None
    for kept, start, identifier, *row in rows:
        if kept != within:
            within, number, seen = kept, 0, None
        parsed = parse_node_id(identifier)
        if parsed is not None and parsed[1] > number:
            number = parsed[1]
        else:
            if seen is None:
                seen = _ids_before(file, owner, kept, start)
            if identifier in seen:
                file.execute("INSERT OR IGNORE INTO repeated (owner, doc) VALUES (?, ?)", (owner, row[0]))
                continue
        if seen is not None:
            seen.add(identifier)
        yield tuple(row)
    if within == last and number != highest:  # a transaction that writes nothing costs nothing
        file.execute("UPDATE owner SET highest = ? WHERE number = ?", (number, owner))


def _ids_before(file: sqlite3.Connection, owner: int, kept: int, start: int) -> set[str]:
    rows = file.execute("SELECT e_id FROM node WHERE owner = ? AND kept = ? AND start < ?", (owner, kept, start))
    return {identifier for (identifier,) in rows}
