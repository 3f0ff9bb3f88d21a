"""One writer at a time. The operating system releases the lock when its holder dies, however it dies."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gm.errors import LockedError
from gm.store import disk
from gm.store.private import make_private


@contextmanager
def locked(path: Path, command: str) -> Iterator[None]:
    """Hold the lock of a world.

    Args:
        path: The lock file; made when absent. It names its holder for those who come too late.
        command: What the holder is doing.

    Raises:
        LockedError: Another living process holds it.
    """
    with disk.explained(path):
        make_private(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockedError(
                f"the world is being written to: {_holder(handle)}", "wait for it to finish, or stop it"
            ) from None
        os.ftruncate(handle, 0)
        os.write(handle, json.dumps({"pid": os.getpid(), "command": command}).encode())
        try:
            yield
        finally:
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _holder(handle: int) -> str:
    try:
        note = json.loads(os.pread(handle, 4096, 0))
        return f"{note['command']} (process {note['pid']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
