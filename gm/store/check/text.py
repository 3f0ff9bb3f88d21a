"""Rules for files as texts: byte order marks, line ends, blank lines, the final newline, composed Unicode."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from gm.errors import Problem, Severity
from gm.store.text import BOM, Text, place_in

FIX = "gm check --fix corrects it"


def form(text: Text, shown: str, *, lines: bool) -> Iterator[Problem]:
    """Name what is unusual about a file as a text.

    Args:
        text: The file.
        shown: Path for the problems.
        lines: Whether each line is an entry of its own, as in a stream: then the format is stricter.
    """
    body = text.body
    if not body:
        return
    severity: Severity = "warning" if lines else "info"
    if text.content.startswith(BOM):
        hint = "save the file as UTF-8 without BOM"
        yield Problem(shown, 1, 1, severity, "byte-order-mark", "the file begins with a byte order mark", hint)
    yield from _line_ends(body, shown, severity)
    if lines:
        yield from _blank(body, shown)
    if not body.endswith("\n"):
        line, column = place_in(body, len(body))
        yield Problem(shown, line, column, severity, "final-newline", "the last line has no line end", FIX)


def composed(body: str, shown: str) -> Iterator[Problem]:
    """Name the first place with combining marks that could be one character (NFD)."""
    if body.isascii() or unicodedata.is_normalized("NFC", body):
        return
    lines = [number for number, line in enumerate(body.split("\n"), 1) if not unicodedata.is_normalized("NFC", line)]
    line = body.split("\n")[lines[0] - 1]
    column = first_decomposed(line) + 1
    more = f" ({len(lines)} lines like this, first here)" if len(lines) > 1 else ""
    message = f"written with combining marks (NFD); it is matched all the same{more}"
    yield Problem(shown, lines[0], column, "info", "text-nfd", message)


def first_decomposed(line: str) -> int:
    """Offset of the first character that composes with what follows it."""
    for index in range(1, len(line)):
        if unicodedata.combining(line[index]) and not unicodedata.is_normalized("NFC", line[index - 1 : index + 1]):
            return index - 1
    return 0


def _line_ends(body: str, shown: str, severity: Severity) -> Iterator[Problem]:
    crlf = body.count("\r\n")
    if not crlf:
        return
    line, column = place_in(body, body.index("\r\n"))
    mixed = crlf != body.count("\n")
    message = f"{crlf} lines end in CRLF" + (", the others in LF" if mixed else "") if crlf > 1 else "a line ends in CRLF"
    yield Problem(shown, line, column, severity, "line-end", f"{message}, expected LF", FIX)


def _blank(body: str, shown: str) -> Iterator[Problem]:
    lines = body.split("\n")
    blank = [number for number, line in enumerate(lines[:-1], 1) if not line or line.isspace()]
    if lines[-1].isspace():
        blank.append(len(lines))
    if blank:
        more = f" ({len(blank)} in this file, first here)" if len(blank) > 1 else ""
        message = f"a blank line{more}"
        yield Problem(shown, blank[0], 1, "warning", "blank-line", message, "it is skipped; take it out")


def is_text_file(path: Path) -> bool:
    """Tell whether a file of the world's state is a text that people edit."""
    return path.suffix in (".json", ".jsonl", ".yaml", ".yml", ".md")
