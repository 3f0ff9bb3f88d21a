"""Locate values in JSON or YAML text by key path; used only to report problems."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import yaml

from gm.base import frontmatter
from gm.base.frontmatter import yaml_place as yaml_place
from gm.files.formats.text import locate_offset

Keys = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity\b|\bNaN\b')
DEEPEST = 8
"""Limit of nested YAML mappings; it also ends a mapping that contains itself."""


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A value of a JSON text: its path, the offsets of its key (of an item in a list: of itself), start and end."""

    keys: Keys
    key: int
    begin: int
    end: int
    data: Any = field(compare=False)


def span_at(text: str, place: int = 0) -> ValueSpan:
    """Return the value that begins at an offset, behind white space.

    Raises:
        ValueError: There is no JSON.
    """
    begin = skip_spaces(text, place)
    data, end = _DECODER.raw_decode(text, begin)
    return ValueSpan((), -1, begin, end, data)


def spans_in(text: str, parent: ValueSpan) -> Iterator[ValueSpan]:
    """Yield the values of an object or a list; none of any other value."""
    opening = text[parent.begin]
    if opening not in "{[":
        return
    place = skip_spaces(text, parent.begin + 1)
    index = 0
    while place < parent.end - 1:
        key: str | int = index
        at = place
        if opening == "{":
            key, place = _DECODER.raw_decode(text, place)
            place = skip_spaces(text, place) + 1
        value = span_at(text, place)
        yield ValueSpan((*parent.keys, key), at, value.begin, value.end, value.data)
        index += 1
        place = skip_spaces(text, skip_spaces(text, value.end) + 1)


@lru_cache(maxsize=16)
def _children(text: str, parent: ValueSpan) -> dict[str | int, ValueSpan]:
    # a file with many faults is asked for many places; of duplicate keys the last one counts, as everywhere
    return {child.keys[-1]: child for child in spans_in(text, parent)}


def walk(text: str, parent: ValueSpan | None = None) -> Iterator[ValueSpan]:
    """Yield every value of a JSON text, containers after their content.

    Raises:
        ValueError: The text is not JSON.
    """
    parent = parent or span_at(text)
    for spot in spans_in(text, parent):
        yield from walk(text, spot)
    yield parent


def find_spot(text: str, keys: Sequence[str | int], begin: int = 0) -> ValueSpan | None:
    """Find a value by path from the one at ``begin``, else its nearest existing container; None for broken JSON."""
    try:
        spot = span_at(text, begin)
    except (ValueError, RecursionError):
        return None
    for key in keys:
        found = _children(text, spot).get(key)
        if found is None:
            break
        spot = found
    return spot


def json_place(text: str, keys: Sequence[str | int]) -> tuple[int, int]:
    """Return line and column, from 1, of a JSON value, or of its nearest container if absent."""
    spot = find_spot(text, keys)
    return locate_offset(text, spot.begin) if spot else (1, 1)


def find_duplicates(text: str) -> list[tuple[Keys, int]]:
    """Return duplicate keys of objects, with the offset of the second occurrence."""
    seen: set[Keys] = set()
    found = []
    try:
        for spot in walk(text):
            if spot.keys in seen:
                found.append((spot.keys, spot.key))
            seen.add(spot.keys)
    except (ValueError, RecursionError):
        return []
    # a duplicate object repeats all its keys: report only the outermost
    outer = {keys for keys, _ in found}
    return [(keys, at) for keys, at in found if not any(keys[:n] in outer for n in range(1, len(keys)))]


def constants(text: str) -> list[tuple[str, int]]:
    """Return NaN and Infinity, which Python accepts and JSON does not, with offsets."""
    return [(match[0], match.start()) for match in _TOKEN.finditer(text) if match[0][0] != '"']


def skip_spaces(text: str, place: int) -> int:
    """Return the place of the next character that is not JSON whitespace."""
    if text[place : place + 1] > " ":
        return place
    match = _SPACE.match(text, place)
    return match.end() if match else place


def try_compose(text: str) -> Any:
    """Compose YAML nodes with marks; None if malformed or empty."""
    try:
        return frontmatter.compose_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def yaml_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line, from 1, of each key by its path through mappings."""
    found: dict[tuple[str, ...], int] = {}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), try_compose(text))]
    while waiting:
        keys, node = waiting.pop()
        if isinstance(node, yaml.MappingNode) and len(keys) < DEEPEST:
            for name, value in node.value:
                if isinstance(name, yaml.ScalarNode):
                    found[(*keys, name.value)] = name.start_mark.line + 1
                    waiting.append(((*keys, name.value), value))
    return found


def yaml_twice(text: str) -> list[tuple[str, int, int]]:
    """Return duplicate keys of mappings, with line and column of the second occurrence."""
    found: list[tuple[str, int, int]] = []
    _collect_duplicates(try_compose(text), found, set())
    return found


def _collect_duplicates(node: object, found: list[tuple[str, int, int]], done: set[int]) -> None:
    if id(node) in done:  # an alias
        return
    done.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _collect_duplicates(item, found, done)
    if isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode):
                if (name.tag, name.value) in seen and name.value != "<<":
                    found.append((name.value, name.start_mark.line + 1, name.start_mark.column + 1))
                seen.add((name.tag, name.value))
            _collect_duplicates(value, found, done)
