"""Read JSON documents that people edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gm.base.errors import Problem, say
from gm.files.formats.faults import HALF_HINT, find_half, half_message, is_too_deep, may_be_too_deep, may_have_halves
from gm.files.formats.text import BOM, place_in, read_text, report_empty_file


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
        place, message = place_in(body, at), half_message(body, at)
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
    before = error.doc[: error.pos + 1].rstrip()
    if before[-1:] in ("}", "]"):
        before = before[:-1].rstrip()
    after = error.doc[len(before) :].lstrip()
    return len(before) - 1 if before.endswith(",") and after[:1] in ("}", "]") else -1
