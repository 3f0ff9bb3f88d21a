"""The data in an answer: JSON or YAML, fenced, or with prose around it.

Every deviation from plain JSON is named in ``Extracted.repairs``: a hidden repair hides a failing prompt.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml

_FENCE = re.compile(r"(?:```|~~~)[ \t]*([A-Za-z0-9_+-]*)\Z")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
AS_YAML = "read as YAML"
FENCED, AROUND = "taken out of a fenced block", "prose around it left out"
INSIDE = frozenset((FENCED, AROUND))
"""Repairs of an answer that is more than its object."""
MOST_CHARACTERS = 1_000_000
MOST_SOURCES = 8
MOST_DIGITS = 40
DEEPEST = 50
MOST_OF_YAML, MOST_YAML = 200_000, 400_000
"""Characters read as YAML at once, and in all attempts: it takes a hundred times as long as JSON."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The object found in a reply, and the repairs it needed."""

    data: dict[str, object]
    repairs: tuple[str, ...] = ()


def extract_object(text: str, wanted: Collection[str] = ()) -> Extracted | None:
    """Find a reply's object; None without one, or when it is too long or nested too deeply.

    Tried in this order: the whole text as JSON, each fenced block, each balanced ``{…}``; each again without trailing
    commas; each as YAML. The first object with a ``wanted`` key is taken, else the first one, or the object
    that is its only value.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    first: Extracted | None = None
    for found in _objects(text.strip().removeprefix("\ufeff")):
        if not wanted or not found.data.keys().isdisjoint(wanted):
            return found
        first = first or found
    inner = next(iter(first.data.values())) if first and len(first.data) == 1 else None
    if first and isinstance(inner, dict) and not inner.keys().isdisjoint(wanted):
        return Extracted(inner, (*first.repairs, "taken out of an object around it"))
    return first


def _objects(text: str) -> Iterator[Extracted]:
    sources = list(_sources(text))
    for source, repair in sources:
        data = _load_object(source)
        if data is not None:
            yield Extracted(data, repair)
    for source, repair in sources:
        data = _load_object(_without_trailing_commas(source))
        if data is not None:
            yield Extracted(data, (*repair, "trailing commas removed"))
    left = MOST_YAML
    for source, repair in sources:
        if ":" not in source or len(source) > min(left, MOST_OF_YAML):
            continue
        left -= len(source)
        data = _load_yaml(source)
        if data is not None:
            yield Extracted(data, (*repair, AS_YAML))


def _sources(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield text, ()
    for block in islice(_fenced_blocks(text), MOST_SOURCES):
        yield block, (FENCED,)
    for balanced in islice(_find_balanced(text), MOST_SOURCES):
        if balanced != text:
            yield balanced, (AROUND,)


def _fenced_blocks(text: str) -> Iterator[str]:
    # In linear time, as a looping model writes thousands of fences.
    inside: list[str] | None = None
    for line in text.split("\n"):
        fence = _FENCE.match(line.strip())
        if inside is None:
            inside = [] if fence else None
        elif fence and not fence[1]:
            yield "\n".join(inside)
            inside = None
        else:
            inside.append(line)


def _find_balanced(text: str) -> Iterator[str]:
    start = depth = 0
    in_string = escaped = False
    for place, sign in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                in_string = False
        elif sign == '"' and depth:
            in_string = True
        elif sign == "{":
            start = start if depth else place
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : place + 1]


def load_json(text: str) -> object:
    """Read a server's or model's JSON; a very long integer becomes a float, possibly infinite.

    Raises:
        ValueError: It is malformed, or nested too deeply.
    """
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _is_deep(value):
        raise ValueError("nested too deeply")
    return value


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        if not level:
            return False
        insides = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        level = [part for inside in insides for part in inside]
    return bool(level)


def _read_integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


# strict=False: models put raw line breaks into strings
_DECODER = json.JSONDecoder(strict=False, parse_int=_read_integer)


def _load_object(text: str) -> dict[str, object] | None:
    try:
        value = load_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _without_trailing_commas(text: str) -> str:
    # an unterminated string extends to the end of the text: searching on behind each of its quotes is quadratic
    parts = re.split(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))', text, flags=re.S)
    return "".join(part if n % 2 else _TRAILING_COMMA.sub(r"\1", part) for n, part in enumerate(parts))


def _load_yaml(text: str) -> dict[str, object] | None:
    import yaml

    try:
        value = yaml.load(text, _yaml_loader())
    # PyYAML lets Python's errors through: `!!int ""`, `!!bool maybe`, `!!timestamp soon`, 1:1:…:1.0
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None
    if isinstance(value, dict) and all(isinstance(key, str) for key in value) and not _is_deep(value):
        return value
    return None


@cache
def _yaml_loader() -> type[yaml.SafeLoader]:
    # No aliases, which can expand a small text to any size.
    import yaml

    class PlainLoader(yaml.SafeLoader):
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.composer.ComposerError(None, None, "an alias")
            return super().compose_node(parent, index)

        def whole(self, node: yaml.ScalarNode) -> int | float:
            # 1:1:1:… is a number too, and one of thousands of digits cannot be printed
            return math.inf if len(node.value) > MOST_DIGITS else int(self.construct_yaml_int(node))

    plain = ("null", "bool", "float", "str", "seq", "map", "timestamp")
    kept = {f"tag:yaml.org,2002:{name}" for name in plain} | {None}
    PlainLoader.yaml_constructors = {
        tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag in kept
    }
    PlainLoader.add_constructor("tag:yaml.org,2002:int", PlainLoader.whole)
    return PlainLoader
