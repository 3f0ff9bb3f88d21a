"""One side of a comparison, read from the files of a state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gm.api.history.git import GitError
from gm.api.history.pastfiles import PastFiles
from gm.api.history.states import State, files_state, find_state
from gm.base.errors import NoWorldError
from gm.files import inside
from gm.files.layout import Layout, is_world
from gm.files.logbook import ref_of
from gm.model.calendar import SceneRef
from gm.model.node import Node
from gm.model.scene import SUMMARY, LogEntry

Record = Mapping[str, Any]


@dataclass(slots=True)
class Side:
    """One state of a world.

    Attributes:
        layout: None unless the state is a folder.
        scenes: Logbook lines, without summaries of days.
        nodes: Memories by agent, archived ones included, in file order.
        ended: Closed days, ascending.
    """

    state: State
    layout: Layout | None
    files: PastFiles
    scenes: dict[SceneRef, Record] = field(default_factory=dict)
    nodes: dict[str, list[Node]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)


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
    side = Side(state, layout, PastFiles(state.read(state.prints)))
    _read_streams(side)
    _read_logbooks(side)
    return side


def _read_streams(side: Side) -> None:
    found: dict[str, list[Node]] = defaultdict(list)
    owners = sorted({name for path in side.files.contents if (name := inside.memories_of(path))})
    for name in owners:
        for path in (inside.archive(name), inside.stream(name)):
            if path in side.files.contents:
                known = {node.id for node in found[name]}
                found[name] += [node for node in side.files.nodes(path).values() if node.id not in known]
    side.nodes = dict(sorted(found.items()))


def _read_logbooks(side: Side) -> None:
    for path in sorted(side.files.contents):
        day = inside.day_of_logbook(path)
        if day is None:
            continue
        for at, record in enumerate(side.files.records(path), 1):
            if record.get("type") == SUMMARY:
                side.ended.append(day)
            else:
                side.scenes.setdefault(ref_of(LogEntry(day, record)) or SceneRef(day, at), record)
