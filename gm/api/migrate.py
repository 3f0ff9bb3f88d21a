"""Rewrite nodes of the older shape in today's, on request; all other lines stay."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gm.base.casefold import casefold
from gm.base.errors import GmError
from gm.files.commits.lines import line_at, read_exactly, replace_lines, replace_step
from gm.files.commits.snapshot import snapshot
from gm.files.commits.writer import writing
from gm.files.forms.jsonl import read_lines
from gm.files.layout import Layout
from gm.model.calendar import render_day
from gm.model.node import NODE_KEYS, Node, is_older_record, node_from_record, render_node


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file before and after; ``lines`` is the number of changed lines."""

    path: str
    old: str
    new: str
    lines: int

    @property
    def difference(self) -> str:
        return render_difference(self.path, self.old, self.new)

    def record(self) -> dict[str, Any]:
        return {"path": self.path, "lines": self.lines, "difference": self.difference}


@dataclass(frozen=True, slots=True)
class Migration:
    """Files that would change, with the number of lines, and lines left alone with reasons."""

    written: bool
    lines: int
    files: tuple[Rewrite, ...]
    left: tuple[str, ...]


def plan_migration(layout: Layout) -> Migration:
    """Find the lines of the older shape and what they become."""
    with snapshot(layout):
        return _plan(layout)


def _plan(layout: Layout) -> Migration:
    files: list[Rewrite] = []
    left: list[str] = []
    for agent in layout.agent_names():
        path = layout.stream(agent)
        shown = layout.shown(path)
        lines, _ = read_lines(path, shown)
        older = [line for line in lines if is_older_record(line.record)]
        if not older:
            continue
        text = read_exactly(path)
        changed: dict[int, str] = {}
        for line in older:
            try:
                changed[line.number] = migrate_line(line_at(text, line.number), agent)
            except ValueError as error:
                left.append(f"{shown}:{line.number}: stays as it is: {error}")
        if changed:
            files.append(Rewrite(shown, text, replace_lines(text, changed), len(changed)))
    return Migration(False, sum(item.lines for item in files), tuple(files), tuple(left))


def carry_out(layout: Layout, migration: Migration) -> list[str]:
    """Write what was planned, and return notes.

    Raises:
        GmError: A file has changed since it was planned; it was left alone.
    """
    with writing(layout, "gm migrate") as writer:
        steps = [replace_step(layout, layout.root / item.path, item.old, item.new) for item in migration.files]
        overruled = writer.commit(steps)
    if overruled:
        edited = ", ".join(item.path for item in overruled)
        raise GmError(
            f"edited meanwhile, and left alone: {edited}", "run the command again: it shows what is left to do"
        )
    return writer.recovered


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


NO_NEWLINE = "\\ No newline at end of file"


def render_difference(path: str, old: str, new: str) -> str:
    """Return the unified diff of a file; empty when nothing changes."""
    if old == new:
        return ""
    lines: list[str] = []
    for line in difflib.unified_diff(_lines(old), _lines(new), f"a/{path}", f"b/{path}", lineterm="\n"):
        lines.append(line.removesuffix("\n"))
        if not line.endswith("\n"):
            lines.append(NO_NEWLINE)
    return "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
