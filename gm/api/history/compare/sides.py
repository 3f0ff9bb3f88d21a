"""One side of a comparison, read from the files of a state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from gm.api.history.diff.documents import read_json, read_yaml
from gm.api.history.diff.nodes import read_memories
from gm.api.history.diff.states import State, files_state, find_state
from gm.api.history.git import GitError
from gm.base.errors import NoWorldError
from gm.files import inside
from gm.files.forms.jsonl import scan_lines
from gm.files.forms.text import BOM
from gm.files.layout import Layout, is_world
from gm.files.logbook import ref_of
from gm.model.calendar import SceneRef
from gm.model.node import Node
from gm.model.scene import LogEntry

SUMMARY = "SUMMARY"
Record = Mapping[str, Any]


@dataclass(slots=True)
class Side:
    """One state of a world.

    Attributes:
        layout: None unless the state is a folder.
        scenes: Logbook lines, without summaries of days.
        nodes: Memories by agent, archived ones included, in file order.
        ended: Closed days, ascending.
        unreadable: ``{"path", "line", "message"}`` per place.
    """

    state: State
    layout: Layout | None
    scenes: dict[SceneRef, Record] = field(default_factory=dict)
    nodes: dict[str, list[Node]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)
    unreadable: list[dict[str, Any]] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)

    def records(self, path: str) -> list[dict[str, Any]]:
        """Read a JSON Lines file; an absent one is empty, unreadable lines are reported."""
        try:
            text = self.contents.get(path, b"").decode("utf-8").removeprefix(BOM)
        except UnicodeDecodeError as error:
            self._report(path, f"not UTF-8: {error.reason}")
            return []
        scan = scan_lines(text, path)
        for problem in scan.problems:
            self._report(path, problem.message, problem.line)
        return [line.record for line in scan.lines]

    def document(self, path: str) -> dict[str, Any]:
        """Read a JSON or YAML document; {} if absent, or unreadable, which is reported."""
        read: Callable[[bytes], Any] = read_json if path.endswith(".json") else read_yaml
        try:
            data = read(self.contents[path]) if path in self.contents else {}
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            self._report(path, str(error).split("\n")[0])
            return {}
        return data if isinstance(data, dict) else {}

    def _report(self, path: str, message: str, line: int = 0) -> None:
        item = {"path": path, "line": line, "message": message}
        if item not in self.unreadable:
            self.unreadable.append(item)


def find_side(name: str, world: Callable[[], Layout]) -> Side:
    """Return the state named by a folder, else by a commit, a branch or a day of the world.

    Args:
        world: Called only if no folder is named.

    Raises:
        UsageError: There is no such folder, commit or day.
        GitError: A commit is named, but there is no repository.
    """
    folder = Path(name)
    layout: Layout | None = None
    if folder.is_dir() and is_world(folder):
        layout = Layout(folder.resolve())
        state = replace(files_state(layout), name=name)
    else:
        try:
            where = world()
        except NoWorldError as error:
            raise NoWorldError(f"{name} is no world, and {error.message}", error.hint) from error
        try:
            state = find_state(where, name)
        except GitError as error:
            message = f"{name} is no folder of a world, and for a commit {error.message}"
            raise GitError(message, error.hint, error.status) from error
        if state.kind == "files":
            layout = where
    side = Side(state, layout, contents=state.read(state.prints))
    _read_streams(side)
    _read_logbooks(side)
    return side


def _read_streams(side: Side) -> None:
    found: dict[str, list[Node]] = defaultdict(list)
    owners = sorted({name for path in side.contents if (name := inside.memories_of(path))})
    for name in owners:
        for path in (inside.archive(name), inside.stream(name)):
            if path in side.contents:
                memories = read_memories(side.contents[path], path)
                known = {node.id for node in found[name]}
                found[name] += [node for node in memories.nodes.values() if node.id not in known]
                side.unreadable += [
                    {"path": path, "line": line, "message": message} for line, message in memories.broken
                ]
    side.nodes = dict(sorted(found.items()))


def _read_logbooks(side: Side) -> None:
    for path in sorted(side.contents):
        day = inside.day_of_logbook(path)
        if day is None:
            continue
        for at, record in enumerate(side.records(path), 1):
            if record.get("type") == SUMMARY:
                side.ended.append(day)
            else:
                side.scenes.setdefault(ref_of(LogEntry(day, record)) or SceneRef(day, at), record)
