"""Small files of a world before and after a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gm.api.history.diff.describe import describe_difference
from gm.api.history.diff.states import closing_commit, find_state
from gm.api.history.git import Repository, find_repository
from gm.base.errors import GmError
from gm.files import inside
from gm.files.commits.changes import FileChange, content_at, read_day_entries
from gm.files.forms.text import read_data
from gm.files.layout import Layout
from gm.files.now import load_clock
from gm.layers import LAYERS

FOLDERS = (inside.AGENTS, *map(inside.layer_folder, LAYERS))
NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Sides:
    """The state before and after a day.

    Attributes:
        source: ``commits`` (complete, with manual edits), ``record`` (gm's own writes) or ``dated`` (dated items only).
        files: Content of the files that differ, by path; None = no such file.
        document: As in ``gm diff``; empty without commits.
    """

    source: Literal["commits", "record", "dated"]
    files: Mapping[str, tuple[bytes | None, bytes | None]]
    document: Mapping[str, Any]


def sides_of(layout: Layout, day: int) -> Sides:
    """Return what a day changed in the small files of a world."""
    return _by_commits(layout, day) or _by_record(layout, day)


def _by_commits(layout: Layout, day: int) -> Sides | None:
    try:
        repository = find_repository(layout.root)
        before, is_closed = closing_commit(repository, layout, day - 1)
        after = _after(repository, layout, day) if before and is_closed else None
        if after is None:
            return None
        document = describe_difference(layout, before, after or None)
        old, new = find_state(layout, before), find_state(layout, after or "now")
    except GmError:
        return None
    paths = [path for path in {**old.prints, **new.prints} if path.startswith(FOLDERS)]
    differ = [path for path in paths if old.prints.get(path) != new.prints.get(path)]
    first, second = old.read(differ), new.read(differ)
    return Sides("commits", {path: (first.get(path), second.get(path)) for path in differ}, document)


def _after(repository: Repository, layout: Layout, day: int) -> str | None:
    """Empty = the current files are that state, None = unknown."""
    commit, is_closed = closing_commit(repository, layout, day)
    if commit and is_closed:
        return commit
    return "" if load_clock(layout)[0].day == day else None


def _by_record(layout: Layout, day: int) -> Sides:
    changes: dict[str, list[FileChange]] = {}
    for entry in read_day_entries(layout, day):
        for change in entry.files:
            if change.path.startswith(FOLDERS) and not change.path.endswith(".history.jsonl"):
                changes.setdefault(change.path, []).append(change)
    files = {path: sides for path, items in changes.items() if (sides := _ends(layout, path, items)) is not None}
    return Sides("record" if changes else "dated", files, NOTHING)


def _ends(layout: Layout, path: str, changes: Sequence[FileChange]) -> tuple[bytes | None, bytes | None] | None:
    now = _now(layout, path)
    known, after = content_at(changes, changes[-1].after, [now])
    found, before = content_at(changes, changes[0].before, [after, now])
    if found and not known:
        known, after = content_at(changes, changes[-1].after, [before])
    return (before, after) if known and found and before != after else None


def _now(layout: Layout, path: str) -> bytes | None:
    try:
        return read_data(layout.root / path)
    except OSError:
        return None
