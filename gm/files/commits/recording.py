"""Describe a commit before it is carried out: its sides for the journal, and the line that records its changes."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.files.commits.changes import PRINT, FileChange, clock_of, print_of, record_path
from gm.files.commits.journal import Clock, FileSides
from gm.files.commits.steps import Append, CachedSteps, SetValues, Step, carry_out_all, paths_of
from gm.files.formats import disk
from gm.files.formats.splice import count_common
from gm.files.layout import Layout
from gm.model.calendar import parse_ref

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
            digest = known[1] if known and known[0] == stamp else hashlib.sha256(disk.read(path) or b"")
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
    clock: tuple[Clock, Clock]


def describe(layout: Layout, steps: Sequence[Step], prints: Prints, work: CachedSteps) -> CommitEffects:
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
                before[path] = disk.read(os.path.join(root, path))
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
    then = clock_of(read(shown))
    clock = (clock_of(before[shown]), then)
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
