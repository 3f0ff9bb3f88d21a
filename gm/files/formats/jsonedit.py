"""Edit values of JSON documents; all other bytes stay as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gm.files.formats.document import render_document
from gm.files.formats.places import ValueSpan, skip_spaces, span_at, spans_in
from gm.files.formats.splice import SplicedItem, align_items, is_same_value, join_pieces
from gm.files.formats.text import BOM


def set_values(text: str, values: Mapping[str, Any]) -> str:
    """Set top-level values of a JSON object, leaving every other byte as it is.

    Args:
        values: By key; equal values change nothing, new keys are added at the end.

    Raises:
        ValueError: The text is not a JSON object.
    """
    if not text.strip(BOM + " \t\r\n"):
        return render_document(dict(values))
    whole = span_at(text, len(text) - len(text.lstrip(BOM)))
    if text[skip_spaces(text, whole.end) :]:
        raise ValueError("more than one JSON value")
    if not isinstance(whole.data, dict):
        raise ValueError("not a JSON object")
    wanted = {**whole.data, **values}
    if is_same_value(whole.data, wanted):
        return text
    style = _style_of(text, whole.begin, list(spans_in(text, whole)))
    return text[: whole.begin] + _edit_value(text, whole, wanted, style) + text[whole.end :]


@dataclass(frozen=True, slots=True)
class _Style:
    """``step`` is the indentation of one level; "" = all on one line."""

    step: str
    newline: str
    colon: str
    comma: str
    ascii: bool


def _style_of(text: str, begin: int, members: Sequence[ValueSpan]) -> _Style:
    lead = text[begin + 1 : members[0].key] if members else ""
    step = lead.rpartition("\n")[2] if "\n" in lead else ""
    tight = bool(members) and text[members[0].begin - 1] == ":"
    return _Style(
        step=step if members else "    ",
        newline="\r\n" if "\r\n" in text else "\n",
        colon=":" if tight else ": ",
        comma="," if tight else ", ",
        ascii=text.isascii() and "\\u" in text,
    )


def _edit_value(text: str, old: ValueSpan, new: object, style: _Style) -> str:
    members = list(spans_in(text, old)) if isinstance(new, dict | list) and type(new) is type(old.data) else []
    if members and new:
        return _edit_container(text, old, members, new, style)
    shown = text[old.begin : old.end]
    many = shown == "null" or "\n" in shown or not old.data
    return _render_fresh(new, _indent_at(text, old.begin), style, many=many)


def _edit_container(text: str, old: ValueSpan, members: Sequence[ValueSpan], new: object, style: _Style) -> str:
    lead = text[old.begin + 1 : members[0].key]
    gaps = [text[one.end : two.key] for one, two in pairwise(members)]
    many = "\n" in (gaps[-1] if gaps else lead)
    inside = style if many and _is_spread(text, members) else replace(style, step="")
    indent = _indent_at(text, members[-1].key)
    pieces = []
    wanted = _match_members(members, new)
    same = [origin is not None and is_same_value(members[origin].data, value) for _, origin, value in wanted]
    for (key, origin, value), stays in zip(wanted, same, strict=True):
        if origin is None:
            name = _dump_value(key, style) + style.colon if isinstance(new, dict) else ""
            pieces.append(SplicedItem(name + _render_fresh(value, indent, inside, many=True), None))
        else:
            member = members[origin]
            name, shown = text[member.key : member.begin], text[member.begin : member.end]
            if not stays:
                shown = _edit_value(text, member, value, inside)
            pieces.append(SplicedItem(name + shown, origin))
    fresh = "," + lead if many and "\n" in lead else style.comma
    head, tail = text[old.begin : members[0].key], text[members[-1].end : old.end]
    joined = head + join_pieces(pieces, gaps, fresh) + tail
    # unusual gaps (comma at the start of the next line) cannot always be joined
    return joined if _is_read_as(joined, new) else head + fresh.join(piece.text for piece in pieces) + tail


def _is_read_as(text: str, data: object) -> bool:
    try:
        return is_same_value(json.loads(text), data)
    except ValueError:
        return False


def _match_members(members: Sequence[ValueSpan], new: Any) -> list[tuple[Any, int | None, Any]]:
    """Return key, index of the old item (None = new) and value of each new item."""
    if isinstance(new, list):
        old = [member.data for member in members]
        return [(None, origin, value) for origin, value in zip(align_items(old, new), new, strict=True)]
    # of duplicate keys the last one counts, as for every reader
    keys = [member.keys[-1] for member in members]
    last = {key: place for place, key in enumerate(keys)}
    kept = [
        (key, place, new[key] if last[key] == place else member.data)
        for place, (key, member) in enumerate(zip(keys, members, strict=True))
        if key in new
    ]
    return [*kept, *((key, None, value) for key, value in new.items() if key not in last)]


def _is_spread(text: str, members: Sequence[ValueSpan]) -> bool:
    shown = [text[member.begin : member.end] for member in members]
    filled = [item for item in shown if item[0] in "{[" and item[1:-1].strip()]
    return not filled or any("\n" in item for item in filled)


def _indent_at(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    line = text[start:place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _render_fresh(value: object, indent: str, style: _Style, *, many: bool) -> str:
    if not (many and style.step) or not isinstance(value, list | dict) or not value:
        return _dump_value(value, style)
    return _dump_value(value, style, indent=style.step).replace("\n", style.newline + indent)


def _dump_value(value: object, style: _Style, indent: str | None = None) -> str:
    comma = style.comma.rstrip() if indent else style.comma
    plain = json.dumps(value, ensure_ascii=style.ascii, indent=indent, separators=(comma, style.colon))
    try:
        plain.encode()
    except UnicodeEncodeError:  # a lone surrogate, escaped in the file
        return json.dumps(value, indent=indent, separators=(comma, style.colon))
    return plain
