"""The write-ahead journal in ``state/.gm/``: a commit is synced to it before any file is touched.

One JSON line is a commit; ``{"done": n}`` marks it as carried out, ``{"stays": n, "paths": [...]}`` names files that
recovery leaves to the user. It is emptied after all named files are synced.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from gm.base.errors import GmError
from gm.files.commits.stepform import render_step
from gm.files.commits.steps import Step
from gm.files.formats import disk
from gm.files.formats.digests import sha256
from gm.files.layout import Layout

LARGEST_JOURNAL = 1 << 30
"""Upper limit of its size, in bytes."""
KEPT_ASIDE = "kept-aside"
"""Folder beside the journal for content that recovery did not write."""
Clock = tuple[int, bool, int]
"""Story day, whether it is open, total number of scenes."""


@dataclass(frozen=True, slots=True)
class FileSides:
    """State of a file before and after a commit.

    Attributes:
        before: Digest; "" = absent.
        after: Digest; "" = absent.
        at: Offset of an append, in bytes; -1 = another change.
        stamp: Inode and mtime in ns before; zeros = absent.
    """

    before: str
    after: str
    at: int
    stamp: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """One commit in the journal.

    Attributes:
        number: Counted from 1 since the journal was emptied.
        boot: Boot id of the system when it was written.
        sides: Effects by path; None = not recorded.
        inode: Inode of the journal when written; another one now = the world was copied, stamps are meaningless.
        stays: Files that recovery has left to the user.
    """

    number: int
    boot: str
    steps: tuple[Step, ...]
    done: bool
    line: int = 0
    sides: Mapping[str, FileSides] | None = None
    clock: tuple[Clock, Clock] | None = None
    inode: int = 0
    stays: frozenset[str] = field(default=frozenset())


def write_record(
    path: Path,
    number: int,
    steps: Sequence[Step],
    sides: Mapping[str, FileSides] | None = None,
    clock: tuple[Clock, Clock] | None = None,
) -> None:
    """Append a commit to the journal and sync it."""
    values: dict[str, Any] = {"number": number, "boot": boot_id(), "steps": [render_step(step) for step in steps]}
    if sides is not None:
        values["files"] = {name: [one.before, one.after, one.at, *one.stamp] for name, one in sides.items()}
        values |= {"clock": clock, "inode": (disk.stamp_of(path) or (0,))[0]}
    total = checksum(drop_boot(values) if sides is not None else values["steps"])
    line = json.dumps({**values, "sum": total}).encode()
    if len(line) > LARGEST_JOURNAL:
        raise GmError(f"{len(line)} bytes are too many for one write: a journal has {LARGEST_JOURNAL} at most")
    # a leading line feed: the line before may have been cut off
    disk.append_synced(path, b"\n" + line + b"\n")


def write_done(path: Path, number: int) -> None:
    """Mark a commit as carried out."""
    disk.append(path, f'\n{{"done": {number}}}\n'.encode())


def write_stays(path: Path, number: int, paths: Sequence[str]) -> None:
    """Record the files that recovery leaves to the user, before it touches any other."""
    disk.append_synced(path, f"\n{json.dumps({'stays': number, 'paths': list(paths)})}\n".encode())


def set_aside(path: Path) -> Path:
    """Rename a refused journal and return its new path."""
    names = (path.with_name(f"journal-refused-{number}.jsonl") for number in count(1))
    aside = next(name for name in names if not os.path.lexists(name))
    disk.rename(path, aside)
    return aside


def aside_place(layout: Layout, path: str, data: bytes) -> Path:
    """Return a path for unwritten content, in the first numbered folder without another content for it."""
    for number in count(1):
        place = layout.derived / KEPT_ASIDE / f"{number:03d}" / path
        if not os.path.lexists(place) or (place.is_file() and disk.read(place) == data):
            return place
    raise AssertionError("there is always another number")


@cache
def boot_id() -> str:
    """Return the boot id of the system; "" if it has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def drop_boot(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the checksum of a record covers: all but the boot id, which is not content."""
    return {key: value for key, value in values.items() if key != "boot"}


def checksum(values: object) -> str:
    """Return the checksum of JSON values."""
    text = json.dumps(values, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass"))[:16]
