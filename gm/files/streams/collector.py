"""Pause the garbage collector while very many small values are made that are in no cycle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_guard = Lock()
_resting: list[bool] = []
"""One for each block that is under way; whether the collector is to go on behind it."""


@contextmanager
def collector_resting() -> Iterator[None]:
    """Pause the collector within this block; it goes on when the last block of all threads is done.

    Reading a long stream makes some hundred thousand values that point to nothing but texts and numbers. Going through
    them again and again takes a sixth of the whole time. A collector that was switched off stays off.
    """
    with _guard:
        _resting.append(any(_resting) or gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _guard:
            if _resting.pop() and not _resting:
                gc.enable()


def set_aside() -> None:
    """Exclude all present values from collection for good; they are still freed when no reference is left.

    Only for a caller that has just made very many that will stay: present garbage in cycles is kept as well.
    """
    gc.freeze()
