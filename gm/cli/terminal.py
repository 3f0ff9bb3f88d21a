"""Write to the terminal. Text by a model or a person passes ``safe`` first.

On narrow terminals lines are broken at spaces; in pipes and files they stay whole.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TextIO, TypeVar

import click

from gm.base.texts import UNSAFE_CONTROLS

INDENT_COLUMNS = 2
"""Indentation of the further lines of a broken line, below its own."""
MOST_INDENT_COLUMNS = 12
LEAST_COLUMNS = 20
"""Columns to which lines are broken on a terminal that has fewer."""
USUAL_COLUMNS = 80
"""Columns of texts where there is no terminal."""
LEAST_TEXT_COLUMNS, MOST_TEXT_COLUMNS = 40, 110
"""Bounds of the columns of texts on a terminal."""
PLAIN_WIDTH = 10_000
"""Columns of output without a terminal, where nothing is wrapped or cut."""
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_PIECE = re.compile(r"[ \t]+|(?:\x1b\[[0-9;]*m|[^ \t])+")
OF_REHEARSAL = "This is a rehearsal: an offline stand-in speaks from personas and memories; no language model."
NO_CHARACTERS = "There are no characters yet: write a persona in state/personas/<id>.md"
DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}

Value = TypeVar("Value")


def safe(text: str) -> str:
    """Escape control characters, terminal escapes and direction marks."""
    return UNSAFE_CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def colour() -> bool | None:
    """Return whether to write in colour; None = on terminals only.

    ``NO_COLOR`` forbids it, ``FORCE_COLOR`` and ``CLICOLOR_FORCE`` also colour pipes; ``CLICOLOR=0`` and dumb
    terminals do without.
    """
    seen = os.environ
    if seen.get("NO_COLOR"):
        return False
    if any(seen.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return False if seen.get("CLICOLOR") == "0" or seen.get("TERM") == "dumb" else None


def out(text: str = "", *, whole: bool = False) -> None:
    """Write a command's result to standard output.

    Args:
        whole: Never break lines: a graph, a prompt, something to copy.
    """
    columns = 0 if whole else columns_of(sys.stdout)
    click.echo(fitted(text, columns) if columns else text, file=sys.stdout, color=colour())


def err(text: str = "", *, whole: bool = False) -> None:
    """Write progress, notices and errors to standard error, as ``out`` does."""
    columns = 0 if whole else columns_of(sys.stderr)
    click.echo(fitted(text, columns) if columns else text, file=sys.stderr, color=colour())


def read_line(prompt: str) -> str:
    """Ask for a line, which can be edited.

    Raises:
        EOFError: Ctrl-D.
    """
    with suppress(ImportError):
        import readline  # noqa: F401  (``input`` edits lines as soon as it is there; some builds of Python lack it)
    if not sys.stdout.isatty():
        sys.stderr.write(prompt)  # standard output belongs to a document
        sys.stderr.flush()
        prompt = ""
    return input(prompt)


def out_json(value: object, indent: int | None = 2) -> None:
    """Write a command's JSON document, control characters escaped.

    Args:
        value: An answer (``gm.api.answers.document``), or plain data.
        indent: None = on one line, as one of many documents.
    """
    from gm.api.answers.document import as_json

    text = json.dumps(as_json(value), ensure_ascii=not speaks_unicode(), indent=indent)
    click.echo(UNSAFE_CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text), file=sys.stdout)


def say_note(note: str) -> None:
    """Write a note to standard error."""
    err(safe(f"note: {note}"))


def say_notes(notes: Iterable[str]) -> None:
    """Write notes to standard error, one a line."""
    for note in notes:
        err(safe(note))


class SaidOnce:
    """What is said once, however often a waiting command goes on."""

    def __init__(self) -> None:
        self._said: set[object] = set()

    def __call__(self, what: object) -> bool:
        """Return whether it was said before, and note that it is now."""
        was_said = what in self._said
        self._said.add(what)
        return was_said


def show(value: Value, as_json: bool, lines: Callable[[Value], object], notes: Iterable[str] = ()) -> None:
    """Write notes to standard error, then an answer as JSON or by ``lines``."""
    say_notes(notes)
    if as_json:
        out_json(value)
    else:
        lines(value)


def speaks_unicode() -> bool:
    """Return whether standard output can hold every character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("_", "-").startswith(("utf-8", "utf8", "utf-16", "utf-32"))


