"""What the steps of a migration make of the texts of files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import PurePosixPath
from typing import Any

import yaml

from gm.base.casefold import casefold
from gm.base.config import FORMAT, Settings
from gm.base.config.declare import SettingsSection, setting_key
from gm.base.frontmatter import load_safely
from gm.files.commits.lines import line_at, replace_lines
from gm.files.formats.jsonl import scan_lines
from gm.files.formats.splice import is_same
from gm.files.formats.text import BOM
from gm.files.formats.yamledit import set_yaml
from gm.model.calendar import render_day
from gm.model.node import NODE_KEYS, Node, is_older_record, node_from_record, render_node

_KEY = "format"
_FIRST = re.compile(r"^(?![ \t]*(?:#|\r?$)|---|%)", re.MULTILINE)
"""Beginning of the first line that is neither a comment nor a mark of the document."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A new text.

    Attributes:
        lines: How many lines of the old text it replaces or leaves out.
        left: Places that stay as they are, each with the reason.
    """

    text: str
    lines: int = 0
    left: tuple[str, ...] = ()


def rewrite_memories(path: str, text: str) -> Rewritten:
    """Rewrite the lines of a stream that have the older shape; one that is not a valid memory stays."""
    agent = PurePosixPath(path).stem
    changed: dict[int, str] = {}
    left: list[str] = []
    for line in scan_lines(text.removeprefix(BOM), path).lines:
        if is_older_record(line.record):
            try:
                changed[line.number] = migrate_line(line_at(text, line.number), agent)
            except ValueError as error:
                left.append(f"{path}:{line.number}: stays as it is: {error}")
    return Rewritten(replace_lines(text, changed) if changed else text, len(changed), tuple(left))


def migrate_line(line: str, agent: str) -> str:
    """Convert a line of the older shape to today's.

    ``content`` becomes ``description``, ``day`` 4 becomes ``day-004``, ``agent`` is dropped (it is in the id); all
    other keys move into ``metadata``.

    Raises:
        ValueError: The line is not a valid node, or has a duplicate key.
    """
    pairs: list[tuple[str, Any]] = json.loads(line, object_pairs_hook=list)
    record: dict[str, Any] = json.loads(line)
    if len(pairs) != len(record):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise ValueError(f"the key {twice!r} stands in it twice, expected once; delete the wrong one")
    node = node_from_record(record)
    return render_node(replace(node, metadata=_metadata(record, node, agent)))


def _metadata(record: Mapping[str, Any], node: Node, agent: str) -> dict[str, Any]:
    metadata = dict(node.metadata)
    for key, value in record.items():
        if key in NODE_KEYS or key == "content":
            continue
        if key == "agent" and isinstance(value, str) and casefold(value) == casefold(agent):
            continue
        if key == "day" and isinstance(value, int) and node.created == render_day(value):
            continue
        metadata[_make_free_key(key, metadata)] = value
    return metadata


def _make_free_key(key: str, taken: Mapping[str, Any]) -> str:
    while key in taken:
        key = f"older_{key}"
    return key


def remove_gone(path: str, text: str) -> Rewritten:
    """Remove the settings of earlier versions that can no longer be set (``SettingsSection.GONE``)."""
    count, left = 0, []
    for above, name in [*_find_gone_settings(Settings, _settings_in(text))]:
        held: Any = _settings_in(text)
        for key in above:
            held = held[key]
        try:
            text = set_yaml(text, above, {key: value for key, value in held.items() if key != name})
            count += 1
        except ValueError as error:
            left.append(f"{path}: {'.'.join((*above, name))} stays as it is: {error}")
    return Rewritten(text, count, tuple(left))


def write_format(path: str, text: str) -> Rewritten:
    """Write the present format into ``gm.yaml``, above all other settings; a number that is there is replaced."""
    data = _settings_in(text)
    if _KEY not in data:
        mark = BOM if text.startswith(BOM) else ""
        body = text.removeprefix(BOM)
        first = _FIRST.search(body)
        at = first.start() if first else len(body)
        line = f"{_KEY}: {FORMAT}" + ("\r\n" if "\r\n" in body else "\n")
        longer = f"{mark}{body[:at]}{line}{body[at:]}"
        if is_same(_settings_in(longer), {_KEY: FORMAT, **data}):
            return Rewritten(longer, 1)
    try:
        return Rewritten(set_yaml(text, (_KEY,), FORMAT), 1)
    except ValueError as error:
        return Rewritten(text, 0, (f"{path}: {_KEY} is not written: {error}",))


def _settings_in(text: str) -> Mapping[Any, Any]:
    try:
        data = load_safely(text.removeprefix(BOM))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _find_gone_settings(
    kind: type[SettingsSection], data: Mapping[Any, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    inner = {setting_key(item.name): item.metadata.get("section") for item in fields(kind)}
    for key, value in data.items():
        if key in kind.GONE:
            yield above, key
        elif isinstance(value, dict) and (section := inner.get(key)) is not None:
            yield from _find_gone_settings(section, value, (*above, key))
