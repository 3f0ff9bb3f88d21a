"""The record of changes, ``state/.gm/changes/day-003.jsonl``: one reversible line for each commit, as part of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.texts import object_in
from gm.files import relative_paths
from gm.files.formats.text import list_folder, read_readable, sha256
from gm.files.layout import Layout
from gm.model.calendar import parse_ref, render_day

PRINT = 32
_PATH = re.compile(rb'"path": "([^"]+)"')


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change of one file by a commit: the bytes ``was``, at the offset ``at``, became ``now``. ``before`` and
    ``after`` are digests, "" = absent.
    """

    path: str
    before: str
    after: str
    at: int
    was: bytes
    now: bytes

    @property
    def appends(self) -> bool:
        return not self.was

    def back(self, data: bytes | None) -> bytes | None:
        """Undo the change; None = absent."""
        if not self.before:
            return None
        data = data or b""
        return data[: self.at] + self.was + data[self.at + len(self.now) :]

    def forth(self, data: bytes | None) -> bytes:
        data = data or b""
        return data[: self.at] + self.now + data[self.at + len(self.was) :]


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit.

    Attributes:
        moment: The scene it added, the last one of several, ``day-003/scene-02``, or the day it closed; else "".
        opens: The day it opened; 0 = none.
    """

    day: int
    moment: str
    opens: int
    files: tuple[FileChange, ...]
    problem: str = ""


def print_of(data: bytes | None) -> str:
    """Return the digest of a content; "" for None."""
    return "" if data is None else sha256(data)[:PRINT]


def record_path(layout: Layout, day: int) -> Path:
    """Return the path of a day's record."""
    return layout.changes / f"{render_day(day)}.jsonl"


def read_entries(layout: Layout) -> list[CommitEntry]:
    """Read the whole record in order; an unreadable line becomes an empty entry with a problem."""
    return [entry for day in recorded_days(layout) for entry in read_day_entries(layout, day)]


def read_day_entries(layout: Layout, day: int) -> list[CommitEntry]:
    """Read the record of one day."""
    return [_read_entry(day, number, line) for number, line in enumerate(raw_lines(layout, day), 1)]


def raw_lines(layout: Layout, day: int) -> list[bytes]:
    """Return the non-blank lines of a day's record; empty if it cannot be read."""
    return [line for line in read_readable(record_path(layout, day)).split(b"\n") if line.strip()]


def recorded_days(layout: Layout) -> list[int]:
    """Return the days that have a record, in order."""
    refs = (parse_ref(path.stem) for path in list_folder(layout.changes) if path.suffix == ".jsonl")
    return sorted(ref.day for ref in refs if ref and not ref.scene)


def find_written(layout: Layout, paths: Iterable[str]) -> list[str]:
    """Return those of the paths that the record names, which a rewind shortens."""
    records = (read_readable(record_path(layout, day)) for day in recorded_days(layout))
    written = {path for record in records for path in _PATH.findall(record)}
    return [path for path in paths if path.encode() in written]


def clock_of(data: bytes | None) -> tuple[int, bool, int]:
    """Return day, whether it is open, and total scenes of a ``world.json``; zeros if unreadable."""
    try:
        clock = json.loads((data or b"{}").decode("utf-8-sig"))
        return int(clock.get("day", 0)), bool(clock.get("day_open", False)), int(clock.get("scenes_total", 0))
    except (ValueError, AttributeError, TypeError, RecursionError, OverflowError):
        return 0, False, 0


def content_at(changes: Sequence[FileChange], goal: str, starts: Iterable[bytes | None]) -> tuple[bool, bytes | None]:
    """Reconstruct the content of a file with the digest ``goal``.

    Args:
        changes: All recorded changes of the file, in order.
        starts: Known contents, nearest first.

    Returns:
        Whether it was found, and the content; None = absent.
    """
    if not goal:
        return True, None
    for change in changes:
        for piece in (change.was, change.now):
            if print_of(piece) == goal:
                return True, piece
    for data in starts:
        found = _walk_to(changes, goal, data)
        if found is not None:
            return True, found
    return False, None


def without_lines(changes: Sequence[FileChange], data: bytes | None) -> tuple[bytes | None, list[str]] | None:
    """Remove appended lines from a file that the user has edited since.

    Returns:
        The remaining content, and removed lines that the user had edited, matched by id. None if a change is more than
        an append, or an edited line has no id.
    """
    if not all(change.appends for change in changes):
        return None
    gone = Counter(line for change in changes for line in change.now.split(b"\n") if line.strip())
    kept, edited = [], []
    for line in (data or b"").split(b"\n"):
        if gone[line] > 0:
            gone[line] -= 1
        else:
            kept.append(line)
    ids = {name for line in gone.elements() if (name := _id_of(line))}
    if any(not _id_of(line) for line in gone.elements()):
        return None
    edited = [line.decode("utf-8", "replace") for line in kept if _id_of(line) in ids]
    rest = [line for line in kept if _id_of(line) not in ids]
    if not changes[0].before:
        return (b"\n".join(rest) if any(line.strip() for line in rest) else None), edited
    return b"\n".join(rest), edited


def _walk_to(changes: Sequence[FileChange], goal: str, data: bytes | None) -> bytes | None:
    here, mark = data, print_of(data)
    for change in reversed(changes):
        if mark != goal and change.after == mark:
            here, mark = change.back(here), change.before
    if mark != goal:
        here, mark = data, print_of(data)
        for change in changes:
            if mark != goal and change.before == mark:
                here, mark = change.forth(here), change.after
    return here if mark == goal and print_of(here) == goal else None


def _read_entry(day: int, number: int, line: bytes) -> CommitEntry:
    try:
        return _parse_entry(day, json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return CommitEntry(day, "", 0, (), f"{relative_paths.CHANGES}{render_day(day)}.jsonl:{number}: {error}")


def _parse_entry(day: int, record: Mapping[str, Any]) -> CommitEntry:
    moment, opens = record["moment"], record["opens"]
    if not isinstance(moment, str) or type(opens) is not int:
        raise ValueError("moment or opens is invalid")
    return CommitEntry(day, moment, opens, tuple(_parse_change(item) for item in record["files"]))


def _parse_change(item: Mapping[str, Any]) -> FileChange:
    path, before, after, at = (item[key] for key in ("path", "before", "after", "at"))
    if not isinstance(path, str) or not relative_paths.is_written(path):
        raise ValueError(f"a path that gm never writes to was found: {path!r:.80}")
    if not (isinstance(before, str) and isinstance(after, str) and type(at) is int and at >= 0):
        raise ValueError("the digests or the offset of a file are invalid")
    was, now = (item[key].encode("utf-8", "surrogateescape") for key in ("was", "now"))
    return FileChange(path, before, after, at, was, now)


def _id_of(line: bytes) -> str:
    record = object_in(line)
    return str(record.get("id", "")) if "description" in record else ""
