"""The record of changes, ``state/.gm/changes/day-003.jsonl``: one reversible line for each commit, as part of it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.untyped import object_in
from gm.files import relative_paths
from gm.files.commits.journal import ClockState, FileSides
from gm.files.commits.steps import Append, CachedSteps, SetValues, Step, carry_out_all, paths_of
from gm.files.formats import disk
from gm.files.formats.splice import count_common
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


def parse_clock(data: bytes | None) -> tuple[int, bool, int]:
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


WHOLE = 64 * 1024
"""Up to this size, in bytes, documents are recorded whole."""


class Prints:
    """Incremental digests, so that growing files are not read whole for each commit."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[disk.FileStamp, Any]] = {}
        self._landing: dict[str, tuple[int, Any]] = {}

    def appended(self, path: str, text: bytes, stamp: disk.FileStamp | None) -> tuple[str, str]:
        """Return the digests before and after an append."""
        if stamp is None:
            digest, before = hashlib.sha256(), ""
        else:
            known = self._known.get(path)
            digest = known[1] if known and known[0] == stamp else hashlib.sha256(disk.read_or_none(path) or b"")
            before = digest.hexdigest()[:PRINT]
        digest = digest.copy()
        digest.update(text)
        self._landing[path] = (stamp[2] if stamp else 0) + len(text), digest
        return before, digest.hexdigest()[:PRINT]

    def landed(self, paths: Iterable[str]) -> None:
        """Keep the digests of completed appends to files that have the expected size."""
        for path in self._landing.keys() & paths:
            size, digest = self._landing.pop(path)
            stamp = disk.stamp_of(path)
            if stamp is not None and stamp[2] == size:
                self._known[path] = stamp, digest


@dataclass(frozen=True, slots=True)
class CommitEffects:
    """The effects of a commit before it is carried out."""

    sides: Mapping[str, FileSides]
    files: Mapping[str, FileChange]
    clock: tuple[ClockState, ClockState]


def describe_commit(layout: Layout, steps: Sequence[Step], prints: Prints, work: CachedSteps) -> CommitEffects:
    """Return the effects of a commit.

    Raises:
        OSError: A file cannot be read.
        BrokenFileError: As ``carry_out``.
    """
    uses = Counter([path for step in steps for path in paths_of(step)])
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    files: dict[str, FileChange] = {}
    root = str(layout.root)

    def read(path: str) -> bytes | None:
        if path not in before:
            with suppress(NotADirectoryError):  # reported when it is carried out
                before[path] = disk.read_or_none(os.path.join(root, path))
        before.setdefault(path, None)
        return after[path] if path in after else before[path]

    for step in steps:
        change = append_change(step, root, prints) if isinstance(step, Append) and uses[step.path] == 1 else None
        if change is not None:
            files[step.path] = change
            continue
        after |= carry_out_all(step, read, work)[0]
    gone = [
        FileChange(path, print_of(before[path]), "", -1, b"", b"")
        for path, new in after.items()
        if new is None and before[path] is not None
    ]
    for path, data in after.items():
        if data is not None and data != before[path]:
            files[path] = _compare_contents(path, before[path], data)
    shown = layout.shown(layout.world)
    then = parse_clock(read(shown))
    clock = (parse_clock(before[shown]), then)
    ordered = {path: files[path] for path in uses if path in files}
    return CommitEffects(sides_of(root, [*gone, *ordered.values()]), ordered, clock)


def sides_of(root: str, changes: Sequence[FileChange]) -> dict[str, FileSides]:
    """Return the journal's entries for changes, by path."""
    stamps = [disk.stamp_of(os.path.join(root, change.path)) if change.before else None for change in changes]
    return {
        change.path: FileSides(change.before, change.after, change.at if change.appends else -1, (stamp or (0, 0))[:2])
        for change, stamp in zip(changes, stamps, strict=True)
    }


def append_change(step: Append, root: str, prints: Prints) -> FileChange | None:
    """Return the change made by an append; None if the file has an unexpected size."""
    place = os.path.join(root, step.path)
    stamp = disk.stamp_of(place)
    if (stamp[2] if stamp else 0) != step.at:
        return None
    text = step.text.encode()
    return FileChange(step.path, *prints.appended(place, text, stamp), step.at, b"", text)


def render_entry(layout: Layout, steps: Sequence[Step], described: CommitEffects) -> tuple[Path, str] | None:
    """Return the path of the record and the commit's line; None if nothing changes."""
    if not described.files:
        return None
    moment, opens = _moment_of(layout, steps)
    ref = parse_ref(moment)
    day = ref.day if ref else opens or described.clock[0][0]
    line = {"moment": moment, "opens": opens, "files": [_render_change(change) for change in described.files.values()]}
    return record_path(layout, day), json.dumps(line)


def _compare_contents(path: str, before: bytes | None, after: bytes) -> FileChange:
    old = before or b""
    marks = (print_of(before), print_of(after))
    if after.startswith(old):
        return FileChange(path, *marks, len(old), b"", after[len(old) :])
    if max(len(old), len(after)) <= WHOLE:
        return FileChange(path, *marks, 0, old, after)
    head = count_common(old, after)
    tail = count_common(old[head:][::-1], after[head:][::-1])
    return FileChange(path, *marks, head, old[head : len(old) - tail], after[head : len(after) - tail])


def _moment_of(layout: Layout, steps: Sequence[Step]) -> tuple[str, int]:
    moment, opens = "", 0
    book, world = f"{layout.shown(layout.logbook)}/", layout.shown(layout.world)
    for step in steps:
        if isinstance(step, Append) and step.path.startswith(book):
            with suppress(ValueError, AttributeError):
                record = json.loads(step.text.strip().rsplit("\n", 1)[-1])
                day = step.path[len(book) :].removesuffix(".jsonl")
                number = record.get("scene")
                moment = day if record.get("type") == "SUMMARY" else f"{day}/scene-{int(number):02d}" if number else ""
        if isinstance(step, SetValues) and step.path == world and step.new.get("day_open") is True:
            opens = int(step.new.get("day", 0))
    return moment if parse_ref(moment) else "", opens


def _render_change(change: FileChange) -> dict[str, Any]:
    return {
        "path": change.path,
        "before": change.before,
        "after": change.after,
        "at": change.at,
        "was": change.was.decode("utf-8", "surrogateescape"),
        "now": change.now.decode("utf-8", "surrogateescape"),
    }
