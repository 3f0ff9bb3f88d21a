"""Locks on a world: one writer at a time, no reads during a commit; released when their holder dies."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import sleep

from gm.base.errors import LockedError, say
from gm.base.regular import open_regular
from gm.files.formats import disk

LOOKS = 20
LOOK_S = 0.01


@dataclass(frozen=True, slots=True)
class Holder:
    """Process and command that hold the lock, and since when (wall clock)."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        process = f" (process {self.pid})" if self.pid else ""
        since = f", since {self.since}" if self.since else ""
        return f"{self.command}{process}{since}"


@contextmanager
def locked(path: Path, command: str) -> Iterator[None]:
    """Hold the lock of a world.

    Raises:
        LockedError: Another living process holds it.
    """
    with disk.explained(path):
        disk.make_private(path.parent)
        handle = open_regular(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        _take_lock(handle)
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        with disk.explained(path):
            os.ftruncate(handle, 0)
            os.write(handle, json.dumps({"pid": os.getpid(), "command": command, "since": since}).encode())
        try:
            yield
        finally:
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _take_lock(handle: int) -> None:
    for more in range(LOOKS, -1, -1):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read_holder(handle)
            if holder.pid or not more:
                raise held_by(holder) from None
            sleep(LOOK_S)  # no writer has signed: most likely ``find_holder`` looks, for an instant
        else:
            return


def refuse_held(path: Path) -> None:
    """Say beforehand what ``locked`` would say; only that one keeps others out.

    Raises:
        LockedError: Another process holds the lock.
    """
    holder = find_holder(path)
    if holder is not None and holder.pid:
        raise held_by(holder)


def held_by(holder: Holder) -> LockedError:
    """Return the error for a lock that another process holds."""
    return LockedError(say("the world is being written to: {holder}", holder), "wait for it to finish, or stop it")


def find_holder(path: Path) -> Holder | None:
    """Return the holder of a lock without taking it; None = free."""
    try:
        handle = open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_holder(handle)
    finally:
        os.close(handle)
    return None


def _read_holder(handle: int) -> Holder:
    try:
        note = json.loads(os.pread(handle, 4096, 0))
        return Holder(int(note["pid"]), str(note["command"]), str(note["since"]))
    except (ValueError, KeyError, TypeError):
        return Holder(0, "another process", "")


@contextmanager
def held(path: Path, *, exclusive: bool) -> Iterator[None]:
    """Lock the journal for a commit (exclusive) or against commits while reading (shared).

    A reader that cannot open the journal reads without a lock.
    """
    try:
        handle = _open_locked(path, exclusive=exclusive)
    except OSError:
        if exclusive:
            raise
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _open_locked(path: Path, *, exclusive: bool) -> int:
    if not exclusive:
        return open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    with suppress(FileNotFoundError):  # usually the folder exists
        return open_regular(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    disk.make_private(path.parent)
    return open_regular(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
