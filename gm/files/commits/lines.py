"""Steps on lines of a stream: append, move, replace; all others keep their bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gm.base.regular import open_regular
from gm.files.commits.steps import Append, Move, Replace
from gm.files.formats import disk
from gm.files.formats.text import BOM, read_data, sha256
from gm.files.layout import Layout


def read_exactly(path: Path) -> str:
    """Read a file with its byte order mark and line ends.

    Raises:
        ValueError: It is not UTF-8.
        OSError: It cannot be read.
    """
    return read_data(path).decode("utf-8")


def line_at(text: str, number: int) -> str:
    """Return a line by number, from 1, without line end and byte order mark."""
    return text.split("\n")[number - 1].removeprefix(BOM).removesuffix("\r")


def replace_lines(text: str, lines: Mapping[int, str]) -> str:
    """Replace lines by number, from 1; each keeps its line end."""
    # only line feeds: str.splitlines also splits on U+2028, which may occur in a memory
    parts = text.split("\n")
    for number, line in lines.items():
        old = parts[number - 1]
        mark = BOM if number == 1 and old.startswith(BOM) else ""
        parts[number - 1] = mark + line + ("\r" if old.endswith("\r") else "")
    return "\n".join(parts)


def without_line(text: str, number: int) -> str:
    """Remove a line by number, from 1; a byte order mark stays."""
    parts = text.split("\n")
    mark = BOM if number == 1 and parts[0].startswith(BOM) else ""
    return mark + "\n".join(parts[: number - 1] + parts[number:])


def replace_step(layout: Layout, path: Path, old: str, new: str) -> Replace:
    """Return the step that replaces the text ``old``, as read from the file."""
    return Replace(layout.shown(path), sha256(old.encode()), new)


def append_step(layout: Layout, path: Path, lines: Sequence[str]) -> Append:
    """Return the step that appends lines in the line ends of the file."""
    size = disk.size_of(path)
    end = _read_end(path, size)
    newline = "\r\n" if b"\r\n" in end else "\n"
    text = "".join(line + newline for line in lines)
    if end and not end.endswith(b"\n"):
        text = newline + text
    return Append(layout.shown(path), size, text)


def move_step(layout: Layout, path: Path, to: Path, lines: Sequence[str]) -> Move:
    """Return the step that moves whole lines to the end of another file."""
    size = disk.size_of(to)
    end = _read_end(to, size)
    gap = "\n" if end and not end.endswith(b"\n") else ""
    return Move(layout.shown(path), layout.shown(to), size, gap, tuple(lines))


def _read_end(path: Path, size: int) -> bytes:
    if not size:
        return b""
    with open(path, "rb", buffering=0, opener=open_regular) as file:
        file.seek(max(0, size - 4096))
        return file.readall()
