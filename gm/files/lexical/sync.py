"""Update the index from the files: rows for new lines, none for removed ones."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gm.base.casefold import casefold
from gm.files.formats.jsonl import scan_lines
from gm.files.formats.look import look_at
from gm.files.layout import Layout
from gm.files.lexical.files import RawLine, Reading, is_same_file, known_file, make_known_file, note_file
from gm.files.lexical.packed import pack_memories as pack_columns
from gm.files.lexical.packed import unpack
from gm.files.lexical.schema import ENTRY_COLUMNS, NUMBER
from gm.files.reading import readable_nodes
from gm.memory.recall.lexicon import read_terms
from gm.memory.recall.words import count_languages, detect_language
from gm.model.ids import parse_node_id
from gm.model.node import Node

ARCHIVE, SUMMARIES, STREAM = range(3)
Tell = Callable[[str], None]
FIRST_LINES = 100
BATCH = 2_000
"""Lines inserted at once, which bounds the memory needed for long streams."""
MOST_GONE = 1_000
"""Removed memories whose postings stay, besides the number of memories: no term is rewritten for a few."""
_INSERT_NODE = (
    "INSERT INTO node (doc, owner, kept, start, size, digest, languages, "
    f"{', '.join(f'e_{name}' for name in ENTRY_COLUMNS)}) VALUES ({', '.join('?' * (7 + len(ENTRY_COLUMNS)))})"
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
    return all(is_same_file(path, known_file(file, layout.shown(path))) for _, path in kept_files(layout, name))


def sync_owner(file: sqlite3.Connection, layout: Layout, name: str, usual: str, tell: Tell) -> None:
    """Update the rows of a character, within a transaction.

    Args:
        usual: Language of the world.
        tell: Called with the progress while a long file is read.
    """
    owner = find_owner(file, name) or _new_owner(file, layout, name, usual)
    changed = [_sync_file(file, layout, owner, kept, path, tell) for kept, path in kept_files(layout, name)]
    language = detect_language(_count_languages(file, owner), usual)
    if language != owner.language or _is_mostly_gone(file, owner):
        _read_again(file, layout, Owner(owner.number, name, language, owner.generation), tell)
    pack_columns(file, owner.number, STREAM)
    if any(changed) or language != owner.language:
        file.execute("UPDATE owner SET generation = generation + 1 WHERE number = ?", (owner.number,))
    if (usual, language) != (_usual_language(file, owner), owner.language):
        file.execute("UPDATE owner SET usual = ?, language = ? WHERE number = ?", (usual, language, owner.number))


def list_unreadable(file: sqlite3.Connection, layout: Layout, owner: Owner) -> Iterator[tuple[str, int]]:
    """Yield the files with unreadable lines, and their number."""
    for _, path in kept_files(layout, owner.name):
        known = known_file(file, layout.shown(path))
        if known is not None and known.lost:
            yield layout.shown(path), known.lost


def _new_owner(file: sqlite3.Connection, layout: Layout, name: str, usual: str) -> Owner:
    counts = Counter[str](count_languages(""))
    for kept, path in kept_files(layout, name):
        first = list(islice(Reading(path, None).lines(), FIRST_LINES))
        for _, node in _decode_nodes(name, kept, first):
            counts.update(count_languages(node.description))
    values = (name, usual, detect_language(counts, usual))
    file.execute(
        "INSERT INTO owner (name, usual, language, generation, gone, languages, highest) "
        "VALUES (?, ?, ?, 0, 0, '{}', 0)",
        values,
    )
    owner = find_owner(file, name)
    assert owner is not None
    return owner


def find_owner(file: sqlite3.Connection, name: str) -> Owner | None:
    """Return a character of the index; None if never indexed."""
    row = file.execute("SELECT number, name, language, generation FROM owner WHERE name = ?", (name,)).fetchone()
    return Owner(*row) if row else None


def _usual_language(file: sqlite3.Connection, owner: Owner) -> str:
    (usual,) = file.execute("SELECT usual FROM owner WHERE number = ?", (owner.number,)).fetchone()
    return str(usual)


def _count_languages(file: sqlite3.Connection, owner: Owner) -> Counter[str]:
    (counts,) = file.execute("SELECT languages FROM owner WHERE number = ?", (owner.number,)).fetchone()
    return Counter(json.loads(counts))


def _note_languages(file: sqlite3.Connection, owner: Owner, counts: Mapping[str, int]) -> None:
    file.execute("UPDATE owner SET languages = ? WHERE number = ?", (json.dumps(counts), owner.number))


def _sync_file(file: sqlite3.Connection, layout: Layout, owner: Owner, kept: int, path: Path, tell: Tell) -> bool:
    shown = layout.shown(path)
    known = known_file(file, shown)
    if is_same_file(path, known):
        return False
    look, read = look_at(path), Reading(path, known, _progress_of(shown, tell))
    if known is not None and read.start:
        count, changed = known.lines, False
        for lines in _split_batches(read.lines()):
            _insert_lines(file, owner, kept, lines)
            count, changed = count + len(lines), True
    else:
        count = _compare_lines(file, owner, kept, read)
        changed = known is None or read.digest.digest() != known.digest
    if changed and not (kept == STREAM and read.start):
        unpack(file, owner.number)
    lost = count - _count_rows(file, owner, kept) if changed or known is None else known.lost
    seen = make_known_file(path, look, read, count, lost)
    if seen != known:  # a transaction that writes nothing costs nothing
        note_file(file, shown, seen)
    return changed


def _count_rows(file: sqlite3.Connection, owner: Owner, kept: int) -> int:
    (rows,) = file.execute("SELECT COUNT(*) FROM node WHERE owner = ? AND kept = ?", (owner.number, kept)).fetchone()
    return int(rows)


def _progress_of(shown: str, tell: Tell) -> Callable[[int], None]:
    return lambda count: tell(f"{shown}: the words of {count:,} lines are in the index")


def _split_batches(lines: Iterator[RawLine]) -> Iterator[list[RawLine]]:
    while batch := list(islice(lines, BATCH)):
        yield batch


def _compare_lines(file: sqlite3.Connection, owner: Owner, kept: int, read: Reading) -> int:
    """Bring the rows of a file in line with it; return the number of its lines."""
    rows: dict[bytes, list[tuple[int, int]]] = {}
    for doc, start, digest in file.execute(
        "SELECT doc, start, digest FROM node WHERE owner = ? AND kept = ? ORDER BY start DESC", (owner.number, kept)
    ):
        rows.setdefault(digest, []).append((doc, start))
    count = 0
    for lines in _split_batches(read.lines()):
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
        _insert_lines(file, owner, kept, new)
    _delete_documents(file, owner, [doc for same in rows.values() for doc, _ in same])
    return count


def _delete_documents(file: sqlite3.Connection, owner: Owner, docs: Sequence[int]) -> None:
    counts = _count_languages(file, owner)
    for doc in docs:
        (gone,) = file.execute("SELECT languages FROM node WHERE doc = ?", (doc,)).fetchone()
        counts.subtract(json.loads(gone))
        file.execute("DELETE FROM node WHERE doc = ?", (doc,))
    _note_languages(file, owner, counts)
    file.execute("UPDATE owner SET gone = gone + ? WHERE number = ?", (len(docs), owner.number))


def _is_mostly_gone(file: sqlite3.Connection, owner: Owner) -> bool:
    (gone,) = file.execute("SELECT gone FROM owner WHERE number = ?", (owner.number,)).fetchone()
    if gone <= MOST_GONE:
        return False
    (there,) = file.execute("SELECT COUNT(*) FROM node WHERE owner = ?", (owner.number,)).fetchone()
    return bool(gone > MOST_GONE + there)


def _insert_lines(file: sqlite3.Connection, owner: Owner, kept: int, lines: Sequence[RawLine]) -> None:
    (last,) = file.execute("SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'node'").fetchone()
    counts = _count_languages(file, owner)
    nodes: list[tuple[object, ...]] = []
    found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for doc, (line, node) in enumerate(_decode_nodes(owner.name, kept, lines), last + 1):
        entry, terms = read_terms(node, owner.language)
        counts.update(own := count_languages(node.description))
        nodes.append((doc, owner.number, kept, line.start, len(line.data), line.digest, json.dumps(own), *entry))
        for term, places in terms.items():
            found[term].append((doc, places))
    file.executemany(_INSERT_NODE, nodes)
    _note_languages(file, owner, counts)
    file.executemany(
        "INSERT INTO posting (owner, term, doc, docs, counts, places) VALUES (?, ?, ?, ?, ?, ?)",
        ((owner.number, term, found[term][0][0], *pack_term(found[term])) for term in sorted(found)),
    )
    file.executemany(
        "INSERT OR IGNORE INTO word (owner, term, backwards) VALUES (?, ?, ?)",
        ((owner.number, term, term[::-1]) for term in sorted(found)),
    )


def pack_term(rows: Sequence[tuple[int, bytes]]) -> tuple[bytes, bytes, bytes]:
    """Return the documents of a term, how often it is in each, and at which words, two bytes a word."""
    docs, places = zip(*rows, strict=True)
    counts = (len(where) // 2 for where in places)
    return array(NUMBER, docs).tobytes(), array(NUMBER, counts).tobytes(), b"".join(places)


def _read_again(file: sqlite3.Connection, layout: Layout, owner: Owner, tell: Tell) -> None:
    unpack(file, owner.number)
    for table in ("posting", "word", "node"):
        file.execute(f"DELETE FROM {table} WHERE owner = ?", (owner.number,))
    file.execute("UPDATE owner SET gone = 0, languages = '{}' WHERE number = ?", (owner.number,))
    for kept, path in kept_files(layout, owner.name):
        read = Reading(path, None, _progress_of(layout.shown(path), tell))
        for lines in _split_batches(read.lines()) if read.is_text else ():
            _insert_lines(file, owner, kept, lines)


def _decode_nodes(name: str, kept: int, lines: Sequence[RawLine]) -> Iterator[tuple[RawLine, Node]]:
    scan = scan_lines("\n".join(line.data.decode("utf-8", "replace") for line in lines), "")
    for read, node in readable_nodes(scan.lines):
        parsed = parse_node_id(node.id)
        if kept != STREAM or (parsed and casefold(parsed[0]) == casefold(name)):
            yield lines[read.number - 1], node
