"""The folder of a sweep: its worlds, what each was made of, and the tables.

::

    OUT/runs/<name>/         a world of its own for each run; it is there once it is whole
    OUT/table.csv            a row for each run; table.parquet likewise where pyarrow is installed
    OUT/times.csv            seconds by the clock on the wall: the only file that differs from one machine to the next
    OUT/.sweep/base/         the base world as it was when the sweep was begun
    OUT/.sweep/runs/<name>.json   what a run was made of, and up to which story day it goes
    OUT/.sweep/lock          held by the command that plays
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.regular import read_regular
from gm.files.commits.lock import locked
from gm.files.forms import disk
from gm.files.layout import Layout

_LOCAL = ("state/.gm/",)


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """The paths of one sweep."""

    root: Path

    @property
    def base(self) -> Path:
        """The base world as it was when the sweep was begun."""
        return self._own / "base"

    @property
    def base_note(self) -> Path:
        """What the base world was copied from."""
        return self._own / "base.json"

    @property
    def _own(self) -> Path:
        return self.root / ".sweep"

    def world(self, name: str) -> Layout:
        """The world of a run."""
        return Layout(self.root / "runs" / name)

    def making(self, name: str) -> Path:
        """Where something is put together before it moves to its place in one step."""
        return self._own / "making" / name

    def note(self, name: str) -> Path:
        """What a run was made of."""
        return self._own / "runs" / f"{name}.json"

    def seconds(self, name: str) -> Path:
        """How long a run took so far, by the clock on the wall."""
        return self._own / "seconds" / f"{name}.json"

    @property
    def table(self) -> Path:
        """A row for each run."""
        return self.root / "table.csv"

    @property
    def parquet(self) -> Path:
        """The same as columns."""
        return self.root / "table.parquet"

    @property
    def times(self) -> Path:
        """Seconds of each run."""
        return self.root / "times.csv"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the sweep: two commands cannot play it at the same time.

        Raises:
            LockedError: Another process plays it.
        """
        with locked(self._own / "lock", "gm sweep"):
            yield


def write_file(path: Path, data: bytes) -> None:
    """Put a file of a sweep into its place, whole or not at all.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(path):
        disk.make_folder(path.parent)
        disk.replace_synced(path, data)


def read_note(path: Path) -> dict[str, Any] | None:
    """Read a note; None when it is not there or of no use."""
    try:
        note = json.loads(disk.read(path) or b"null")
    except ValueError:
        return None
    return note if isinstance(note, dict) else None


def write_note(path: Path, note: Mapping[str, Any]) -> None:
    """Write a note."""
    write_file(path, (json.dumps(note, ensure_ascii=False, indent=1) + "\n").encode())


def move_folder(source: Path, target: Path) -> None:
    """Bring a folder that is complete to its place, in one step.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(target):
        disk.make_folder(target.parent)
        disk.rename(source, target)


def clear_folder(folder: Path) -> None:
    """Take away what an interrupted command has put together halfway.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(folder):
        disk.remove_folder(folder)


def digest_of(folder: Path, *, left_out: tuple[str, ...] = _LOCAL) -> str:
    """Digest the visible and hidden files below a folder, by path and content; hexadecimal.

    Args:
        folder: Which one.
        left_out: Beginnings of paths inside it that do not count.
    """
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        shown = path.relative_to(folder).as_posix()
        if path.is_file() and not shown.startswith(left_out):
            total.update(f"{shown}\0{hashlib.sha256(read_regular(path)).hexdigest()}\n".encode())
    return total.hexdigest()
