"""Files with one JSON object a line: memory streams, logbooks, archives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonlines import InvalidLineError, Reader

from gm.errors import Problem
from gm.store.document import syntax_problem
from gm.store.text import read_text


@dataclass(frozen=True, slots=True)
class Line:
    """One object and the number of its line, from 1."""

    number: int
    record: dict[str, Any]


def read_lines(path: Path, shown: str) -> tuple[list[Line], list[Problem]]:
    """Read every line that can be read, and name every line that cannot.

    Blank lines, CRLF, a byte order mark and a missing final newline are read without complaint.
    """
    text, problems = read_text(path, shown)
    lines: list[Line] = []
    for item in _each(text.body):
        if isinstance(item, Line):
            lines.append(item)
        else:
            problems.append(_line_problem(shown, item))
    return lines, problems


def _each(text: str) -> Iterator[Line | InvalidLineError]:
    # split on line feeds only: str.splitlines would also split on U+2028 inside a memory
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    with Reader([line for _, line in numbered]) as reader:
        for number, _ in numbered:
            try:
                yield Line(number, reader.read(type=dict))
            except InvalidLineError as error:
                error.lineno = number
                yield error


def _line_problem(shown: str, error: InvalidLineError) -> Problem:
    cause = error.__cause__
    if isinstance(cause, json.JSONDecodeError):
        return syntax_problem(shown, cause, line=error.lineno)
    return Problem(
        shown,
        error.lineno,
        1,
        "error",
        "json-type",
        "one JSON object expected on each line",
        "put the whole memory on this line, between { and }",
    )
