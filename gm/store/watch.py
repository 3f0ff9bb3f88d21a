"""Notice that somebody edited a world's files while it is being played."""

from __future__ import annotations

import os
from pathlib import Path

from gm.store.layout import Layout

Signature = tuple[int, int]


class Watch:
    """Remembers how the files looked when they were last read or written by us."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._seen: dict[Path, Signature] = {}

    def remember(self) -> None:
        """Take the files as they are now for known."""
        self._seen = self._look()

    def edited(self) -> bool:
        """Tell whether a file that a day depends on is another one than it was."""
        return self._look() != self._seen

    def _look(self) -> dict[Path, Signature]:
        layout = self._layout
        found: dict[Path, Signature] = {}
        for path in (layout.settings, layout.world, layout.bulletin):
            _note(path, found)
        for folder in (layout.agents, layout.personas, layout.memories, layout.archive, layout.logbook):
            if folder.is_dir():
                for entry in os.scandir(folder):
                    if not entry.name.startswith("."):
                        _note(Path(entry.path), found)
        return found


def _note(path: Path, found: dict[Path, Signature]) -> None:
    try:
        status = path.stat()
    except OSError:
        return
    found[path] = (status.st_mtime_ns, status.st_size)
