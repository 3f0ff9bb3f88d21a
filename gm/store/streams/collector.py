"""Keep Python's search for cycles away from very many small values that are in none."""

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
    """Let the collector rest within this block, in whatever threads; it goes on when the last one is done.

    Reading a long stream makes some hundred thousand values that point to nothing but texts and numbers. Going through
    them again and again takes a sixth of the whole time. Where somebody switched the collector off, it stays off.
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
    """Take all values there are out of what the collector goes through, for good; they still go when nobody uses them.

    Only for whoever has just made very many that will stay: cycles that are garbage at this moment are kept as well.
    """
    gc.freeze()
