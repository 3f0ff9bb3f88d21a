"""Rules for files as texts: byte order marks, line ends, blank lines, the final newline, composed Unicode."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from gm.base.errors import Problem, Severity
from gm.base.texts import clip
from gm.files.formats.jsonl import Scan
from gm.files.formats.places import yaml_twice
from gm.files.formats.text import BLOCK, BOM, Text, place_in

FIX = "gm check --fix corrects it"


def check_form(text: Text, shown: str, scan: Scan | None = None) -> Iterator[Problem]:
    """Yield problems of a file as a text; ``scan``, if each line is an entry, makes the rules stricter."""
    body = text.body
    if not body:
        return
    severity: Severity = "info" if scan is None else "warning"
    if text.content.startswith(BOM):
        hint = "save the file as UTF-8 without BOM"
        yield Problem(shown, 1, 1, severity, "byte-order-mark", "the file begins with a byte order mark", hint)
    if scan is None or not scan.is_bare:
        yield from _line_ends(body, shown, severity)
    if scan is not None and scan.blank:
        more = f" ({len(scan.blank)} in this file, first here)" if len(scan.blank) > 1 else ""
        hint = "it is skipped; take it out"
        yield Problem(shown, scan.blank[0], 1, "warning", "blank-line", f"a blank line{more}", hint)
    if not body.endswith("\n"):
        line, column = place_in(body, len(body))
        yield Problem(shown, line, column, severity, "final-newline", "the last line has no line end", FIX)


def check_composed(body: str, shown: str) -> Iterator[Problem]:
    """Report the first place with decomposed characters (NFD)."""
    if is_composed(body):
        return
    lines = [number for number, line in enumerate(body.split("\n"), 1) if not is_composed(line)]
    line = body.split("\n")[lines[0] - 1]
    column = first_decomposed(line) + 1
    more = f" ({len(lines)} lines like this, first here)" if len(lines) > 1 else ""
    message = f"written with combining marks (NFD); it is matched all the same{more}"
    yield Problem(shown, lines[0], column, "info", "text-nfd", message)


def check_duplicate_keys(text: str, shown: str, lines_before: int = 0) -> Iterator[Problem]:
    """Report duplicate keys of a YAML text that begins below other lines."""
    for name, line, column in yaml_twice(text):
        message = f"the key {name!r} occurs twice; the last one counts"
        yield Problem(shown, line + lines_before, column, "warning", "key-twice", message, "delete one of the two")


def is_composed(text: str) -> bool:
    """Return whether a text is composed Unicode (NFC)."""
    try:
        for start in range(0, len(text), BLOCK):
            text[start : start + BLOCK].encode("latin-1")  # Latin-1 is always composed; a faster test
    except UnicodeEncodeError:
        return unicodedata.is_normalized("NFC", text)
    return True


def first_decomposed(line: str) -> int:
    """Return the offset of the first character that composes with the next one."""
    for index in range(1, len(line)):
        if unicodedata.combining(line[index]) and not is_composed(line[index - 1 : index + 1]):
            return index - 1
    return 0


def figure(value: object) -> str:
    """Format a number; ``:g`` overflows for very large ones."""
    return clip(f"{value:g}" if isinstance(value, float) else str(value))


def _line_ends(body: str, shown: str, severity: Severity) -> Iterator[Problem]:
    crlf = body.count("\r\n")
    if not crlf:
        return
    line, column = place_in(body, body.index("\r\n"))
    mixed = crlf != body.count("\n")
    message = (
        f"{crlf} lines end in CRLF" + (", the others in LF" if mixed else "") if crlf > 1 else "a line ends in CRLF"
    )
    yield Problem(shown, line, column, severity, "line-end", f"{message}, expected LF", FIX)
