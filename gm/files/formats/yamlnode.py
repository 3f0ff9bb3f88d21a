"""Locate the values of a YAML text and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)*")
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*?)?(?=\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A value in the text.

    Attributes:
        outer: Start offset, including an anchor or tag.
        begin: Start offset without them; for an empty value, behind the colon or hyphen.
        style: ``flow`` or ``block`` for containers; the quote, ``|``, ``>`` or "" for scalars.
        starts: Offset of each item with its key or hyphen.
        slots: Offset behind the colon or hyphen of each item; blocks only.
    """

    outer: int
    begin: int
    end: int
    kind: str
    style: str = ""
    items: tuple[YamlNode, ...] = ()
    starts: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()


def find_column(text: str, place: int) -> int:
    """Return the column, from 0, of an offset."""
    return place - (text.rfind("\n", 0, place) + 1)


def compose_node(text: str) -> YamlNode | None:
    """Return the root node; None for an empty document."""
    events = yaml.parse(text, Loader=yaml.SafeLoader)
    for event in events:
        if isinstance(event, yaml.events.NodeEvent):
            return _read_node(text, event, events)
    return None


def _read_node(text: str, event: Any, events: Iterator[Any]) -> YamlNode:
    outer, end = _index_of(event.start_mark), _index_of(event.end_mark)
    if isinstance(event, yaml.AliasEvent):
        return YamlNode(outer, outer, end, "alias")
    properties = _PROPERTIES.match(text, outer, end)
    begin = properties.end() if properties else outer
    if isinstance(event, yaml.ScalarEvent):
        style = event.style or ""
        if style in ("|", ">"):
            end = begin + len(text[begin:end].rstrip(" \r\n"))
        return YamlNode(outer, begin, end, "scalar", style)
    return _read_container(text, event, events, outer, begin)


def _index_of(mark: Any) -> int:
    return int(mark.index)


def _read_container(text: str, event: Any, events: Iterator[Any], outer: int, begin: int) -> YamlNode:
    kind = "map" if isinstance(event, yaml.MappingStartEvent) else "list"
    style = "flow" if event.flow_style else "block"
    keys: list[YamlNode] = []
    items: list[YamlNode] = []
    for inner in events:
        if isinstance(inner, yaml.CollectionEndEvent):
            end = _index_of(inner.end_mark)
            break
        node = _read_node(text, inner, events)
        (keys if kind == "map" and len(keys) == len(items) else items).append(node)
    if style == "flow":
        return YamlNode(outer, begin, end, kind, style, tuple(items), tuple(node.outer for node in (keys or items)))
    starts = tuple(node.outer for node in keys) if kind == "map" else _find_hyphens(text, items, begin)
    # the parser ends a block at the next token, behind comments and blank lines
    slots = tuple(text.index(":", key.end) + 1 for key in keys) or tuple(start + 1 for start in starts)
    outer = min(outer, starts[0])
    return YamlNode(outer, starts[0], line_end(text, items[-1].end), kind, style, tuple(items), starts, slots)


def _find_hyphens(text: str, items: Sequence[YamlNode], begin: int) -> tuple[int, ...]:
    lead = re.compile(rf"^ {{{find_column(text, begin)}}}-(?=\s)", re.MULTILINE)
    found = [begin]
    for item in items[:-1]:
        match = lead.search(text, item.end)
        found.append(match.end() - 1 if match else item.end)
    return tuple(found)


def line_end(text: str, place: int) -> int:
    """Return the end of the line if only a comment follows the offset, else the offset."""
    rest = _REST_OF_LINE.match(text, place)
    return rest.end() if rest else place
