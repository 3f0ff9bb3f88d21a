"""Memories of the older shape in today's; all other lines stay."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from gm.api.migrate.rewritten import Rewritten
from gm.base.casefold import casefold
from gm.files.commits.lines import line_at, replace_lines
from gm.files.forms.jsonl import scan_lines
from gm.files.forms.text import BOM
from gm.model.calendar import render_day
from gm.model.node import NODE_KEYS, Node, is_older_record, node_from_record, render_node


def rewrite_memories(path: str, text: str) -> Rewritten:
    """Rewrite the lines of a stream that have the older shape; one that is no valid memory stays."""
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
        ValueError: The line is no valid node, or has a duplicate key.
    """
    pairs: list[tuple[str, Any]] = json.loads(line, object_pairs_hook=list)
    record: dict[str, Any] = json.loads(line)
    if len(pairs) != len(record):
        raise ValueError("a key stands in it twice")
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
        metadata[_free(key, metadata)] = value
    return metadata


def _free(key: str, taken: Mapping[str, Any]) -> str:
    while key in taken:
        key = f"older_{key}"
    return key
