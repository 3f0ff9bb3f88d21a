"""How a file looks from outside: a file that certainly looks as it did need not be read again."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from gm.files.forms.text import is_overlaid

ABSENT = -1
SETTLED_NS = 2_000_000_000  # after this time a further write changes the time of a file, however coarse that is


class Look(NamedTuple):
    """Size in bytes, times in ns of the last change of content and of status, inode; size -1 for an absent file."""

    size: int
    changed: int = 0
    status: int = 0
    inode: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether a later write would certainly make the file look different."""
        return self.size == ABSENT or time.time_ns() - max(self.changed, self.status) > SETTLED_NS


def look_at(file: Path | int) -> Look:
    """Return how a file looks, given by its path or by an open handle."""
    try:
        found = os.stat(file)
    except OSError:
        return Look(ABSENT)
    return Look(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def look_of(path: Path) -> Look | None:
    """Return how a file looks; None for an absent file, and where something else is read in its place."""
    look = Look(ABSENT) if is_overlaid(path) else look_at(path)
    return None if look.size == ABSENT else look


def has_grown(data: bytes, size: int, digest: bytes) -> bool:
    """Return whether a file of some size and digest, which ended with a line, has become these bytes by more lines.

    All of it is compared: a line may have been corrected as well.
    """
    before = data[:size]
    return 0 < size < len(data) and before.endswith(b"\n") and digest_of(before) == digest


def digest_of(data: bytes) -> bytes:
    """Return the digest by which lines and files are compared."""
    from hashlib import blake2b  # takes longer to import than most who ask for a look need in all

    return blake2b(data, digest_size=16).digest()
