"""Write to the terminal. Text that a model or a person wrote passes ``safe`` first."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from gm.cli.fitting import columns_of, fitted
from gm.texts import UNSAFE_CONTROLS

# Streams are named wherever something is written: by itself, click takes ASCII for a mistake and writes UTF-8.


def safe(text: str) -> str:
    """Escape control characters, terminal sequences and direction marks."""
    return UNSAFE_CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def colour() -> bool | None:
    """Tell whether to write in colour: yes, no, or None = where a terminal shows it.

    ``NO_COLOR`` takes it away; ``FORCE_COLOR`` and ``CLICOLOR_FORCE`` bring it into pipes; ``CLICOLOR=0`` and a dumb
    terminal do without.
    """
    seen = os.environ
    if seen.get("NO_COLOR"):
        return False
    if any(seen.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return False if seen.get("CLICOLOR") == "0" or seen.get("TERM") == "dumb" else None


def out(text: str = "", *, whole: bool = False) -> None:
    """Write to standard output: what the command was run for.

    Args:
        text: Lines; on a narrow terminal they are broken at spaces.
        whole: Leave the lines as they are: they are a graph, a prompt, something to copy.
    """
    columns = 0 if whole else columns_of(sys.stdout)
    click.echo(fitted(text, columns) if columns else text, file=sys.stdout, color=colour())


def say(text: str = "", *, whole: bool = False) -> None:
    """Write to standard error: progress, notices, errors. Lines are broken as in ``out``."""
    columns = 0 if whole else columns_of(sys.stderr)
    click.echo(fitted(text, columns) if columns else text, file=sys.stderr, color=colour())


def out_json(document: Any) -> None:
    """Write the one JSON document of a command; control characters in its texts are escaped the way JSON does it."""
    _write_json(document, 2)


def out_line(document: Any) -> None:
    """Write one of many JSON documents, on a line of its own."""
    _write_json(document, None)


def _write_json(document: Any, indent: int | None) -> None:
    text = json.dumps(document, ensure_ascii=not speaks_unicode(), indent=indent)
    click.echo(UNSAFE_CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text), file=sys.stdout)


def speaks_unicode() -> bool:
    """Tell whether standard output can hold any character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("_", "-").startswith(("utf-8", "utf8", "utf-16", "utf-32"))


def counted(number: int, one: str) -> str:
    """Say how many there are of something: ``1 memory``, ``2 memories``, ``3 days``."""
    many = one[:-1] + "ies" if one.endswith("ry") else f"{one}s"
    return f"{number} {one if number == 1 else many}"


def clip(text: str, most: int) -> str:
    """Cut a text to one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: max(0, most - 1)].rstrip() + "…"
