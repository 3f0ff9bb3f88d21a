"""Show a unified diff, in colour where there is a terminal."""

from __future__ import annotations

import click

from gm.cli.terminal import out, safe

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def show_difference(text: str) -> None:
    """Write a unified diff to standard output."""
    for line in text.removesuffix("\n").split("\n"):
        bold = line.startswith(("--- ", "+++ "))
        colour = None if bold else COLOURS.get(line[:1])
        out(click.style(safe(line), fg=colour, bold=bold or None))
