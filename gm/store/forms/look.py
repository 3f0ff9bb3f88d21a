"""How a file looks from outside: while that stays the same, it need not be read again."""

from __future__ import annotations

import os
from pathlib import Path

from gm.store.forms.text import is_overlaid

Look = tuple[int, ...]


def look_of(path: Path) -> Look:
    """Return size in bytes, time of the last change in ns, and inode; empty where those do not say what is read."""
    if is_overlaid(path):
        return ()
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino
