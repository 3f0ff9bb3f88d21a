"""Read JSON documents that people edit; faults that parsers accept: deep nesting, lone surrogates, duplicate keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gm.base.errors import Problem, say
from gm.base.untyped import items_of
from gm.files.formats.text import BOM, locate_offset, read_text, report_empty_file

DEEPEST = 200


def is_too_deep(value: object) -> bool:
    """Return whether containers are nested more than ``DEEPEST`` levels deep."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        layer = [item for outer in layer for item in _values_in(outer)]
        if not layer:
            return False
    return True


def may_be_too_deep(text: str, start: int = 0, stop: int | None = None) -> bool:
    """Return whether JSON may be nested too deeply; fast, never falsely False."""
    return text.count("[", start, stop) + text.count("{", start, stop) > DEEPEST


def _values_in(value: object) -> Iterable[Any]:
    found = value.values() if isinstance(value, dict) else items_of(value)
    return [item for item in found if isinstance(item, dict | list)]


HALF_HINT = "take the escape out, or write the whole character"
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<alone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def may_have_halves(text: str) -> bool:
    """Return whether the text has any escaped surrogate; much faster than ``find_half``."""
    return "\\" in text and ("\\ud" in text or "\\uD" in text)


def find_half(text: str) -> int:
    """Return the offset of the first lone surrogate in a JSON text; -1 if there is none."""
    return next((match.start() for match in _ESCAPE.finditer(text) if match["alone"]), -1)


def half_message(text: str, at: int) -> str:
    """Return the message for a lone surrogate at an offset."""
    return f"{text[at : at + 6]} is half a character: it cannot be written"


def find_duplicate_keys(text: str, shown: str, line: int = 1) -> list[Problem]:
    """Return a problem for each duplicate key of a JSON text that begins on line ``line``."""
    doubled = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        data = dict(pairs)
        doubled = doubled or len(data) != len(pairs)
        return data

    json.loads(text, object_pairs_hook=look)
    if not doubled:
        return []
    from gm.files.formats.places import find_duplicates  # most files have none

    return [_report_duplicate_key(shown, str(keys[-1]), text, at, line) for keys, at in find_duplicates(text)]


def _report_duplicate_key(shown: str, key: str, text: str, at: int, line: int) -> Problem:
    number, column = locate_offset(text, at)
    message = say("the key {key} occurs twice: it is not clear which value is meant", repr(key))
    return Problem(shown, line + number - 1, column, "error", "key-twice", message, "delete one of the two")


class Document(NamedTuple):
    """A JSON file that holds an object."""

    data: Mapping[str, Any]
    text: str
    exists: bool

    @property
    def body(self) -> str:
        """The text without its byte order mark, in which places are counted."""
        return self.text.removeprefix(BOM)


def read_document(path: Path, shown: str) -> tuple[Document, list[Problem]]:
    """Read a JSON object; an absent file is an empty object, an empty file a problem."""
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return Document({}, text.content, text.exists), problems
    body = text.body
    if text.is_blank:
        return Document({}, text.content, True), [report_empty_file(shown)]
    try:
        data = json.loads(body)
        if may_be_too_deep(body) and is_too_deep(data):
            raise RecursionError
    except json.JSONDecodeError as error:
        return Document({}, text.content, True), [syntax_problem(shown, error)]
    except (RecursionError, ValueError):
        message = "nested too deeply to be read, or a number without end"
        problem = Problem(shown, 1, 1, "error", "json-depth", message, "write it flatter, or the number shorter")
        return Document({}, text.content, True), [problem]
    if may_have_halves(body) and (at := find_half(body)) >= 0:
        place, message = locate_offset(body, at), half_message(body, at)
        return Document({}, text.content, True), [Problem(shown, *place, "error", "json-half", message, HALF_HINT)]
    if not isinstance(data, dict):
        message = say("found {value}, expected {part}", type(data).__name__, "an object")
        return Document({}, text.content, True), [Problem(shown, 1, 1, "error", "json-type", message)]
    return Document(data, text.content, True), []


def render_document(data: object) -> str:
    """Return a new document."""
    return json.dumps(data, ensure_ascii=False, indent=4) + "\n"


def syntax_problem(shown: str, error: json.JSONDecodeError, line: int | None = None) -> Problem:
    """Return the problem for a JSON error; ``line`` overrides its line."""
    at = _last_comma(error)
    if at >= 0:
        message, hint = "',' found; nothing comes after it", "take the comma out"
    else:
        at = error.pos
        found = error.doc[at : at + 1]
        what = f"{found!r} found" if found and found not in "\r\n" else "the text ends here"
        message = f"{what}; {error.msg[0].lower() + error.msg[1:]}"
        hint = "look for a missing comma, bracket or quote at this place or just before it"
        if found and found in "“”„‟«»‘’":
            hint = 'keys and texts stand between straight quotation marks: "'
        elif found.strip() and found not in '"{}[],:' and error.doc[:at].rstrip().endswith('"'):
            hint = 'a quotation mark inside a text is written \\"; else ' + hint
    number = line if line is not None else error.doc.count("\n", 0, at) + 1
    column = at - error.doc.rfind("\n", 0, at)
    return Problem(shown, number, column, "error", "json-syntax", f"not JSON: {message}", hint)


def _last_comma(error: json.JSONDecodeError) -> int:
    """Return the offset of the trailing comma at fault, else -1.

    Python < 3.13 reports the bracket behind it; problems must not depend on the version.
    """
    if error.doc[error.pos :].strip() == ",":
        return error.pos
    before = error.doc[: error.pos + 1].rstrip()
    if before[-1:] in ("}", "]"):
        before = before[:-1].rstrip()
    after = error.doc[len(before) :].lstrip()
    return len(before) - 1 if before.endswith(",") and after[:1] in ("}", "]") else -1
