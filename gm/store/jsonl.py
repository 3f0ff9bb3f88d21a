"""Files with one JSON object a line: memory streams, logbooks, archives."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from gm.errors import Problem
from gm.store.check.twice import twice_problems
from gm.store.document import syntax_problem
from gm.store.text import read_text


_LINE_END = ("\n", "")


class Line(NamedTuple):
    """One object, and the number of its line from 1."""

    number: int
    record: dict[str, Any]


@dataclass
class Scan:
    """What the lines of a file are.

    Attributes:
        text: The text of the file, without a byte order mark.
        lines: Every line that holds one JSON object and can be read in one way only.
        broken: Number and text of every other line that is not blank.
        blank: Numbers of blank lines.
        plain: Whether every line that is not blank is JSON from its first character to its last.
        constants: Numbers of the lines in which NaN or Infinity stands, which is not JSON.
        problems: One error for each broken line.
    """

    text: str
    lines: list[Line] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    plain: bool = True
    constants: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def _split(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """Give a line as it stands, without the line feed."""
        return self._split[number - 1]


def read_lines(path: Path, shown: str) -> tuple[list[Line], list[Problem]]:
    """Read every line that can be read, and name every line that cannot.

    Blank lines, CRLF, a byte order mark and a missing final newline are read without complaint.
    """
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    return scan.lines, problems + scan.problems


def scan_lines(text: str, shown: str) -> Scan:
    """Read the lines of a text. ``shown`` is the path for the problems."""
    scan = Scan(text)
    constants: list[str] = []
    decoder = _decoder(constants)
    scan_once, add = decoder.scan_once, scan.lines.append
    keys = 0
    # Lines end in line feeds only: str.splitlines would also split on U+2028 inside a memory. They are not kept, which
    # costs more than reading them; ``Scan.line`` finds the few that are looked at again.
    for number, line in enumerate(StringIO(text, newline="\n"), 1):
        try:
            record, end = scan_once(line, 0)
            if line[end:] not in _LINE_END:
                scan.plain = False
                record = decoder.decode(line)
        except (StopIteration, ValueError, RecursionError):
            scan.plain = scan.plain and line == "\n"
            if line.isspace():
                scan.blank.append(number)
                continue
            record = _decoded(decoder, line.rstrip("\n"))
        if type(record) is dict:
            keys += _keys_of(record)
            add(Line(number, record))
            if constants:
                scan.constants.append(number)
        else:
            line = line.rstrip("\n")
            scan.broken.append((number, line))
            scan.problems.append(_broken(shown, number, line, record))
        if constants:
            constants.clear()
    if text.count('":') != keys:
        _look_for_twice(scan, shown)
    return scan


def _look_for_twice(scan: Scan, shown: str) -> None:
    """Take out the lines in which a key stands twice. Looked for only when a file has more keys than its records."""
    for line in list(scan.lines):
        text = scan.line(line.number)
        if text.count('":') != _keys_of(line.record) and (again := twice_problems(text, shown, line.number)):
            scan.lines.remove(line)
            scan.broken.append((line.number, text))
            scan.problems += again


def _decoder(constants: list[str]) -> json.JSONDecoder:
    values = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

    def constant(name: str) -> float:
        constants.append(name)
        return values[name]

    return json.JSONDecoder(parse_constant=constant)


def _decoded(decoder: json.JSONDecoder, line: str) -> Any:
    """Decode a line of unusual form; what is wrong with it where that fails."""
    try:
        return decoder.decode(line)
    except (ValueError, RecursionError) as error:
        return error


def _keys_of(record: dict[str, Any]) -> int:
    """Count the keys that a line without nested objects has, metadata apart: what nearly every memory is."""
    metadata = record.get("metadata")
    return len(record) + (len(metadata) if type(metadata) is dict else 0)


def _broken(shown: str, number: int, line: str, cause: object) -> Problem:
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
