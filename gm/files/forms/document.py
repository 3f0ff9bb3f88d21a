"""JSON documents that people edit: change single values without touching the rest.

``set_values`` and ``set_value`` replace only the text of the values that change, down to the single item of a list.
Indentation, inline objects, the order of keys, the spelling of numbers and everything else around them stays as the
person left it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gm.files.forms.jsonfile import Document, read_document, syntax_problem
from gm.files.forms.splice import Piece, is_same, join_pieces, pair_items
from gm.files.forms.text import BOM

__all__ = ["Document", "find_value", "put_at", "read_document", "set_value", "set_values", "syntax_problem"]

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def set_values(text: str, values: Mapping[str, Any]) -> str:
    """Change top-level values of a JSON object, leaving every other byte as it is.

    Args:
        text: The document as it stands, or one line of a stream; empty for a new document.
        values: New values by key. A value equal to the present one changes nothing; a key that is not there yet
            is added after the last one.

    Raises:
        ValueError: The text is not a JSON object.
    """
    if not text.strip(BOM + " \t\r\n"):
        return json.dumps(dict(values), ensure_ascii=False, indent=4) + "\n"
    begin, end, data = _whole(text)
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    return text[:begin] + _edit_whole(text, begin, end, data, {**data, **values}) + text[end:]


def set_value(text: str, path: Sequence[str | int], value: Any) -> str:
    """Change one value anywhere in a JSON document, leaving every other byte as it is.

    Args:
        text: The document as it stands, or one line of a stream.
        path: Keys and places in lists that lead to the value. The last key may be new.
        value: The new value.

    Raises:
        ValueError: The text is not JSON, or the path leads nowhere.
    """
    begin, end, data = _whole(text)
    return text[:begin] + _edit_whole(text, begin, end, data, put_at(data, path, value)) + text[end:]


def find_value(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Find where the text of a value begins and ends.

    Raises:
        ValueError: The text is not JSON, or the path leads nowhere.
    """
    begin, end, _ = _whole(text)
    for key in path:
        spans = {member.key: member for member in _members(text, begin)}
        if key not in spans:
            raise ValueError(f"there is no {key!r} here")
        begin, end = spans[key].value, spans[key].end
    return begin, end


def put_at(data: Any, path: Sequence[str | int], value: Any) -> Any:
    """Copy data with one value changed.

    Raises:
        ValueError: The path leads nowhere.
    """
    if not path:
        return value
    key, *rest = path
    if isinstance(data, dict) and (key in data or not rest):
        return {**data, key: put_at(data.get(key), rest, value)}
    if isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
        return [*data[:key], put_at(data[key], rest, value), *data[key + 1 :]]
    raise ValueError(f"there is no {key!r} here")


