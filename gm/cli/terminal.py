"""Write to the terminal. Text that a model or a person wrote passes ``safe`` first."""

from __future__ import annotations

import json
import re
from typing import Any

import click

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """Take the power out of a text: control characters, terminal escapes and direction marks become visible."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def out(text: str = "") -> None:
    """Write to standard output: what the command was run for."""
    click.echo(text)


def say(text: str = "") -> None:
    """Write to standard error: progress, notices, errors."""
    click.echo(text, err=True)


def out_json(document: Any) -> None:
    """Write the one JSON document of a command; control characters in its texts are escaped the way JSON does it."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    click.echo(_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def out_line(document: Any) -> None:
    """Write one of many JSON documents, on a line of its own."""
    text = json.dumps(document, ensure_ascii=False)
    click.echo(_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def clip(text: str, most: int) -> str:
    """Cut a text to one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: max(0, most - 1)].rstrip() + "…"
