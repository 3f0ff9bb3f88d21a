"""Count every durable step that gm makes, and stop or fail at a chosen one.

``install`` wraps the few system calls that ``gm.files.formats.disk`` makes. Each of them is a point; a write is two,
before it and in the middle of it. At the chosen point the process is killed as by a power cut to it alone (SIGKILL), or
the call fails with an error of the operating system.
"""

from __future__ import annotations

import builtins
import os
import signal
from pathlib import Path
from threading import Lock
from typing import Any

from gm.files.formats import disk

WRAPPED = ("fsync", "fdatasync", "replace", "truncate", "chmod", "posix_fallocate")


class Points:
    """The points of one process.

    Args:
        at: Number of the point at which something happens; 0 = nothing ever happens.
        error: Error number to fail with; None = be killed.
    """

    def __init__(self, at: int = 0, error: int | None = None) -> None:
        self.count = 0
        self._at = at
        self._error = error
        self._counting = Lock()  # files are synced on threads

    def reach(self, what: str) -> bool:
        """Pass a point; tells whether a fault is due here."""
        with self._counting:
            self.count += 1
            number = self.count
        if number != self._at:
            return False
        if self._error is None:
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(self._error, os.strerror(self._error or 0), what)


class _File:
    """A file that passes points."""

    def __init__(self, file: Any, points: Points) -> None:
        self._file = file
        self._points = points

    def write(self, data: bytes) -> int:
        self._points.reach("write")
        half = len(data) // 2
        self._file.write(data[:half])
        self._file.flush()
        self._points.reach("write, in the middle")
        self._file.write(data[half:])
        return len(data)

    def __enter__(self) -> _File:
        self._file.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._file.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _System:
    """The ``os`` module, with points."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def __getattr__(self, name: str) -> Any:
        real: Any = getattr(os, name)
        if name not in WRAPPED:
            return real

        def call(*arguments: Any) -> Any:
            self._points.reach(name)
            return real(*arguments)

        return call


def install(points: Points) -> None:
    """Put the points into this process, for good.

    Making a folder is not a point: threads race for it, and points have to have the same numbers in each run.
    """

    def opened(path: Path, mode: str = "r", *rest: Any, **values: Any) -> Any:
        if "w" in mode or "a" in mode or "+" in mode:
            points.reach("open")
            return _File(builtins.open(path, mode, *rest, **values), points)
        return builtins.open(path, mode, *rest, **values)

    namespace: Any = disk
    namespace.open = opened
    namespace.os = _System(points)
