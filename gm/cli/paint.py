"""Text for people: colour, and lines that fit into the columns there are."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import Any

import click

from gm.cli.terminal import safe

WIDTH = 80
WIDEST = 110


def paint(text: str, colour: str | None = None, **style: Any) -> str:
    """Colour a text that is safe already; ``out`` and ``say`` take colours away where none are wanted."""
    return click.style(text, fg=colour, **style)


def width() -> int:
    """Columns that lines may have: those of the terminal within bounds, 80 without one."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(40, min(WIDEST, shutil.get_terminal_size((WIDTH, 24)).columns))


def wrapped(text: str, indent: int = 0, first: str | None = None) -> list[str]:
    """Make a text that others wrote safe, and break it into lines.

    Args:
        text: Any text.
        indent: Spaces before each line.
        first: What stands before the first line instead.
    """
    rest = " " * indent
    lines: list[str] = []
    for part in safe(text).split("\n"):
        begin = first if first is not None and not lines else rest
        lines += textwrap.wrap(part, width(), initial_indent=begin, subsequent_indent=rest, break_on_hyphens=False) or [
            begin.rstrip()
        ]
    return lines
