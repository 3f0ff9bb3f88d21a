"""JSON Lines as readable text, for ``git diff``."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gm.base.texts import one_line
from gm.base.untyped import items_of
from gm.files.formats.text import BOM
from gm.model.turns import MARKS, PlayedTurn, differing_lists, lists_of, marked, turns_of

WIDTH = 78


def render_readable(data: bytes) -> str:
    """Return a JSON Lines file as text, in the same order; unreadable lines are unchanged."""
    text = data.decode("utf-8", "replace").removeprefix(BOM)
    return "".join(f"{line}\n" for row in text.split("\n") if row.strip() for line in _convert_row(row))


def _convert_row(row: str) -> Iterator[str]:
    try:
        record = json.loads(row)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        yield row.rstrip("\r")
    elif "description" in record or "content" in record:
        yield from _describe_memory(record)
    elif "scene" in record or record.get("type") == "SUMMARY":
        yield from _describe_scene(record)
    else:
        yield from _describe_other(record)
    yield ""


def _describe_memory(record: Mapping[str, Any]) -> Iterator[str]:
    when = record.get("created", f"day {record.get('day', '?')}")
    depth = f", depth {record['depth']}" if record.get("depth") else ""
    yield f"{_one_line_of(when)} {_one_line_of(record.get('id', '?'))}: {_one_line_of(record.get('type', ''))}{depth}"
    yield from _wrap_text(record.get("description", record.get("content", "")))
    yield f"    importance {_one_line_of(record.get('importance'))}"
    for key in ("tags", "evidence"):
        if record.get(key):
            yield from _wrap_text(f"{key} {_one_line_of(record[key])}")
    known = ("id", "created", "type", "depth", "description", "content", "importance", "tags", "evidence", "day")
    rest = {key: value for key, value in record.items() if key not in known and value not in ({}, None)}
    for key, value in (rest.pop("metadata", None) or {}).items() if isinstance(rest.get("metadata"), dict) else ():
        yield from _wrap_text(f"{key}: {_one_line_of(value)}")
    for key, value in rest.items():
        yield from _wrap_text(f"{key}: {_one_line_of(value)}")


def _describe_scene(record: Mapping[str, Any]) -> Iterator[str]:
    names = record.get("participants")
    cast = ", ".join(map(str, items_of(names)))
    yield f"scene {_one_line_of(record.get('scene', '–'))}: {_one_line_of(record.get('type', ''))} {cast}".rstrip()
    for key in ("summary", "why"):
        if record.get(key):
            yield from _wrap_text(f"{key}: {_one_line_of(record[key])}")
    turns = turns_of(record)
    for mark, turn in marked(turns):
        yield from _wrap_text(f"{MARKS[mark]}:") if mark else ()
        yield from _describe_turn(turn)
    known = {"scene", "type", "participants", "summary", "why", *_find_told_keys(turns, record)}
    for key, value in record.items():
        if key not in known and value not in ([], {}, "", None):
            yield from _wrap_text(f"{key}: {_one_line_of(value)}")


def _find_told_keys(turns: Sequence[PlayedTurn], record: Mapping[str, Any]) -> set[str]:
    keys = lists_of(turns).keys() - {*differing_lists(record)}
    items = record.get("turns")
    if isinstance(items, list):
        items = [item for item in items if not isinstance(item, dict) or item.keys() - {"agent", "round"}]
    return {*keys, "turns"} if items == [turn.record() for turn in turns] else keys


def _describe_turn(turn: PlayedTurn) -> Iterator[str]:
    who = turn.agent or "?"
    if turn.action:
        yield from _wrap_text(f"{who}: ({turn.action})")
    for line in turn.lines:
        yield from _wrap_text(f"{who}{f' to {line.to}' if line.to else ''}: {line.text}")
    if turn.thought:
        yield from _wrap_text(f"{who} thinks: {turn.thought}")
    if turn.artifact:
        yield from _wrap_text(f"{who} finishes: {turn.artifact}")


def _describe_other(record: Mapping[str, Any]) -> Iterator[str]:
    at = next((_one_line_of(record[key]) for key in ("at", "created", "day") if key in record), "")
    yield " ".join(filter(None, (at, _one_line_of(record.get("id", "")), _one_line_of(record.get("event", "")))))
    for key, value in record.items():
        if key not in ("at", "id", "event"):
            yield from _wrap_text(f"{key}: {_one_line_of(value)}")


def _wrap_text(text: object) -> list[str]:
    return textwrap.wrap(
        _one_line_of(text), WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )


def _one_line_of(value: object) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
