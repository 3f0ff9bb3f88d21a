"""Review commits before they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass

from gm.files.commits.steps import BrokenFileError, Overruled, Step, carry_out_all
from gm.files.formats import disk
from gm.files.layout import Layout


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """The change of one file by a commit; content None = absent."""

    path: str
    old: bytes | None
    new: bytes | None


Reviewer = Callable[[Sequence[ReviewedFile], Sequence[Overruled]], None]
"""Called with every commit under the lock; an exception prevents the commit."""

_reviewer: ContextVar[Reviewer | None] = ContextVar("reviewer", default=None)


@contextmanager
def reviewing(reviewer: Reviewer) -> Iterator[None]:
    """Call ``reviewer`` before each commit of this thread, with its changes and the values left alone."""
    token = _reviewer.set(reviewer)
    try:
        yield
    finally:
        _reviewer.reset(token)


def review(layout: Layout, steps: Sequence[Step]) -> None:
    """Pass a commit to the function of ``reviewing``, if there is one."""
    reviewer = _reviewer.get()
    if reviewer is None:
        return
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    overruled: list[Overruled] = []

    def read(path: str) -> bytes | None:
        if path not in before:
            before[path] = disk.read(layout.root / path)
        return after.get(path, before[path])

    for step in steps:
        with suppress(BrokenFileError):  # reported, with its place, when it is carried out
            contents, left = carry_out_all(step, read)
            after |= contents
            overruled += left
    reviewer([ReviewedFile(path, before.get(path), new) for path, new in after.items()], overruled)
