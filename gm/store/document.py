"""JSON documents that people edit: read them with places, and change single values without touching the rest.

``set_values`` replaces only the text of the values that change. Indentation, inline objects, the order of keys,
the spelling of numbers and everything else around them stays as the person left it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.errors import Problem
from gm.store.text import read_text

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON file whose top level is an object."""

    data: Mapping[str, Any]
    text: str
    exists: bool


def read_document(path: Path, shown: str) -> tuple[Document, list[Problem]]:
    """Read a JSON object. An absent or empty file is an empty object and no problem."""
    text, problems = read_text(path, shown)
    if problems or not text.body.strip():
        return Document({}, text.content, text.exists), problems
    try:
        data = json.loads(text.body)
    except json.JSONDecodeError as error:
        return Document({}, text.content, True), [syntax_problem(shown, error)]
    except RecursionError:
        problem = Problem(shown, 1, 1, "error", "json-depth", "nested too deeply to be read")
        return Document({}, text.content, True), [problem]
    if not isinstance(data, dict):
        problem = Problem(shown, 1, 1, "error", "json-type", f"{type(data).__name__} found, an object expected")
        return Document({}, text.content, True), [problem]
    return Document(data, text.content, True), []


def syntax_problem(shown: str, error: json.JSONDecodeError, line: int | None = None) -> Problem:
    """Say where JSON breaks. ``line`` overrides the line for one line of a larger file."""
    found = error.doc[error.pos : error.pos + 1]
    what = f"{found!r} found" if found and found not in "\r\n" else "the text ends here"
    return Problem(
        shown,
        line if line is not None else error.lineno,
        error.colno,
        "error",
        "json-syntax",
        f"not JSON: {what}; {error.msg[0].lower() + error.msg[1:]}",
        "look for a missing comma, bracket or quote at this place or just before it",
    )


def set_values(text: str, values: Mapping[str, Any]) -> str:
    """Change top-level values of a JSON object, leaving every other byte as it is.

    Args:
        text: The document as it stands; empty for a new one.
        values: New values by key. A value equal to the present one changes nothing; a key that is not there yet
            is added after the last one.

    Raises:
        ValueError: The text is not a JSON object.
    """
    if not text.strip("\ufeff \t\r\n"):
        return json.dumps(dict(values), ensure_ascii=False, indent=4) + "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    for key, value in values.items():
        spans, end_of_last, opening = _value_spans(text)
        if key in spans:
            begin, end = spans[key]
            if json.loads(text[begin:end]) != value or _is_bool_swap(json.loads(text[begin:end]), value):
                indent = _indent_at(text, begin)
                text = text[:begin] + _render(value, text[begin:end], indent, newline, text) + text[end:]
        else:
            text = _add_key(text, key, value, end_of_last, opening, newline)
    return text


def _is_bool_swap(old: object, new: object) -> bool:
    """True == 1 in Python, but not in JSON."""
    return isinstance(old, bool) != isinstance(new, bool)


def _value_spans(text: str) -> tuple[dict[str, tuple[int, int]], int, int]:
    """Find where each top-level value begins and ends, where the last one ends, and the opening brace."""
    place = _skip(text, len(text) - len(text.lstrip("\ufeff")))
    if text[place : place + 1] != "{":
        raise ValueError("not a JSON object")
    opening = place
    spans: dict[str, tuple[int, int]] = {}
    end = place + 1
    place = _skip(text, place + 1)
    while text[place : place + 1] != "}":
        key, place = _DECODER.raw_decode(text, place)
        place = _skip(text, place)
        if not isinstance(key, str) or text[place : place + 1] != ":":
            raise ValueError("not a JSON object")
        begin = _skip(text, place + 1)
        _, end = _DECODER.raw_decode(text, begin)
        spans[key] = (begin, end)
        place = _skip(text, end)
        if text[place : place + 1] == ",":
            place = _skip(text, place + 1)
        elif text[place : place + 1] != "}":
            raise ValueError("not a JSON object")
    return spans, end, opening


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _indent_at(text: str, place: int) -> str:
    """Indentation of the line on which a place lies."""
    start = text.rfind("\n", 0, place) + 1
    line = text[start:place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _render(value: Any, old: str, indent: str, newline: str, text: str) -> str:
    """Write a value the way the file writes such values: over several lines if the old one was, else in one."""
    inside = _SPACE.match(text, 1 + text.find("{"))
    step = inside.group().rpartition("\n")[2] if inside else ""
    many_lines = "\n" in old or (isinstance(value, list | dict) and old in ("[]", "{}", "null") and bool(step))
    if not isinstance(value, list | dict) or not value or not many_lines:
        return json.dumps(value, ensure_ascii=False)
    shown = json.dumps(value, ensure_ascii=False, indent=step or "    ")
    return shown.replace("\n", newline + indent)


def _add_key(text: str, key: str, value: Any, end_of_last: int, opening: int, newline: str) -> str:
    inside = _SPACE.match(text, opening + 1)
    gap = inside.group() if inside else ""
    step = gap.rpartition("\n")[2]
    shown = json.dumps(value, ensure_ascii=False, indent=step if "\n" in gap and step else None)
    entry = f"{json.dumps(key, ensure_ascii=False)}: {shown.replace(chr(10), newline + step)}"
    if end_of_last == opening + 1:
        return text[: opening + 1] + newline + "    " + entry + newline + text[_skip(text, opening + 1) :]
    separator = "," + (gap if "\n" in gap else " ")
    return text[:end_of_last] + separator + entry + text[end_of_last:]
