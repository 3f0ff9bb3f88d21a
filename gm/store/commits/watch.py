"""Notice that somebody edited a world's files while it is being played."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gm.layers import LAYERS
from gm.model.world import LOG_DAYS
from gm.store.layout import Layout

Signature = tuple[int, int]


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
        """Take files as they are now for known: those that we have written, or all that we are about to read."""
        now = self._look()
        if written is None:
            self._seen = now
        else:
            for path in map(str, written):
                if path in now:
                    self._seen[path] = now[path]
            self._forget_old_logbooks()

    def edited(self) -> bool:
        """Tell whether a file that a day depends on is another one than it was."""
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
    """Sort logbooks by day: the number of day 1000 is longer than that of day 999."""
    return len(name), name


def _note(path: str, found: dict[str, Signature]) -> None:
    """Note how a file looks; one that is gone, such as an editor's own, is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return
    found[path] = (status.st_mtime_ns, status.st_size)
