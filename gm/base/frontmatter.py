"""Text files with YAML front matter, and safe loading of YAML."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import yaml

FENCE = "---"
DEEPEST = 100
"""Maximum nesting of lists and mappings."""
MOST_ALIASED = 10_000
"""Maximum number of values inserted by aliases: a few lines of aliases could expand to billions."""
CACHED = 100_000
"""Characters up to which the data of a text is kept."""
_BEGINNING = " \t?:-\ufeff"
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNPLACED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_INT, _MERGE = "tag:yaml.org,2002:int", "tag:yaml.org,2002:merge"
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")


class _Loader(_BASE):  # type: ignore[misc]  # its base is chosen when the module is loaded
    """Limits integers to 1000 bits, so that they can be written again.

    It overrides nothing that PyYAML calls for each value, which would slow every command.
    """

    # YAML 1.1 reads ``9:30`` as a base-60 number; it stays text
    yaml_implicit_resolvers: ClassVar = {
        first: [(_BASE.DEFAULT_SCALAR_TAG, _BASE_60), *found] if first in "+-0123456789" else found
        for first, found in _BASE.yaml_implicit_resolvers.items()
    }

    def whole(self, node: Any) -> int:
        value = int(self.construct_yaml_int(node))
        if value.bit_length() > 1000:
            raise yaml.constructor.ConstructorError(None, None, "a number of too many digits", node.start_mark)
        return value


_Loader.add_constructor(_INT, _Loader.whole)


class _UnusualError(Exception):
    """A value needs PyYAML's own constructors."""


class _QuickLoader(_Loader):
    """Makes data of a text without aliases, in fewer steps; where it fails, the other loader says why."""

    def construct_document(self, node: Any) -> Any:
        if type(node) is yaml.ScalarNode:
            return node.value if node.tag == self.DEFAULT_SCALAR_TAG else self.construct_object(node, deep=True)
        if type(node) is yaml.SequenceNode and node.tag == self.DEFAULT_SEQUENCE_TAG:
            return [self.construct_document(item) for item in node.value]
        if type(node) is not yaml.MappingNode or node.tag != self.DEFAULT_MAPPING_TAG:
            raise _UnusualError
        found = {}
        for key, value in node.value:
            if type(key) is not yaml.ScalarNode or key.tag == _MERGE:
                raise _UnusualError
            found[self.construct_document(key)] = self.construct_document(value)
        return found


class _PlacingLoader(_Loader):
    """Adds the place that PyYAML omits from some errors."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except _UNPLACED as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"no {kind} that can be read", node.start_mark
            ) from error


def load_safely(text: str) -> Any:
    """Read YAML as plain data, new at each call.

    Raises:
        yaml.YAMLError: The text is malformed, nested too deeply, or expands too much by aliases.
    """
    return pickle.loads(_pickle(text)) if len(text) <= CACHED else _load(text)


@lru_cache(maxsize=512)
def _pickle(text: str) -> bytes:
    # The same text is read again and again, and parsing it costs forty times as much as this copy, or more.
    return pickle.dumps(_load(text), pickle.HIGHEST_PROTOCOL)


def _load(text: str) -> Any:
    _refuse_excess(text)
    try:
        return yaml.load(text, _PlacingLoader if _may_alias(text) else _QuickLoader)
    except (_UnusualError, yaml.YAMLError, *_UNPLACED):
        return yaml.load(text, _PlacingLoader)


def compose_yaml(text: str) -> Any:
    """Parse YAML into nodes with positions.

    Raises:
        yaml.YAMLError: As ``load_safely``.
    """
    _refuse_excess(text)
    return yaml.compose(text, Loader=_Loader)


_compose_once = lru_cache(maxsize=4)(compose_yaml)
"""Nodes to read only: a file with many faults is asked for many places."""


def yaml_place(text: str, keys: Sequence[str | int], *, key: bool = False) -> tuple[int, int]:
    """Return line and column, from 1, of a value (or its key) in a YAML text.

    For an absent value: those of the innermost enclosing value, else (1, 1).
    """
    try:
        node = _compose_once(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return 1, 1
    mark = node.start_mark if node is not None else None
    for step in keys:
        found = _step(node, step)
        if found is None:
            break
        name, node = found
        mark = name.start_mark if key else node.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _step(node: object, step: str | int) -> tuple[Any, Any] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in reversed(node.value):
            if isinstance(name, yaml.ScalarNode) and name.value == str(step):
                return name, value
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _refuse_excess(text: str) -> None:
    """Refuse nesting that would overflow libyaml's stack, and aliases that expand too much."""
    # block containers are indented further than their parent, except lists below their key
    furthest = max((len(line) - len(line.lstrip(_BEGINNING)) for line in text.splitlines()), default=0)
    # a necessary condition for excess depth: most texts need not be parsed for it
    if 2 * (text.count("[") + text.count("{") + furthest + 1) > DEEPEST or _may_alias(text):
        extent = _Extent()
        for event in yaml.parse(text, Loader=_Loader):
            extent.add(event)


def _may_alias(text: str) -> bool:
    return "*" in text and "&" in text


class _Extent:
    """Depth and number of values, with aliases expanded."""

    def __init__(self) -> None:
        self._open: list[list[Any]] = []  # of each open container: its anchor, values by alias, all values, depth
        self._anchors: dict[str, tuple[int, int]] = {}  # all values and depth

    def add(self, event: object) -> None:
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append([event.anchor, 0, 1, 0])
            self._hold(len(self._open) <= DEEPEST, "nested too deeply", event)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, aliased, values, depth = self._open.pop()
            self._close(anchor, aliased, values, depth + 1, event)
        elif isinstance(event, yaml.AliasEvent):
            inside = any(anchor == event.anchor for anchor, *_ in self._open)
            self._hold(not inside, "an alias stands inside what it stands for", event)
            values, depth = self._anchors.get(str(event.anchor), (0, 0))
            self._hold(len(self._open) + depth <= DEEPEST, "nested too deeply", event)
            self._close(None, values, values, depth, event)
        elif isinstance(event, yaml.ScalarEvent):
            self._close(event.anchor, 0, 1, 0, event)

    def _close(self, anchor: str | None, aliased: int, values: int, depth: int, event: object) -> None:
        self._hold(aliased <= MOST_ALIASED, f"aliases stand for more than {MOST_ALIASED} values", event)
        if anchor:
            self._anchors[anchor] = values, depth
        if self._open:
            outer = self._open[-1]
            outer[1:] = outer[1] + aliased, outer[2] + values, max(outer[3], depth)

    @staticmethod
    def _hold(fine: bool, message: str, event: Any) -> None:
        if not fine:
            mark: Any = event.start_mark  # libyaml's marks are of another class than its type hints know
            raise yaml.composer.ComposerError(None, None, message, mark)


def split_front_matter(text: str) -> tuple[str | None, str, int]:
    """Return front matter (None without), body, and the body's first line number."""
    lines = text.split("\n")
    if lines[0].rstrip("\r ") != FENCE:
        return None, text, 1
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip("\r ") == FENCE:
            return "\n".join(lines[1:number]) + "\n", "\n".join(lines[number + 1 :]), number + 2
    return None, text, 1