@dataclass(frozen=True, slots=True)
class _Member:
    """One item of a container: its key or place, where item, value and end lie, and what the value is."""

    key: str | int
    begin: int
    value: int
    end: int
    data: Any


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file writes: one level of indentation ("" = all in one line), line end, separators, ASCII only."""

    step: str
    newline: str
    colon: str
    comma: str
    ascii: bool


def _whole(text: str) -> tuple[int, int, Any]:
    """Find where the one value of a document begins and ends, and read it."""
    begin = _skip(text, len(text) - len(text.lstrip(BOM)))
    data, end = _DECODER.raw_decode(text, begin)
    if text[_skip(text, end) :]:
        raise ValueError("more than one JSON value")
    return begin, end, data


def _style_of(text: str, begin: int, members: Sequence[_Member]) -> _Style:
    lead = text[begin + 1 : members[0].begin] if members else ""
    step = lead.rpartition("\n")[2] if "\n" in lead else ""
    keyed = next((member for member in members if isinstance(member.key, str)), None)
    tight = keyed is not None and text[keyed.value - 1] == ":"
    return _Style(
        step=step if members else "    ",
        newline="\r\n" if "\r\n" in text else "\n",
        colon=":" if tight else ": ",
        comma="," if tight else ", ",
        ascii=text.isascii() and "\\u" in text,
    )


def _edit_whole(text: str, begin: int, end: int, old: Any, new: Any) -> str:
    """Write the value of a document anew, in the style of the document."""
    members = _members(text, begin)
    style = _style_of(text, begin, members)
    if members and new and type(new) is type(old) and not is_same(old, new):
        return _edit_container(text, begin, end, members, new, style)
    return _edit(text, begin, end, old, new, style)


def _edit(text: str, begin: int, end: int, old: Any, new: Any, style: _Style) -> str:
    """Write a value anew, keeping all of its old text that still says the same."""
    shown = text[begin:end]
    if is_same(old, new):
        return shown
    members = _members(text, begin) if isinstance(new, dict | list) and type(new) is type(old) else []
    if members and new:
        return _edit_container(text, begin, end, members, new, style)
    many = shown == "null" or "\n" in shown or not old
    return _fresh(new, _indent_at(text, begin), style, many=many)


def _edit_container(text: str, begin: int, end: int, members: Sequence[_Member], new: Any, style: _Style) -> str:
    lead = text[begin + 1 : members[0].begin]
    gaps = [text[one.end : two.begin] for one, two in pairwise(members)]
    many = "\n" in (gaps[-1] if gaps else lead)
    inside = style if many and _is_spread(text, members) else replace(style, step="")
    indent = _indent_at(text, members[-1].begin)
    pieces = []
    for key, origin, value in _wanted(members, new):
        if origin is None:
            name = _dump(key, style) + style.colon if isinstance(new, dict) else ""
            pieces.append(Piece(name + _fresh(value, indent, inside, many=True), None))
        else:
            member = members[origin]
            name = text[member.begin : member.value]
            pieces.append(Piece(name + _edit(text, member.value, member.end, member.data, value, inside), origin))
    fresh = "," + lead if many and "\n" in lead else style.comma
    head, tail = text[begin : members[0].begin], text[members[-1].end : end]
    joined = head + join_pieces(pieces, gaps, fresh) + tail
    # gaps of an unusual build, with the comma in front of the next line, cannot always be put together anew
    return joined if _says(joined, new) else head + fresh.join(piece.text for piece in pieces) + tail


def _says(text: str, data: Any) -> bool:
    try:
        return is_same(json.loads(text), data)
    except ValueError:
        return False


def _wanted(members: Sequence[_Member], new: Any) -> list[tuple[Any, int | None, Any]]:
    """List what the new container holds: key, place of the old item it comes from, value."""
    if isinstance(new, list):
        old = [member.data for member in members]
        return [(None, origin, value) for origin, value in zip(pair_items(old, new), new, strict=True)]
    # of keys that occur twice the last one counts, as for every reader
    last = {member.key: place for place, member in enumerate(members)}
    kept = [
        (member.key, place, new[member.key] if last[member.key] == place else member.data)
        for place, member in enumerate(members)
        if member.key in new
    ]
    return [*kept, *((key, None, value) for key, value in new.items() if key not in last)]


def _members(text: str, begin: int) -> list[_Member]:
    """Find the items of the object or list that begins at a place; none for any other value."""
    keyed = text[begin] == "{"
    members: list[_Member] = []
    place = _skip(text, begin + 1)
    if text[begin] not in "{[" or text[place] in "}]":
        return members
    while True:
        key: str | int = len(members)
        first = place
        if keyed:
            key, place = _DECODER.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        data, end = _DECODER.raw_decode(text, place)
        members.append(_Member(key, first, place, end, data))
        place = _skip(text, end)
        if text[place] != ",":
            return members
        place = _skip(text, place + 1)


def _is_spread(text: str, members: Sequence[_Member]) -> bool:
    """Return whether lists and objects among the items stand over several lines; taken for granted without any."""
    shown = [text[member.value : member.end] for member in members]
    filled = [item for item in shown if item[0] in "{[" and item[1:-1].strip()]
    return not filled or any("\n" in item for item in filled)


def _skip(text: str, place: int) -> int:
    if text[place : place + 1] > " ":  # as a rule: no white space lies above the blank
        return place
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _indent_at(text: str, place: int) -> str:
    """Indentation of the line on which a place lies."""
    start = text.rfind("\n", 0, place) + 1
    line = text[start:place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _fresh(value: Any, indent: str, style: _Style, *, many: bool) -> str:
    """Write a value that was not there before, over several lines if the file does so in such places."""
    if not (many and style.step) or not isinstance(value, list | dict) or not value:
        return _dump(value, style)
    return _dump(value, style, indent=style.step).replace("\n", style.newline + indent)


def _dump(value: Any, style: _Style, indent: str | None = None) -> str:
    comma = style.comma.rstrip() if indent else style.comma
    plain = json.dumps(value, ensure_ascii=style.ascii, indent=indent, separators=(comma, style.colon))
    try:
        plain.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, written as an escape by whoever made the file
        return json.dumps(value, indent=indent, separators=(comma, style.colon))
    return plain
