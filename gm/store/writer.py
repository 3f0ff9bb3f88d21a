"""Hold a world for writing: the lock, and whatever an interrupted write left to be finished."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gm.store.commit import recover
from gm.store.layout import Layout
from gm.store.lock import locked


@contextmanager
def writing(layout: Layout, command: str) -> Iterator[list[str]]:
    """Hold the lock of a world and finish what an earlier command could not.

    Yields:
        Notes about what was finished; more may be added.

    Raises:
        LockedError: Another process writes to the world.
    """
    with locked(layout.lock, command):
        yield recover(layout.root, layout.journal)
