"""Keep the files of a world still for a moment: for a commit, or for whoever reads them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gm.regular import open_regular
from gm.store.forms.private import make_private


@contextmanager
def held(path: Path, *, exclusive: bool) -> Iterator[None]:
    """Keep readers out while a commit is carried out (exclusive), or a commit while somebody reads (shared).

    Held for milliseconds. A reader that finds no journal, or may not open it, reads without.
    """
    try:
        handle = _open(path, exclusive=exclusive)
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


def _open(path: Path, *, exclusive: bool) -> int:
    if not exclusive:
        return open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    with suppress(FileNotFoundError):  # as a rule the folder is there
        return open_regular(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    make_private(path.parent)
    return open_regular(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
