"""Look at what a commit would do before it is written, and let it stand or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass

from gm.files.commits.steps import Overruled, Step, UnreadableError, carry_out_all
from gm.files.forms import disk
from gm.files.layout import Layout


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change that a commit would make to one file.

    Attributes:
        path: Path inside the world.
        old: What is in it; None = there is no file.
        new: What would be in it; None = there would be no file.
    """

    path: str
    old: bytes | None
    new: bytes | None


Look = Callable[[Sequence[FileChange], Sequence[Overruled]], None]
"""Is shown every commit while the lock is held. What it raises keeps the commit from being written."""

_look: ContextVar[Look | None] = ContextVar("look", default=None)


@contextmanager
def reviewing(look: Look) -> Iterator[None]:
    """Show every commit of this thread, within this block, to a function before it is written.

    Args:
        look: Is called under the lock with what each file would become, and with the values that would be left alone
            because a person changed them meanwhile.
    """
    token = _look.set(look)
    try:
        yield
    finally:
        _look.reset(token)


def review(layout: Layout, steps: Sequence[Step]) -> None:
    """Show a commit to the function of ``reviewing``, if there is one."""
    look = _look.get()
    if look is None:
        return
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    overruled: list[Overruled] = []

    def read(path: str) -> bytes | None:
        if path not in before:
            before[path] = disk.read(layout.root / path)
        return after.get(path, before[path])

    for step in steps:
        with suppress(UnreadableError):  # carrying it out says what is wrong with the file, and where
            contents, left = carry_out_all(step, read)
            after |= contents
            overruled += left
    look([FileChange(path, before.get(path), new) for path, new in after.items()], overruled)
