"""Notice which files of a world have changed, for whoever looks at it while others write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from time import time_ns

from gm.store.commits.still import held
from gm.store.layout import Layout

Signature = tuple[int, int]
DAYS = "traces"
"""Folder of ``state/`` that has a folder of many files for each day; only the last one is looked at."""


class Sight:
    """Remembers how the files of a world looked.

    Attributes:
        as_of: When it last began to look, in nanoseconds by the clock on the wall.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.as_of = time_ns()
        self._seen = look_at(layout)

    def changes(self) -> list[str]:
        """Look again, and name the files that have come, gone or changed; a commit that is under way is waited for."""
        now = look_at(self._layout)
        if now == self._seen:
            return []
        with held(self._layout.journal, exclusive=False):
            pass
        self.as_of = time_ns()
        now, old = look_at(self._layout), self._seen
        self._seen = now
        return sorted(
            path for path in now.keys() | old.keys() if now.get(path) != old.get(path) and not path.endswith("/")
        )

    def changed_since(self, time_ns: int) -> list[str]:
        """Name what had changed after a time when it was looked at last; of a file that is gone, its folder.

        Args:
            time_ns: Nanoseconds by the clock on the wall.
        """
        newer = [path for path, (changed_ns, _) in self._seen.items() if changed_ns >= time_ns]
        explained = {path.rpartition("/")[0] + "/" for path in newer if not path.endswith("/")}
        return sorted(path for path in newer if path not in explained)


def look_at(layout: Layout) -> dict[str, Signature]:
    """Look at all files that a person may read or edit: time of the last change in nanoseconds, and size.

    Returns:
        By path inside the world. Folders are among them, with a slash at the end.
    """
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
