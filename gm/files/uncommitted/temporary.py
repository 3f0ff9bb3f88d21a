"""Temporary folders that are cleaned up even if their owner is killed.

The owner locks a file inside, which the system releases. The next command that writes to a world, or needs such a
folder, removes those with a free lock.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gm.files.formats import disk

KINDS = ("scratch", "book", "merge")
_NAME = re.compile(rf"gm-({'|'.join(KINDS)})-[a-z0-9_]+\Z")
_MARK = ".gm-owner"
"""The locked file. A folder without it is never removed."""
_INSIDE = "files"


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """Make a private folder; remove it at the end.

    Raises:
        GmError: It cannot be created.
    """
    assert kind in KINDS
    remove_orphans()
    folder, mark = _make_locked(kind)
    try:
        yield folder / _INSIDE
    finally:
        _remove_folder(folder)
        os.close(mark)


def remove_orphans() -> None:
    """Remove this user's temporary folders that no process holds. Failures are ignored."""
    import tempfile

    # gettempdir would try to write files
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    place = tempfile.tempdir or next(filter(None, named), "/tmp")
    with suppress(OSError), os.scandir(place) as entries:
        found = [Path(entry.path) for entry in entries if _NAME.match(entry.name) and _is_own(entry)]
        for folder in found:
            with suppress(OSError):
                _remove_if_free(folder)


def _is_own(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid()


def _remove_if_free(folder: Path) -> None:
    mark = os.open(folder / _MARK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove_folder(folder)
    finally:
        os.close(mark)


def _make_locked(kind: str) -> tuple[Path, int]:
    from tempfile import gettempdir, mkdtemp

    while True:
        with disk.explained(gettempdir()):
            folder = Path(mkdtemp(prefix=f"gm-{kind}-")).resolve()
            mark = os.open(folder / _MARK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            fcntl.flock(mark, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                (folder / _INSIDE).mkdir()
                if (folder / _MARK).exists():
                    return folder, mark
        # another command removed it as an orphan before it was locked
        os.close(mark)


def _remove_folder(folder: Path) -> None:
    """Remove a folder, its mark last, so that remains of a killed process are still recognised."""
    import shutil

    inside = folder / _INSIDE
    shutil.rmtree(inside, ignore_errors=True)
    if os.path.lexists(inside):
        return
    with suppress(OSError):
        (folder / _MARK).unlink()
        folder.rmdir()
