"""Files with one JSON object a line: memory streams, logbooks, archives."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from jsonlines import InvalidLineError, Reader

from gm.errors import Problem
from gm.store.check.twice import twice_problems
from gm.store.document import syntax_problem
from gm.store.text import read_text


class Line(NamedTuple):
    """One object, the number of its line from 1, and the line as it stands, without the line feed."""

    number: int
    record: dict[str, Any]
    text: str = ""


@dataclass(slots=True)
class Scan:
    """What the lines of a file are.

    Attributes:
        lines: Every line that holds one JSON object and can be read in one way only.
        broken: Number and text of every other line that is not blank.
        constants: Numbers of the lines in which NaN or Infinity stands, which is not JSON.
        problems: One error for each broken line.
    """

    lines: list[Line] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    constants: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_lines(path: Path, shown: str) -> tuple[list[Line], list[Problem]]:
    """Read every line that can be read, and name every line that cannot.

    Blank lines, CRLF, a byte order mark and a missing final newline are read without complaint.
    """
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    return scan.lines, problems + scan.problems


def scan_lines(text: str, shown: str) -> Scan:
    """Read the lines of a text. ``shown`` is the path for the problems."""
    scan = Scan()
    # split on line feeds only: str.splitlines would also split on U+2028 inside a memory
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    constants: list[str] = []
    with Reader([line for _, line in numbered], loads=_decoder(constants)) as reader:
        for number, line in numbered:
            try:
                record = reader.read(type=dict)
            except InvalidLineError as error:
                scan.broken.append((number, line))
                scan.problems.append(_broken(shown, number, line, error))
                continue
            if line.count('":') != _keys_of(record) and (again := twice_problems(line, shown, number)):
                scan.broken.append((number, line))
                scan.problems += again
                continue
            if constants:
                scan.constants.append(number)
                constants.clear()
            scan.lines.append(Line(number, record, line))
    return scan


def _decoder(constants: list[str]) -> Callable[[str], Any]:
    values = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

    def constant(name: str) -> float:
        constants.append(name)
        return values[name]

    return json.JSONDecoder(parse_constant=constant).decode


def _keys_of(record: dict[str, Any]) -> int:
    """Count the keys that a line without nested objects has, metadata apart: what nearly every memory is."""
    metadata = record.get("metadata")
    return len(record) + (len(metadata) if type(metadata) is dict else 0)


def _broken(shown: str, number: int, line: str, error: InvalidLineError) -> Problem:
    cause = error.__cause__
    if not isinstance(cause, json.JSONDecodeError):
        column = len(line) - len(line.lstrip()) + 1
        deep = isinstance(cause, RecursionError)
        found = "nested too deeply to be read" if deep else "one JSON object expected on each line"
        hint = "put the whole entry on this line, between { and }"
        return Problem(shown, number, column, "error", "json-type", found, hint)
    hint = "the line was cut off: complete it, or delete it"
    if cause.msg.startswith("Unterminated string"):
        message = "not JSON: the line ends inside the text that begins here"
        return Problem(shown, number, cause.pos + 1, "error", "json-syntax", message, hint)
    if cause.pos >= len(line.rstrip()):
        message = f"not JSON: the line ends here, unfinished; {cause.msg[0].lower() + cause.msg[1:]}"
        return Problem(shown, number, cause.pos + 1, "error", "json-syntax", message, hint)
    return syntax_problem(shown, cause, line=number)
