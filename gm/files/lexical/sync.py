"""Update the index from the files: rows for new lines, none for removed ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gm.base.casefold import casefold
from gm.files.forms.jsonl import scan_lines
from gm.files.forms.look import look_at
from gm.files.layout import Layout
from gm.files.lexical.files import RawLine, Reading, is_same, known_file, note_file, seen_file
from gm.files.lexical.schema import ENTRY_COLUMNS
from gm.memory.recall.lexicon import read_terms
from gm.memory.recall.words import count_languages, guess_language
from gm.model.ids import parse_node_id
from gm.model.node import Node, node_from_record
from gm.model.record import RecordError

ARCHIVE, SUMMARIES, STREAM = range(3)
Tell = Callable[[str], None]
FIRST_LINES = 100
BATCH = 2_000
"""Lines inserted at once, which bounds the memory needed for long streams."""
_BETWEEN_TERMS = "\x1f"
_INSERT_NODE = (
    "INSERT INTO node (owner, kept, start, size, digest, german, english, terms, "
    f"{', '.join(f'e_{name}' for name in ENTRY_COLUMNS)}) VALUES ({', '.join('?' * (8 + len(ENTRY_COLUMNS)))})"
)


@dataclass(frozen=True, slots=True)
class Owner:
    """A character in the index; ``generation`` counts changes of its rows."""

    number: int
    name: str
    language: str
    generation: int


def kept_files(layout: Layout, name: str) -> tuple[tuple[int, Path], ...]:
    """Return a character's memory files, in order of precedence."""
    return ((ARCHIVE, layout.archived(name)), (SUMMARIES, layout.summarised(name)), (STREAM, layout.stream(name)))


def is_fresh(file: sqlite3.Connection, layout: Layout, name: str, usual: str) -> bool:
    """Return whether the index certainly matches the files of a character, without reading them."""
    row = file.execute("SELECT usual FROM owner WHERE name = ?", (name,)).fetchone()
    if row is None or row[0] != usual:
        return False
    return all(is_same(path, known_file(file, layout.shown(path))) for _, path in kept_files(layout, name))


def sync_owner(file: sqlite3.Connection, layout: Layout, name: str, usual: str, tell: Tell) -> None:
    """Update the rows of a character, within a transaction.

    Args:
        usual: Language of the world.
        tell: Called with the progress while a long file is read.
    """
    owner = find_owner(file, name) or _new_owner(file, layout, name, usual)
    changed = [_sync_file(file, layout, owner, kept, path, tell) for kept, path in kept_files(layout, name)]
    language = guess_language(_languages(file, owner), usual)
    if language != owner.language:
        _read_again(file, layout, Owner(owner.number, name, language, owner.generation), tell)
    if any(changed) or language != owner.language:
        file.execute("UPDATE owner SET generation = generation + 1 WHERE number = ?", (owner.number,))
    file.execute("UPDATE owner SET usual = ?, language = ? WHERE number = ?", (usual, language, owner.number))


def left_out(file: sqlite3.Connection, layout: Layout, owner: Owner) -> Iterator[tuple[str, int]]:
    """Yield the files with unreadable lines, and their number."""
    for kept, path in kept_files(layout, owner.name):
        known = known_file(file, layout.shown(path))
        (rows,) = file.execute(
            "SELECT COUNT(*) FROM node WHERE owner = ? AND kept = ?", (owner.number, kept)
        ).fetchone()
        if known is not None and known.lines > rows:
            yield layout.shown(path), known.lines - rows


def _new_owner(file: sqlite3.Connection, layout: Layout, name: str, usual: str) -> Owner:
    german = english = 0
    for kept, path in kept_files(layout, name):
        first = list(islice(Reading(path, None).lines(), FIRST_LINES))
        for _, node in _nodes(name, kept, first):
            counts = count_languages(node.description)
            german, english = german + counts[0], english + counts[1]
    values = (name, usual, guess_language((german, english), usual))
    file.execute("INSERT INTO owner (name, usual, language, generation) VALUES (?, ?, ?, 0)", values)
    owner = find_owner(file, name)
    assert owner is not None
    return owner


def find_owner(file: sqlite3.Connection, name: str) -> Owner | None:
    """Return a character of the index; None if never indexed."""
    row = file.execute("SELECT number, name, language, generation FROM owner WHERE name = ?", (name,)).fetchone()
    return Owner(*row) if row else None


def _languages(file: sqlite3.Connection, owner: Owner) -> tuple[int, int]:
    german, english = file.execute(
        "SELECT COALESCE(SUM(german), 0), COALESCE(SUM(english), 0) FROM node WHERE owner = ?", (owner.number,)
    ).fetchone()
    return german, english


