"""Replace single lines of a stream; all others keep their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gm.files.commits.steps import Replace, sha256
from gm.files.forms.text import BOM, read_data
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


def replace_step(layout: Layout, path: Path, old: str, new: str) -> Replace:
    """Return the step that replaces the text ``old``, as read from the file."""
    return Replace(layout.shown(path), sha256(old.encode()), new)
