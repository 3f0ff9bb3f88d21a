"""Kill a process at any of its operations on the disk, without a process to kill.

Python announces each operation to audit hooks before it is carried out. The hook below counts them and, at the chosen
one, raises what no handler of the program catches.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.truncate"}


class Killed(BaseException):
    """The power went out."""


@dataclass
class Countdown:
    """When to kill.

    Attributes:
        root: Only operations below this folder count.
        left: Operations that still succeed.
        event: Count only operations of this name and of files with this ending.
    """

    root: Path
    left: int
    event: str = ""
    ending: str = ""
    seen: list[str] = field(default_factory=list)

    def count(self, event: str, path: str) -> None:
        if self.event and (event != self.event or not path.endswith(self.ending)):
            return
        self.seen.append(f"{event} {path}")
        if self.left == 0:
            raise Killed(self.seen[-1])
        self.left -= 1


_armed: list[Countdown] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _armed and event in OPERATIONS and isinstance(arguments[0], str | Path):
        path = str(arguments[0])
        if path.startswith(str(_armed[0].root)):
            _armed[0].count(event, path)


@cache  # Python keeps a hook for ever, and asks it at each operation
def _listen() -> None:
    sys.addaudithook(_hook)


@contextmanager
def killed_after(root: Path, operations: int, *, event: str = "", ending: str = "") -> Iterator[Countdown]:
    """Kill what runs inside after a number of operations below a folder."""
    _listen()
    countdown = Countdown(root, operations, event, ending)
    _armed.append(countdown)
    try:
        yield countdown
    except Killed:
        pass
    finally:
        _armed.clear()