def _sync_file(file: sqlite3.Connection, layout: Layout, owner: Owner, kept: int, path: Path, tell: Tell) -> bool:
    shown = layout.shown(path)
    known = known_file(file, shown)
    if is_same(path, known):
        return False
    look, read = look_at(path), Reading(path, known, _teller(shown, tell))
    if known is not None and read.start:
        count, changed = known.lines, False
        for lines in _batches(read.lines()):
            _insert(file, owner, kept, lines)
            count, changed = count + len(lines), True
    else:
        count = _compare(file, owner, kept, read)
        changed = known is None or read.digest.digest() != known.digest
    note_file(file, shown, seen_file(path, look, read, count))
    return changed


def _teller(shown: str, tell: Tell) -> Callable[[int], None]:
    return lambda count: tell(f"{shown}: the words of {count:,} lines are in the index")


def _batches(lines: Iterator[RawLine]) -> Iterator[list[RawLine]]:
    while batch := list(islice(lines, BATCH)):
        yield batch


def _compare(file: sqlite3.Connection, owner: Owner, kept: int, read: Reading) -> int:
    """Bring the rows of a file in line with it; return the number of its lines."""
    rows: dict[bytes, list[tuple[int, int]]] = {}
    for doc, start, digest in file.execute(
        "SELECT doc, start, digest FROM node WHERE owner = ? AND kept = ? ORDER BY start DESC", (owner.number, kept)
    ):
        rows.setdefault(digest, []).append((doc, start))
    count = 0
    for lines in _batches(read.lines()):
        count += len(lines)
        new, moved = [], []
        for line in lines if read.is_text else ():
            same = rows.get(line.digest)
            if not same:
                new.append(line)
                continue
            doc, start = same.pop()
            if start != line.start:
                moved.append((line.start, doc))
        file.executemany("UPDATE node SET start = ? WHERE doc = ?", moved)
        _insert(file, owner, kept, new)
    _delete(file, owner, [doc for same in rows.values() for doc, _ in same])
    return count


def _delete(file: sqlite3.Connection, owner: Owner, docs: Iterable[int]) -> None:
    for doc in docs:
        (terms,) = file.execute("SELECT terms FROM node WHERE doc = ?", (doc,)).fetchone()
        file.executemany(
            "DELETE FROM posting WHERE owner = ? AND term = ? AND doc = ?",
            ((owner.number, term, doc) for term in terms.split(_BETWEEN_TERMS)),
        )
        file.execute("DELETE FROM node WHERE doc = ?", (doc,))


def _insert(file: sqlite3.Connection, owner: Owner, kept: int, lines: Sequence[RawLine]) -> None:
    postings: list[tuple[int, str, int, bytes]] = []
    for line, node in _nodes(owner.name, kept, lines):
        entry, terms = read_terms(node, owner.language)
        languages = count_languages(node.description)
        values = (owner.number, kept, line.start, len(line.data), line.digest, *languages, _BETWEEN_TERMS.join(terms))
        doc = file.execute(_INSERT_NODE, (*values, *entry)).lastrowid
        assert doc is not None
        postings += [(owner.number, term, doc, places) for term, places in terms.items()]
    postings.sort()
    file.executemany("INSERT INTO posting (owner, term, doc, places) VALUES (?, ?, ?, ?)", postings)
    file.executemany(
        "INSERT OR IGNORE INTO word (owner, term, backwards) VALUES (?, ?, ?)",
        [(owner.number, term, term[::-1]) for term in sorted({term for _, term, _, _ in postings})],
    )


def _read_again(file: sqlite3.Connection, layout: Layout, owner: Owner, tell: Tell) -> None:
    for table in ("posting", "word", "node"):
        file.execute(f"DELETE FROM {table} WHERE owner = ?", (owner.number,))
    for kept, path in kept_files(layout, owner.name):
        read = Reading(path, None, _teller(layout.shown(path), tell))
        for lines in _batches(read.lines()) if read.is_text else ():
            _insert(file, owner, kept, lines)


def _nodes(name: str, kept: int, lines: Sequence[RawLine]) -> Iterator[tuple[RawLine, Node]]:
    scan = scan_lines("\n".join(line.data.decode("utf-8", "replace") for line in lines), "")
    for read in scan.lines:
        try:
            node = node_from_record(read.record)
        except RecordError:
            continue
        parsed = parse_node_id(node.id)
        if kept != STREAM or (parsed and casefold(parsed[0]) == casefold(name)):
            yield lines[read.number - 1], node
