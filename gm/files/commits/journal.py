"""The write-ahead journal in ``state/.gm/``: a commit is synced to it before any file is touched.

One JSON line is a commit; ``{"done": n}`` marks it as carried out, ``{"stays": n, "paths": [...]}`` names files that
recovery leaves to the user. It is emptied after all named files are synced.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from stat import S_ISREG
from typing import Any

from gm.base.errors import GmError, Problem
from gm.base.texts import quoted
from gm.files import relative_paths
from gm.files.commits.stepforms import LARGEST_FILE, parse_step, render_step
from gm.files.commits.steps import Step, paths_of
from gm.files.formats import disk
from gm.files.formats.document import is_too_deep
from gm.files.formats.text import sha256
from gm.files.layout import Layout

LARGEST_JOURNAL = 1 << 30
"""Upper limit of its size, in bytes."""
KEPT_ASIDE = "kept-aside"
"""Folder beside the journal for content that recovery did not write."""
ClockState = tuple[int, bool, int]
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
    clock: tuple[ClockState, ClockState] | None = None
    inode: int = 0
    stays: frozenset[str] = field(default=frozenset())


def write_record(
    path: Path,
    number: int,
    steps: Sequence[Step],
    sides: Mapping[str, FileSides] | None = None,
    clock: tuple[ClockState, ClockState] | None = None,
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


def rename_refused(path: Path) -> Path:
    """Rename a refused journal and return its new path."""
    names = (path.with_name(f"journal-refused-{number}.jsonl") for number in count(1))
    aside = next(name for name in names if not os.path.lexists(name))
    disk.rename(path, aside)
    return aside


def aside_place(layout: Layout, path: str, data: bytes) -> Path:
    """Return a path for unwritten content, in the first numbered folder without another content for it."""
    for number in count(1):
        place = layout.derived / KEPT_ASIDE / f"{number:03d}" / path
        if not os.path.lexists(place) or (place.is_file() and disk.read_or_none(place) == data):
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


_KEPT_PARSED = 16 << 20
"""Up to this many bytes, a journal that did not change is not parsed again: each search in a memory reads it."""
_BEGINNINGS = (b'{"number": ', b'{"done": ', b'{"stays": ')


class JournalError(ValueError):
    """The journal was not written by gm.

    Args:
        line: Line number from 1; 0 = the whole file.
    """

    def __init__(self, line: int, found: str) -> None:
        super().__init__(found)
        self.line = line
        self.found = found


def read_journal(layout: Layout) -> list[CommitRecord]:
    """Read the journal of a world and check where its paths lead.

    Raises:
        JournalError: It is malformed, or a path leads out of the world.
        OSError: It cannot be read.
    """
    records = read_commits(layout.journal)
    check_links(layout, records)
    return records


def check_links(layout: Layout, records: Sequence[CommitRecord]) -> None:
    """Check that no path of the records leads out of the world.

    Raises:
        JournalError: A path does.
    """
    for record in records:
        for path in (path for step in record.steps for path in paths_of(step)):
            try:
                link = relative_paths.way_out(str(layout.root), path)
            except OSError as error:
                raise JournalError(record.line, f"{path} leads nowhere: {error.strerror}") from error
            if link:
                raise JournalError(record.line, f"{path} leads out of the world: {link} is a link")


def read_trusted(layout: Layout) -> list[CommitRecord]:
    """Read the journal of a world, or set a malformed one aside.

    Raises:
        GmError: It was set aside.
        OSError: It cannot be read.
    """
    try:
        return read_journal(layout)
    except JournalError as error:
        aside = layout.shown(rename_refused(layout.journal))
        raise GmError(
            "the journal of interrupted writes is not as gm writes it",
            f"nothing of it was written; it is kept as {aside}, and the next command goes on without it",
            [_journal_problem(layout, error)],
        ) from error


def journal_problems(layout: Layout) -> list[Problem]:
    """Return the problems of the journal, for ``gm check``."""
    try:
        read_journal(layout)
    except JournalError as error:
        hint = "the next command that writes sets it aside, and writes nothing of it"
        return [_journal_problem(layout, error, hint)]
    except OSError:
        pass  # reported by the next command that writes
    return []


def _journal_problem(layout: Layout, error: JournalError, hint: str = "") -> Problem:
    return Problem(layout.shown(layout.journal), error.line, 0, "error", "journal-refused", error.found, hint)


def read_commits(path: Path) -> list[CommitRecord]:
    """Read all complete commits, in order.

    Raises:
        JournalError: The file was not written by gm.
        OSError: It cannot be read.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return []
    if not S_ISREG(status.st_mode):
        raise JournalError(0, "found a folder, a link or a device, expected a file")
    if status.st_size > LARGEST_JOURNAL:
        raise JournalError(0, f"{status.st_size} bytes were found, and gm writes {LARGEST_JOURNAL} at most")
    data = disk.read_or_none(path) or b""
    return list(_parse_once(data)) if len(data) <= _KEPT_PARSED else parse_records(data)


