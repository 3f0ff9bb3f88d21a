"""File status, for skipping files that certainly did not change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from gm.files.formats.text import is_overlaid

P = ParamSpec("P")
T = TypeVar("T")
ABSENT = -1
SETTLED_NS = 2_000_000_000  # after this time a later write changes the mtime, however coarse its resolution


class Look(NamedTuple):
    """Size in bytes (-1 = absent), mtime and ctime in ns, inode."""

    size: int
    changed: int = 0
    status: int = 0
    inode: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether any later write would certainly change the look."""
        return self.size == ABSENT or time.time_ns() - max(self.changed, self.status) > SETTLED_NS


def look_at(file: Path | int) -> Look:
    """Return the look of a path or an open handle."""
    try:
        found = os.stat(file)
    except OSError:
        return Look(ABSENT)
    return Look(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def look_of(path: Path) -> Look | None:
    """Return the look of a file; None if absent or overlaid."""
    look = Look(ABSENT) if is_overlaid(path) else look_at(path)
    return None if look.size == ABSENT else look


def cached_by_look(most: int, place: Callable[..., Path]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache the reader of a file until the file may have changed."""

    def decorate(read: Callable[P, T]) -> Callable[P, T]:
        kept = lru_cache(most)(lambda _look, *args, **more: read(*args, **more))

        @wraps(read)
        def cached(*args: P.args, **more: P.kwargs) -> T:
            look = look_of(place(*args, **more))
            if look is None or not look.is_settled:
                return read(*args, **more)
            return kept(look, *args, **more)  # type: ignore[arg-type]  # arguments that cannot be hashed raise

        return cached

    return decorate


def has_grown(data: bytes, size: int, digest: bytes) -> bool:
    """Return whether the data extends a file of this size and digest by whole lines."""
    before = data[:size]
    return 0 < size < len(data) and before.endswith(b"\n") and digest_of(before) == digest


def digest_of(data: bytes) -> bytes:
    """Return the digest by which lines and files are compared."""
    from hashlib import blake2b  # slow to import, and most callers need only a look

    return blake2b(data, digest_size=16).digest()
