"""How a file looks from outside: whoever has read it once need not read it again as long as that stays the same."""

from __future__ import annotations

import os
from pathlib import Path

from gm.store.forms.text import is_overlaid

Look = tuple[int, ...]


def look_of(path: Path) -> Look:
    """Tell size in bytes, time of the last change in ns, and inode; empty where those do not say what is read."""
    if is_overlaid(path):
        return ()
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino
