"""Detect changed files of a world, while it is played or shown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import time_ns

from gm.files.commits.lock import held
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.model.world import LOG_DAYS

Signature = tuple[int, int]
"""Mtime in ns, size in bytes."""
DAYS = "traces"
"""Folder with many files for each day; only the last day is watched."""


class Watch:
    """The times and sizes of the files that a day depends on, as gm last read or wrote them."""

    def __init__(self, layout: Layout) -> None:
        # strings instead of paths: called several times a scene
        self._files = [str(path) for path in (layout.settings, layout.world, layout.bulletin, layout.threads)]
        self._files.append(str(layout.links))
        folders = (
            layout.agents,
            layout.personas,
            layout.memories,
            layout.archive,
            layout.summaries,
            layout.logbook,
            layout.library,
            *map(layout.layer_folder, LAYERS),
        )
        self._folders = [str(folder) for folder in folders]
        self._logbook = str(layout.logbook)
        self._prompts = str(layout.prompts)
        self._seen: dict[str, Signature] = {}

    def remember(self, written: Iterable[Path] | None = None) -> None:
        """Store the looks of the written files, or of all files before they are read."""
        now = self._look_at_world()
        if written is None:
            self._seen = now
        else:
            for path in map(str, written):
                if path in now:
                    self._seen[path] = now[path]
            self._forget_old_logbooks()

    def edited(self) -> bool:
        """Return whether a file that a day depends on has changed."""
        return self._look_at_world() != self._seen

    def _forget_old_logbooks(self) -> None:
        logbooks = sorted((path for path in self._seen if path.startswith(f"{self._logbook}/")), key=_by_day)
        for path in logbooks[:-LOG_DAYS]:
            del self._seen[path]

    def _look_at_world(self) -> dict[str, Signature]:
        found: dict[str, Signature] = {}
        for name in self._files:
            _note_signature(name, found)
        # templates lie in the folder, in one for scenes, and both again in one for each language
        prompts = [folder for folder, _, _ in os.walk(self._prompts)]
        for folder in (*self._folders, *prompts):
            try:
                names = [name for name in os.listdir(folder) if not name.startswith(".")]
            except OSError:
                continue
            # logbooks grow in number, and only the last ones are read
            for name in sorted(names, key=_by_day)[-LOG_DAYS:] if folder == self._logbook else names:
                _note_signature(f"{folder}/{name}", found)
        return found


def _by_day(name: str) -> tuple[int, str]:
    """Sort key of logbooks: day 1000 has a longer number than day 999."""
    return len(name), name


def _note_signature(path: str, found: dict[str, Signature]) -> None:
    try:
        status = os.stat(path)
    except OSError:
        return
    found[path] = (status.st_mtime_ns, status.st_size)


class ChangedFiles:
    """Changes of all files that a user may read or edit.

    Attributes:
        as_of: Start of the last look, in ns (wall clock).
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.as_of = time_ns()
        self._seen = _look_at_all(layout)

    def changes(self) -> list[str]:
        """Look again and return the changed paths, added and removed ones included; waits for a commit in progress."""
        now = _look_at_all(self._layout)
        if now == self._seen:
            return []
        with held(self._layout.journal, exclusive=False):
            pass
        self.as_of = time_ns()
        now, old = _look_at_all(self._layout), self._seen
        self._seen = now
        return sorted(
            path for path in now.keys() | old.keys() if now.get(path) != old.get(path) and not path.endswith("/")
        )

    def changed_since(self, time_ns: int) -> list[str]:
        """Return the paths changed since a time, as of the last look; for a removed file, its folder.

        Args:
            time_ns: Wall clock.
        """
        newer = [path for path, (changed_ns, _) in self._seen.items() if changed_ns >= time_ns]
        explained = {path.rpartition("/")[0] + "/" for path in newer if not path.endswith("/")}
        return sorted(path for path in newer if path not in explained)


def _look_at_all(layout: Layout) -> dict[str, Signature]:
    """Folders are included, with a trailing slash."""
    found: dict[str, Signature] = {}
    for folder in (*layout.top_folders, layout.asks):
        found |= _walk_folder(str(folder))
    for file in (layout.settings, layout.writing_note):
        _note_signature(str(file), found)
    start = len(str(layout.root)) + 1
    return {path[start:]: signature for path, signature in found.items()}


def _walk_folder(folder: str) -> Iterator[tuple[str, Signature]]:
    waiting = [folder]
    while waiting:
        folder = waiting.pop()
        try:
            status = os.stat(folder)
            with os.scandir(folder) as entries:
                inside = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError:
            continue
        yield folder + "/", (status.st_mtime_ns, 0)
        if folder.rpartition("/")[2] == DAYS:
            inside = sorted(inside, key=lambda entry: (len(entry.name), entry.name))[-1:]
        for entry in inside:
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    status = entry.stat()
                    yield entry.path, (status.st_mtime_ns, status.st_size)
            except OSError:
                continue  # gone meanwhile, such as a temporary file of an editor
