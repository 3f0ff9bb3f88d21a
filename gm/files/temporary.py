"""Temporary folders, which do not outlive their owner for long, however it dies.

The owner holds a lock on a file inside, which the operating system releases with the process. The next command that
writes to a world, or needs such a folder itself, removes those with a free lock.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gm.files.forms import disk

KINDS = ("scratch", "book", "merge")
_NAME = re.compile(rf"gm-({'|'.join(KINDS)})-[a-z0-9_]+\Z")
_MARK = ".gm-owner"
"""The file that is locked. No folder without it is ever removed: it is not ours."""
_INSIDE = "files"


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """Make a folder that only this user can read, and remove it with all that lies in it.

    Args:
        kind: One of ``KINDS``; a part of its name.

    Raises:
        GmError: There is no room for it.
    """
    assert kind in KINDS
    remove_orphans()
    folder, mark = _make(kind)
    try:
        yield folder / _INSIDE
    finally:
        _remove(folder)
        os.close(mark)


def remove_orphans() -> None:
    """Remove the temporary folders of this user that no process holds. What cannot be removed stays, in silence."""
    import tempfile

    # gettempdir would try to write there, and perhaps here: too much for a look
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
        _remove(folder)
    finally:
        os.close(mark)


def _make(kind: str) -> tuple[Path, int]:
    """Make a folder and lock its mark; return both."""
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
        # another command took it for an orphan in the moment before it was locked
        os.close(mark)


def _remove(folder: Path) -> None:
    """Remove a folder; the mark last, so that what a kill leaves behind is still known as ours."""
    import shutil

    inside = folder / _INSIDE
    shutil.rmtree(inside, ignore_errors=True)
    if os.path.lexists(inside):
        return
    with suppress(OSError):
        (folder / _MARK).unlink()
        folder.rmdir()
