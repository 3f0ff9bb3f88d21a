"""Notice that somebody edited a world's files while it is being played."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gm.store.layout import Layout

Signature = tuple[int, int]


class Watch:
    """Remembers how the files looked when they were last read or written by us."""

    def __init__(self, layout: Layout) -> None:
        # plain names: this is asked several times a scene
        self._files = [str(path) for path in (layout.settings, layout.world, layout.bulletin)]
        folders = (
            layout.agents,
            layout.personas,
            layout.memories,
            layout.archive,
            layout.logbook,
            layout.prompts,
            layout.prompts / "scenes",
        )
        self._folders = [str(folder) for folder in folders]
        self._seen: dict[str, Signature] = {}

    def remember(self, written: Iterable[Path] | None = None) -> None:
        """Take files as they are now for known: those that we have written, or all that we are about to read."""
        now = self._look()
        if written is None:
            self._seen = now
        else:
            for path in map(str, written):
                if path in now:
                    self._seen[path] = now[path]

    def edited(self) -> bool:
        """Tell whether a file that a day depends on is another one than it was."""
        return self._look() != self._seen

    def _look(self) -> dict[str, Signature]:
        found: dict[str, Signature] = {}
        for name in self._files:
            try:
                found[name] = _signature(os.stat(name))
            except OSError:
                continue
        for folder in self._folders:
            try:
                entries = os.scandir(folder)
            except OSError:
                continue
            with entries:
                for entry in entries:
                    if not entry.name.startswith("."):
                        found[entry.path] = _signature(entry.stat())
        return found


def _signature(status: os.stat_result) -> Signature:
    return status.st_mtime_ns, status.st_size
