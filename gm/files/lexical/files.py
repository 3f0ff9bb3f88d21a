"""What the index knows of files, and their lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gm.base.regular import open_regular
from gm.files.forms.look import Look, digest_of, look_at
from gm.files.forms.text import BOM, is_overlaid, read_data

WORDS, SCENES = "words", "scenes"


class KnownFile(NamedTuple):
    """What the index knows of a file that it has read.

    Attributes:
        look: How it looked.
        settled: Whether a later write would certainly have made it look different.
        digest: Of its bytes.
        read: How many bytes were read: all of them, or 0 where it is no text.
        lines: How many lines it has that are not blank.
        scenes: The scenes that it names, for use ``scenes``.
    """

    look: Look
    settled: bool
    digest: bytes
    read: int
    lines: int = 0
    scenes: str = ""


class RawLine(NamedTuple):
    """A line as it stands: where it begins, its bytes without the line end, and their digest."""

    start: int
    data: bytes
    digest: bytes


def known_file(file: sqlite3.Connection, path: str, use: str = WORDS) -> KnownFile | None:
    """Return what is known of a file that was read for some use; None when it never was."""
    row = file.execute(
        "SELECT size, changed, status, inode, settled, digest, read, lines, scenes FROM file "
        "WHERE path = ? AND use = ?",
        (path, use),
    ).fetchone()
    return KnownFile(Look(*row[:4]), bool(row[4]), *row[5:]) if row else None


def is_same(path: Path, known: KnownFile | None) -> bool:
    """Return whether a file certainly is the one that was read, without reading it."""
    return known is not None and known.settled and not is_overlaid(path) and look_at(path) == known.look


def seen_file(path: Path, look: Look, data: bytes, *, lines: int = 0, scenes: str = "") -> KnownFile:
    """Return what is known of a file that was just read.

    Args:
        path: The file.
        look: How it looked before it was read.
        data: What it holds.
        lines: How many lines it has that are not blank.
        scenes: The scenes that it names.
    """
    settled = look.is_settled and not is_overlaid(path)
    return KnownFile(look, settled, digest_of(data), len(data) if is_text(data) else 0, lines, scenes)


def note_file(file: sqlite3.Connection, path: str, known: KnownFile, use: str = WORDS) -> None:
    """Note a file as read."""
    file.execute(
        "INSERT OR REPLACE INTO file (path, use, size, changed, status, inode, settled, digest, read, lines, scenes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (path, use, *known.look, *known[1:]),
    )


def read_whole(path: Path) -> bytes:
    """Read a file; one that is absent or cannot be read is empty."""
    try:
        return read_data(path)
    except OSError:
        return b""


def read_slice(path: Path, start: int, size: int) -> bytes:
    """Read some bytes of a file; fewer where it has fewer."""
    if is_overlaid(path):
        return read_whole(path)[start : start + size]
    try:
        with open(path, "rb", opener=open_regular) as file:
            file.seek(start)
            return file.read(size)
    except OSError:
        return b""


def is_text(data: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def raw_lines(data: bytes, start: int = 0) -> Iterator[RawLine]:
    """Yield the lines from a place on that are not blank."""
    mark = BOM.encode()
    if not start and data.startswith(mark):
        start = len(mark)
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end]
        if line and not line.isspace():
            yield RawLine(start, line, digest_of(line))
        start = end + 1
