"""Open the index file; rebuild it if it is damaged or of another version."""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from gm.base.regular import refuse_outside
from gm.memory.recall.words import IndexEntry

P = ParamSpec("P")
T = TypeVar("T")
VERSION = 7  # of the tables and of what is extracted from a memory; another number rebuilds every index
WAIT_S = 20.0
NUMBER = "I"  # of an array: documents and counts of a term are kept as four bytes each
_WHOLE = frozenset({"day", "scene", "depth", "importance", "date", "is_question", "tells", "length"})
ENTRY_COLUMNS = IndexEntry._fields
_TABLES = f"""
CREATE TABLE owner (
  number INTEGER PRIMARY KEY, name TEXT UNIQUE, usual TEXT, language TEXT, generation INTEGER NOT NULL,
  gone INTEGER NOT NULL, languages TEXT NOT NULL, highest INTEGER NOT NULL
);
CREATE TABLE file (
  path TEXT, use TEXT, size INTEGER, changed INTEGER, status INTEGER, inode INTEGER, settled INTEGER, digest BLOB,
  read INTEGER, lines INTEGER, lost INTEGER, scenes BLOB, PRIMARY KEY (path, use)
) WITHOUT ROWID;
CREATE TABLE node (
  doc INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, kept INTEGER NOT NULL, start INTEGER NOT NULL,
  size INTEGER NOT NULL, digest BLOB NOT NULL, languages TEXT NOT NULL,
  {", ".join(f"e_{name} {'INTEGER' if name in _WHOLE else 'TEXT'} NOT NULL" for name in ENTRY_COLUMNS)}
);
CREATE INDEX node_place ON node (owner, kept, start);
CREATE TABLE repeated (owner INTEGER NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY (owner, doc)) WITHOUT ROWID;
CREATE TABLE run (
  owner INTEGER NOT NULL, place INTEGER NOT NULL, doc INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY (owner, place)
) WITHOUT ROWID;
CREATE TABLE block (
  owner INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (owner, name, number)
);
CREATE TABLE text (
  owner INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (owner, name, number)
) WITHOUT ROWID;
CREATE TABLE posting (
  owner INTEGER NOT NULL, term TEXT NOT NULL, doc INTEGER NOT NULL,
  docs BLOB NOT NULL, counts BLOB NOT NULL, places BLOB NOT NULL, PRIMARY KEY (owner, term, doc)
) WITHOUT ROWID;
CREATE TABLE word (
  owner INTEGER NOT NULL, term TEXT NOT NULL, backwards TEXT NOT NULL, PRIMARY KEY (owner, term)
) WITHOUT ROWID;
CREATE INDEX word_end ON word (owner, backwards);
PRAGMA user_version = {VERSION};
"""


def connect(path: Path) -> sqlite3.Connection:
    """Open the index, created or rebuilt if necessary; in memory if not writable."""
    try:
        return _open_database(path)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            return in_memory(path)
    try:
        make_anew(path)
        return _open_database(path)
    except (sqlite3.Error, OSError):
        return in_memory(None)


def make_anew(path: Path) -> None:
    """Replace the index by an empty one atomically; processes that have it open keep the old one.

    Raises:
        OSError, sqlite3.Error: It cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    with closing(sqlite3.connect(beside, isolation_level=None)) as made:
        made.executescript(f"BEGIN;{_TABLES}COMMIT;")
    for ending in ("-journal", "-wal", "-shm"):  # of the old file: they would be applied to the new one
        path.with_name(path.name + ending).unlink(missing_ok=True)
    os.replace(beside, path)


def in_memory(copied: Path | None) -> sqlite3.Connection:
    """Return an index in memory, copied from a file if it is usable."""
    made = sqlite3.connect(":memory:", isolation_level=None)
    if copied is not None and copied.is_file():
        with suppress(sqlite3.Error), closing(sqlite3.connect(f"{copied.as_uri()}?immutable=1", uri=True)) as file:
            if _read_version(file) == VERSION:
                file.backup(made)
    if _read_version(made) != VERSION:
        made.close()
        made = sqlite3.connect(":memory:", isolation_level=None)
        made.executescript(_TABLES)
    return made


def _open_database(path: Path) -> sqlite3.Connection:
    try:
        refuse_outside(path)
    except OSError as error:
        raise sqlite3.OperationalError(str(error)) from error
    if not path.is_file():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            make_anew(path)
        except OSError as error:
            raise sqlite3.OperationalError(str(error)) from error
    file = sqlite3.connect(path, isolation_level=None, timeout=WAIT_S)
    try:
        if _read_version(file) != VERSION:
            raise sqlite3.DatabaseError("another version")
    except BaseException:
        file.close()
        raise
    return file


def _read_version(file: sqlite3.Connection) -> int:
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Return whether the file is damaged, rather than locked or read-only."""
    if not isinstance(error, sqlite3.OperationalError):
        return True
    return any(word in str(error) for word in ("malformed", "no such table", "no such column", "disk image"))


def fitting(method: Callable[P, T]) -> Callable[P, T]:
    """Report that parts of the file do not fit each other, as after a change by another program, as damage."""

    @wraps(method)
    def read(*args: P.args, **named: P.kwargs) -> T:
        try:
            return method(*args, **named)
        except (IndexError, KeyError, OverflowError, TypeError, ValueError, struct.error) as error:
            raise sqlite3.DatabaseError(f"the index does not fit together: {error}") from error

    return read
