"""JSON lines files: memory streams, logbooks, archives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from gm.base.errors import Problem
from gm.base.texts import CONFLICT, CONFLICT_HINT, is_conflict_mark
from gm.files.formats import document
from gm.files.formats.text import BOM, Text, read_text

_new = tuple.__new__  # creating a named tuple this way takes half the time
_LOOKED_AT = 1 << 14
"""Characters that are checked for deep nesting at once."""


class JsonLine(NamedTuple):
    """A JSON object and its line number, from 1."""

    number: int
    record: dict[str, Any]


@dataclass(slots=True)
class Scan:
    """The lines of a file. Line numbers count from 1.

    Attributes:
        text: Without the byte order mark.
        before: Number of lines before the text, where it is a part of a file.
        broken: Number and text of every other non-blank line.
        starts: Offsets of all lines, blank ones included.
        constants: Lines with NaN or Infinity, which are not JSON.
    """

    text: str
    lines: list[JsonLine] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    constants: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    before: int = 0

    def line(self, number: int) -> str:
        """Return a line by number, from 1, without its line feed."""
        begin = self.starts[number - self.before - 1]
        end = self.text.find("\n", begin)
        return self.text[begin:] if end < 0 else self.text[begin:end]


def read_lines(path: Path, shown: str) -> tuple[list[JsonLine], list[Problem]]:
    """Read all valid lines, and a problem for each other one."""
    scan = scan_file(path, shown)[1]
    return scan.lines, scan.problems


def scan_file(path: Path, shown: str) -> tuple[Text, Scan]:
    """Read a file and scan its lines; an absent one has none."""
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    scan.problems[:0] = problems
    return text, scan


def lines_in(data: bytes) -> list[JsonLine]:
    """Return the valid lines of a file, or of a part of it."""
    return scan_lines(data.decode("utf-8", "replace").removeprefix(BOM), "").lines


def scan_lines(text: str, shown: str) -> Scan:
    """Scan a text; ``shown`` is the path in problems."""
    scan = Scan(text)
    scan.lines = list(each_line(scan, shown))
    return scan


def each_line(scan: Scan, shown: str) -> Iterator[JsonLine]:
    """Yield the lines of a scan and fill in its other attributes."""
    constants: list[str] = []
    sizes: list[int] = []  # of all objects of a line
    decoder = _make_decoder(constants, sizes)
    text, size, scan_once = scan.text, len(scan.text), decoder.scan_once
    starts = scan.starts
    number, start, looked = scan.before, 0, 0
    cut = shallow = False
    halves = document.may_have_halves(text)
    while start < size:
        number += 1
        starts.append(start)
        # only line feeds: str.splitlines also splits on U+2028, which may occur in a memory
        stop = text.find("\n", start)
        if stop < 0:
            stop = size
        sizes.clear()
        try:
            # valid lines are not sliced: that costs as much as decoding
            record, end = scan_once(text[start:stop], 0) if cut else scan_once(text, start)
            usual = end == (stop - start if cut else stop)
        except (StopIteration, ValueError, RecursionError):
            usual = False
        if not usual:
            line = text[start:stop]
            constants.clear()
            sizes.clear()
            if not line or line.isspace():
                scan.blank.append(number)
                start = stop + 1
                continue
            cut = True  # computing an error's line in a long text would count from its beginning
            record = _decode_or_error(decoder, line)
        if stop > looked:  # brackets are counted for many lines at once
            looked = text.find("\n", start + _LOOKED_AT)
            looked = size if looked < 0 else looked
            shallow = not document.may_be_too_deep(text, start, looked)
        if (
            not shallow
            and stop - start > 2 * document.DEEPEST
            and document.may_be_too_deep(text, start, stop)
            and document.is_too_deep(record)
        ):
            record = RecursionError()
        if halves and type(record) is dict and document.find_half(text[start:stop]) >= 0:
            record = UnicodeError()
        begin, start = start, stop + 1
        if constants:
            scan.constants.append(number)
            constants.clear()
        if type(record) is dict:
            # a text may hold what looks like a key: only a line with more of them than keys is looked at again
            is_strange = text.count('":', begin, stop) != sum(sizes)
            if is_strange and (again := document.find_duplicate_keys(text[begin:stop], shown, number)):
                scan.broken.append((number, text[begin:stop]))
                scan.problems += again
                continue
            yield _new(JsonLine, (number, record))
        else:
            line = scan.line(number)
            scan.broken.append((number, line))
            scan.problems.append(_broken_problem(shown, number, line, record))


class _Decoder(Protocol):
    scan_once: Callable[[str, int], tuple[Any, int]]

    def decode(self, s: str) -> Any: ...


def _make_decoder(constants: list[str], sizes: list[int]) -> _Decoder:
    values = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

    def constant(name: str) -> float:
        constants.append(name)
        return values[name]

    def count(found: dict[str, Any]) -> dict[str, Any]:
        sizes.append(len(found))
        return found

    return cast(_Decoder, json.JSONDecoder(object_hook=count, parse_constant=constant))


def _decode_or_error(decoder: _Decoder, line: str) -> Any:
    try:
        return decoder.decode(line)
    except (ValueError, RecursionError) as error:
        return error


def _broken_problem(shown: str, number: int, line: str, cause: object) -> Problem:
    if isinstance(cause, UnicodeError):
        at = document.find_half(line)
        return Problem(shown, number, at + 1, "error", "json-half", document.half_message(line, at), document.HALF_HINT)
    if is_conflict_mark(line):
        return Problem(shown, number, 1, "error", "merge-conflict", CONFLICT, CONFLICT_HINT)
    if not isinstance(cause, json.JSONDecodeError):
        column = len(line) - len(line.lstrip()) + 1
        found = "one JSON object expected on each line"
        if isinstance(cause, RecursionError):
            found = "nested too deeply to be read"
        elif isinstance(cause, ValueError):
            found = "a number with too many digits"
        hint = "put the whole entry on this line, between { and }"
        return Problem(shown, number, column, "error", "json-type", found, hint)
    hint = "the line was cut off: complete it, or delete it"
    if cause.msg.startswith("Unterminated string"):
        message = "not JSON: the line ends inside the text that begins here"
        hint = "in a text, write \\n for a line break; if the line was cut off, complete it, or delete it"
        return Problem(shown, number, cause.pos + 1, "error", "json-syntax", message, hint)
    if cause.pos >= len(line.rstrip()):
        message = f"not JSON: the line ends here, unfinished; {cause.msg[0].lower() + cause.msg[1:]}"
        return Problem(shown, number, cause.pos + 1, "error", "json-syntax", message, hint)
    problem = document.syntax_problem(shown, cause, line=number)
    if line[: cause.pos].strip():
        return problem
    hint = "each line is one object between { and }"
    if "/memories/" in shown:
        hint += "; gm memory add writes one from a text"
    return replace(problem, hint=hint)
