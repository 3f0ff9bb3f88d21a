"""Notice which files of a world have changed: while it is played, and while pages of it are open."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from time import time_ns

from gm.files.commits.lock import held
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.model.world import LOG_DAYS

Signature = tuple[int, int]
"""Time of the last change in nanoseconds, and size in bytes."""
DAYS = "traces"
"""Folder of ``state/`` that has a folder of many files for each day; only the last one is looked at."""


class Watch:
    """Remembers how the files looked when they were last read or written by us."""

    def __init__(self, layout: Layout) -> None:
        # plain names: this is asked several times a scene
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
        """Remember files as they are now: those that were written, or all before they are read."""
        now = self._look()
        if written is None:
            self._seen = now
        else:
            for path in map(str, written):
                if path in now:
                    self._seen[path] = now[path]
            self._forget_old_logbooks()

    def edited(self) -> bool:
        """Return whether a file that a day depends on has changed."""
        return self._look() != self._seen

    def _forget_old_logbooks(self) -> None:
        """Forget the logbook that is no longer looked at since a day has begun a new one."""
        logbooks = sorted((path for path in self._seen if path.startswith(f"{self._logbook}/")), key=_by_day)
        for path in logbooks[:-LOG_DAYS]:
            del self._seen[path]

    def _look(self) -> dict[str, Signature]:
        found: dict[str, Signature] = {}
        for name in self._files:
            _note(name, found)
        # templates lie in the folder, in one for scenes, and both again in one for each language
        prompts = [folder for folder, _, _ in os.walk(self._prompts)]
        for folder in (*self._folders, *prompts):
            try:
                names = [name for name in os.listdir(folder) if not name.startswith(".")]
            except OSError:
                continue
            # logbooks become more with each day, and only the last ones are read
            for name in sorted(names, key=_by_day)[-LOG_DAYS:] if folder == self._logbook else names:
                _note(f"{folder}/{name}", found)
        return found


def _by_day(name: str) -> tuple[int, str]:
    """Return the key that sorts logbooks by day: the number of day 1000 is longer than that of day 999."""
    return len(name), name


def _note(path: str, found: dict[str, Signature]) -> None:
    """Note how a file looks; one that is gone, such as an editor's own, is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return
    found[path] = (status.st_mtime_ns, status.st_size)


class ChangedFiles:
    """Remembers how all files of a world looked that a person may read or edit.

    Attributes:
        as_of: When it last began to look, in nanoseconds by the clock on the wall.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.as_of = time_ns()
        self._seen = _look_at_all(layout)

    def changes(self) -> list[str]:
        """Look again and return the files that have come, gone or changed; a commit that is under way is waited for."""
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
        """Return what had changed after a time at the last look; for a file that is gone, its folder.

        Args:
            time_ns: Nanoseconds by the clock on the wall.
        """
        newer = [path for path, (changed_ns, _) in self._seen.items() if changed_ns >= time_ns]
        explained = {path.rpartition("/")[0] + "/" for path in newer if not path.endswith("/")}
        return sorted(path for path in newer if path not in explained)


def _look_at_all(layout: Layout) -> dict[str, Signature]:
    """Return time of the last change and size by path inside the world; folders, too, with a slash at the end."""
    found: dict[str, Signature] = {}
    start = len(str(layout.root)) + 1
    beside = (layout.gallery, layout.prompts, layout.library, layout.scripts, layout.root / layout.logbook.name)
    for folder in (layout.state, layout.asks, *beside):
        found |= {path[start:]: signature for path, signature in _walk(str(folder))}
    with suppress(OSError):
        status = os.stat(layout.settings)
        found[layout.shown(layout.settings)] = (status.st_mtime_ns, status.st_size)
    return found


def _walk(folder: str) -> Iterator[tuple[str, Signature]]:
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
                continue  # gone meanwhile, such as an editor's own file
