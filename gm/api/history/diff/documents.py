"""Changes in files other than memory streams."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from gm.api.history.diff.nodes import values_between
from gm.base.frontmatter import load_safely
from gm.files.forms.jsonl import scan_lines
from gm.files.forms.text import BOM
from gm.model.calendar import parse_ref
from gm.model.record import RecordError
from gm.model.thread import THREAD_EVENT, Thread, fold_events

SHOWN_SUMMARY = "summary"


@dataclass(slots=True)
class Sides:
    """Contents of both states by path, and unreadable places as ``{"state", "path", "line", "message"}``."""

    old: Mapping[str, bytes]
    new: Mapping[str, bytes]
    unreadable: list[dict[str, Any]] = field(default_factory=list)

    def report(self, state: str, path: str, message: str, line: int = 0) -> None:
        """Record an unreadable place, once."""
        item = {"state": state, "path": path, "line": line, "message": message}
        if item not in self.unreadable:
            self.unreadable.append(item)

    def each(self, path: str, read: Callable[[bytes], Any]) -> tuple[Any, Any]:
        """Read a file in both states; None if absent or unreadable."""
        found = []
        for state, contents in (("from", self.old), ("to", self.new)):
            data = contents.get(path)
            try:
                found.append(None if data is None else read(data))
            except (ValueError, RecursionError, yaml.YAMLError) as error:
                self.report(state, path, str(error).split("\n")[0])
                found.append(None)
        return found[0], found[1]

    def records(self, path: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Read a JSON Lines file in both states; unreadable lines are reported."""
        found = []
        for state, contents in (("from", self.old), ("to", self.new)):
            try:
                text = contents.get(path, b"").decode("utf-8").removeprefix(BOM)
            except UnicodeDecodeError as error:
                self.report(state, path, f"not UTF-8: {error.reason}")
                text = ""
            scan = scan_lines(text, path)
            for problem in scan.problems:
                self.report(state, path, problem.message, problem.line)
            found.append([line.record for line in scan.lines])
        return found[0], found[1]

    def values(self, path: str, read: Callable[[bytes], Any] | None = None) -> dict[str, list[Any]]:
        """Return the differing values of a document; {} if it is unreadable."""
        old, new = self.each(path, read or read_json)
        if (old is None and path in self.old) or (new is None and path in self.new):
            return {}  # unreadable, and reported
        return values_between(_mapping(old), _mapping(new))


def read_json(data: bytes) -> Any:
    """Read a JSON document."""
    return json.loads(data.decode("utf-8-sig"))


def read_yaml(data: bytes) -> Any:
    """Read a YAML document."""
    return load_safely(data.decode("utf-8-sig"))


def compare_threads(sides: Sides, path: str) -> dict[str, list[dict[str, Any]]]:
    """Return the opened and the closed threads."""
    old, new = (_threads(records) for records in sides.records(path))
    return {
        "opened": [_thread(thread) for key, thread in new.items() if key not in old],
        "closed": [
            _thread(thread)
            for key, thread in new.items()
            if not thread.is_open and (key not in old or old[key].is_open)
        ],
    }


def compare_board(sides: Sides, path: str) -> dict[str, Any]:
    """Return added and removed posts, and new team decisions."""
    old, new = (_mapping(value) for value in sides.each(path, read_json))
    if (not old and path in sides.old) or (not new and path in sides.new):
        return {"added": [], "removed": [], "decided": []}
    before, after = _items(old, "posts"), _items(new, "posts")
    return {
        "added": [post for post in after if post not in before],
        "removed": [post for post in before if post not in after],
        "decided": [item for item in _items(new, "team_decisions") if item not in _items(old, "team_decisions")],
    }


def compare_log(sides: Sides, path: str) -> tuple[list[dict[str, Any]], int]:
    """Return the added scenes of a logbook, and the number of lines changed or removed."""
    ref = parse_ref(path.rpartition("/")[2].removesuffix(".jsonl"))
    old, new = sides.records(path)
    added = [record for record in new if record not in old]
    scenes = [brief_scene(record, ref.day if ref else 0) for record in added]
    return scenes, sum(record not in new for record in old)


def brief_scene(record: Mapping[str, Any], day: int) -> dict[str, Any]:
    """Return a logbook line in brief."""
    names = record.get("participants")
    return {
        "day": day,
        "scene": record.get("scene"),
        "type": str(record.get("type", "")),
        "participants": [str(name) for name in names] if isinstance(names, list) else [],
        "location": str(record.get("location", "")),
        SHOWN_SUMMARY: str(record.get("summary", "")),
        "why": str(record.get("why", "")),
    }


def _threads(records: list[dict[str, Any]]) -> dict[str, Thread]:
    events = []
    for record in records:
        try:
            events.append(THREAD_EVENT.read(record))
        except RecordError:
            continue  # gm check reports it
    return {thread.id: thread for thread in fold_events((), events)}


def _thread(thread: Thread) -> dict[str, Any]:
    return {
        "id": thread.id,
        "kind": thread.kind,
        "by": thread.by,
        "to": list(thread.to),
        "text": thread.text,
        "outcome": thread.outcome,
        "reason": thread.reason,
    }


def _items(document: Mapping[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    return value if isinstance(value, list) else []


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {} if value is None else {"": value}