def parse_records(data: bytes) -> list[CommitRecord]:
    """Parse the content of a journal, as ``read_commits`` does."""
    found: dict[int, CommitRecord] = {}
    for number, text in enumerate(data.split(b"\n"), 1):
        line = text.strip(b"\0 \t\r")  # a power failure leaves zeros where nothing was written yet
        try:
            values = _read_line(line) if line else None
            if values is not None:
                _add_line(values, number, found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise JournalError(number, str(error) or type(error).__name__) from error
    return list(found.values())


@lru_cache(maxsize=1)
def _parse_once(data: bytes) -> tuple[CommitRecord, ...]:
    return tuple(parse_records(data))


def _read_line(line: bytes) -> dict[str, Any] | None:
    """Return None for a line that was cut off: it never happened."""
    # imported late: the journal is usually empty
    from jsonlines import InvalidLineError, Reader

    try:
        with Reader((line,)) as reader:
            values: dict[str, Any] = reader.read(type=dict)
    except InvalidLineError:
        if any(line.startswith(begin) or begin.startswith(line) for begin in _BEGINNINGS):
            return None
        raise
    if is_too_deep(values):
        raise ValueError("a record that is nested too deeply was found")
    return values


def _add_line(values: dict[str, Any], line: int, found: dict[int, CommitRecord]) -> None:
    if values.keys() == {"done"}:
        number = _check_number(values["done"], found)
        found[number] = replace(found[number], done=True)
    elif values.keys() == {"stays", "paths"}:
        number = _check_number(values["stays"], found)
        paths = frozenset(path for step in found[number].steps for path in paths_of(step))
        found[number] = replace(found[number], stays=paths.intersection(values["paths"]))
    else:
        record = _parse_record(values, line)
        if any(record.number <= number for number in found):
            raise ValueError(f"the number {record.number} is not above the ones before")
        found[record.number] = record


def _check_number(value: object, found: Mapping[int, CommitRecord]) -> int:
    if type(value) is not int or value not in found:
        raise ValueError(f"a line names the record {quoted(value)}, which is missing")
    return value


def _parse_record(values: dict[str, Any], line: int) -> CommitRecord:
    stated = values.pop("sum", None)
    if values.keys() == {"number", "boot", "steps"}:
        right = checksum(values["steps"])  # written by versions of gm that did not record the files
    elif values.keys() == {"number", "boot", "steps", "files", "clock", "inode"}:
        right = checksum(drop_boot(values))
    else:
        raise ValueError(f"a record with other keys than expected was found: {', '.join(sorted(values))[:80]}")
    if stated != right:
        raise ValueError("the checksum of a record does not match its content")
    number, boot, steps = values["number"], values["boot"], values["steps"]
    inode = values.get("inode", 0)
    if not (_is_count(number) and isinstance(boot, str) and isinstance(steps, list) and _is_count(inode)):
        raise ValueError("number, boot, steps or inode of a record is invalid")
    files, clock = values.get("files"), values.get("clock")
    parsed = tuple(parse_step(step) for step in steps)
    for path in (path for step in parsed for path in paths_of(step)):
        if not relative_paths.is_written(path):
            raise ValueError(f"a path that gm never writes to was found: {path!r:.80}")
    return CommitRecord(
        number,
        boot,
        parsed,
        False,
        line,
        None if files is None else {path: _parse_sides(item) for path, item in files.items()},
        None if clock is None else (_parse_clock(clock[0]), _parse_clock(clock[1])),
        inode,
    )


def _parse_sides(item: Sequence[Any]) -> FileSides:
    before, after, at, inode, changed = item
    if not (isinstance(before, str) and isinstance(after, str) and all(type(one) is int for one in item[2:])):
        raise ValueError("a record describes a file by other values than digests and numbers")
    if not -1 <= at <= LARGEST_FILE:
        raise ValueError(f"the offset {at} is not in any file")
    return FileSides(before, after, at, (inode, changed))


def _parse_clock(item: Sequence[Any]) -> ClockState:
    day, is_open, total = item
    if not (type(day) is int and isinstance(is_open, bool) and type(total) is int):
        raise ValueError("the clock of a record is invalid")
    return day, is_open, total


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0
