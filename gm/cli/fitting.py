"""Break lines at spaces where a terminal is narrower than they are; in a pipe and in a file they stay whole."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import TextIO

STEP = 2
DEEPEST = 12
LEAST = 20
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_PIECE = re.compile(r"[ \t]+|(?:\x1b\[[0-9;]*m|[^ \t])+")


def columns_of(stream: TextIO) -> int:
    """Tell how many columns a terminal has; 0 for what is none, and takes lines of any length."""
    try:
        if not stream.isatty():
            return 0
        wanted = os.environ.get("COLUMNS", "")
        columns = int(wanted) if wanted.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0
    return max(LEAST, columns) if columns else 0


def fitted(text: str, columns: int) -> str:
    """Break the lines of a text, coloured or not; what goes on stands a step to the right of where it began."""
    return "\n".join(_broken(line, columns) for line in text.split("\n"))


def columns_taken(text: str) -> int:
    """Count the columns that a text takes on a terminal: colours none, wide characters two."""
    plain = _STYLE.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in plain
    )


def _broken(line: str, columns: int) -> str:
    if columns_taken(line) <= columns:
        return line
    begin = len(line) - len(line.lstrip(" "))
    indent = " " * min(begin + STEP, DEEPEST)
    done: list[str] = []
    here, taken, gap, words = line[:begin], begin, "", 0
    for piece in _PIECE.findall(line[begin:]):
        if piece[0] in " \t":
            gap = piece
            continue
        size = columns_taken(piece)
        if words and taken + len(gap) + size > columns:
            done.append(here)
            here, taken, words = indent + piece, len(indent) + size, 1
        else:
            here, taken, words = here + gap + piece, taken + len(gap) + size, words + 1
        gap = ""
    return "\n".join([*done, here])