def days_in_words(days: Sequence[int]) -> str:
    """Return ``day 3``, or ``days 3 to 5``."""
    return f"day {days[0]}" if len(days) == 1 else f"days {days[0]} to {days[-1]}"


def list_first(texts: Sequence[str], most: int) -> str:
    """Return the first texts in one line, and how many more there are."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def columns_of(stream: TextIO) -> int:
    """Return a terminal's columns; 0 for other streams, whose lines have any length."""
    try:
        if not stream.isatty():
            return 0
        wanted = os.environ.get("COLUMNS", "")
        columns = int(wanted) if wanted.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0
    return max(LEAST_COLUMNS, columns) if columns else 0


def fitted(text: str, columns: int) -> str:
    """Break lines, coloured or not; continuations are indented."""
    return "\n".join(_broken(line, columns) for line in text.split("\n"))


def columns_taken(text: str) -> int:
    """Count a text's columns: colours take none, wide characters two."""
    plain = _STYLE.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in plain
    )


def aligned(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Return a table of safe texts as lines; the first ``left`` columns are flush left, all others flush right."""
    wide = [max(map(columns_taken, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - columns_taken(cell)) for cell, width in zip(row, wide, strict=True)]
        cells = (cell + gap if at < left else gap + cell for at, (cell, gap) in enumerate(zip(row, gaps, strict=True)))
        lines.append("  ".join(cells).rstrip())
    return lines


def _broken(line: str, columns: int) -> str:
    if columns_taken(line) <= columns:
        return line
    begin = len(line) - len(line.lstrip(" "))
    indent = " " * min(begin + INDENT_COLUMNS, MOST_INDENT_COLUMNS)
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


def paint(text: str, colour: str | None = None, **style: Any) -> str:
    """Colour a safe text; ``out`` and ``err`` remove unwanted colours."""
    return click.style(text, fg=colour, **style)


def width() -> int:
    """Return the terminal's columns within bounds; 80 without a terminal."""
    import shutil  # slow, and most commands do without it

    if not sys.stdout.isatty():
        return USUAL_COLUMNS
    columns = shutil.get_terminal_size((USUAL_COLUMNS, 24)).columns
    return max(LEAST_TEXT_COLUMNS, min(MOST_TEXT_COLUMNS, columns))


def wrapped(text: str, indent: int = 0, first: str | None = None) -> list[str]:
    """Make a text safe and break it into lines.

    Args:
        indent: Spaces before each line.
        first: Replaces them on the first line.
    """
    import textwrap  # slow, and most commands do without it

    rest = " " * indent
    lines: list[str] = []
    for part in safe(text).split("\n"):
        begin = first if first is not None and not lines else rest
        lines += textwrap.wrap(part, width(), initial_indent=begin, subsequent_indent=rest, break_on_hyphens=False) or [
            begin.rstrip()
        ]
    return lines


def paragraph(text: str, indent: int = 0, first: str | None = None, colour: str | None = None) -> None:
    """Write a text broken into lines; arguments as for ``wrapped``."""
    for line in wrapped(text, indent, first):
        out(paint(line, colour) if colour else line)


def indented(text: str, colour: str | None = None, indent: int = 4) -> None:
    """Write a text that begins with its own spaces; only further lines are indented."""
    plain = text.lstrip(" ")
    paragraph(plain, indent, " " * (len(text) - len(plain)), colour)


def heading(title: str, colour: str | None = None) -> None:
    """Write a title after a blank line."""
    out()
    out(paint(title, colour, bold=True))


def show_difference(text: str) -> None:
    """Write a unified diff to standard output."""
    for line in text.removesuffix("\n").split("\n"):
        bold = line.startswith(("--- ", "+++ "))
        colour = None if bold else DIFF_COLOURS.get(line[:1])
        out(click.style(safe(line), fg=colour, bold=bold or None))
