"""The write-ahead journal in ``state/.gm/``: a commit is synced to it before any file is touched.

One JSON line is a commit; ``{"done": n}`` marks it as carried out, ``{"stays": n, "paths": [...]}`` names files that
recovery leaves to the user. It is emptied after all named files are synced. A line that was cut off never happened; a
malformed journal is refused as a whole, as it is untrusted input.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from stat import S_ISREG
from typing import Any

from gm.base.errors import GmError
from gm.base.texts import shown as quoted
from gm.files.commits.steps import LARGEST, Step, parse_step, paths_of, render_step, sha256
from gm.files.forms import disk
from gm.files.forms.faults import is_too_deep
from gm.files.inside import is_written
from gm.files.layout import Layout

MOST_BYTES = 1 << 30
ASIDE = "kept-aside"
"""Folder beside the journal for content that recovery did not write."""
Clock = tuple[int, bool, int]
"""Story day, whether it is open, total number of scenes."""
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


@dataclass(frozen=True, slots=True)
class FileSides:
    """State of a file before and after a commit.

    Attributes:
        before: Digest; "" = absent.
        after: Digest; "" = absent.
        at: Offset of an append, in bytes; -1 = another change.
        look: Inode and mtime in ns before; zeros = absent.
    """

    before: str
    after: str
    at: int
    look: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Record:
    """One commit in the journal.

    Attributes:
        number: Counted from 1 since the journal was emptied.
        boot: Boot id of the system when it was written.
        sides: Effects by path; None = not recorded.
        inode: Inode of the journal when written; another one now = the world was copied, looks are meaningless.
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


def read_records(path: Path) -> list[Record]:
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
        raise JournalError(0, "a folder, a link or a device was found where a file is expected")
    if status.st_size > MOST_BYTES:
        raise JournalError(0, f"{status.st_size} bytes were found, and gm writes {MOST_BYTES} at most")
    return parse_records(disk.read(path) or b"")


def parse_records(data: bytes) -> list[Record]:
    """Parse the content of a journal, as ``read_records`` does."""
    found: dict[int, Record] = {}
    for number, text in enumerate(data.split(b"\n"), 1):
        line = text.strip(b"\0 \t\r")  # a power failure leaves zeros where nothing was written yet
        try:
            values = _read_line(line) if line else None
            if values is not None:
                _take(values, number, found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise JournalError(number, str(error) or type(error).__name__) from error
    return list(found.values())


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


def _take(values: dict[str, Any], line: int, found: dict[int, Record]) -> None:
    if values.keys() == {"done"}:
        number = _number(values["done"], found)
        found[number] = replace(found[number], done=True)
    elif values.keys() == {"stays", "paths"}:
        number = _number(values["stays"], found)
        paths = frozenset(path for step in found[number].steps for path in paths_of(step))
        found[number] = replace(found[number], stays=paths.intersection(values["paths"]))
    else:
        record = _parse_record(values, line)
        if any(record.number <= number for number in found):
            raise ValueError(f"the number {record.number} does not follow on the ones before")
        found[record.number] = record


def _number(value: object, found: Mapping[int, Record]) -> int:
    if type(value) is not int or value not in found:
        raise ValueError(f"a line is about the record {quoted(value)}, which is not there")
    return value


def _parse_record(values: dict[str, Any], line: int) -> Record:
    told = values.pop("sum", None)
    if values.keys() == {"number", "boot", "steps"}:
        right = _sum(values["steps"])  # written by versions of gm that did not record the files
    elif values.keys() == {"number", "boot", "steps", "files", "clock", "inode"}:
        right = _sum(_summed(values))
    else:
        raise ValueError(f"a record with other keys than expected was found: {', '.join(sorted(values))[:80]}")
    if told != right:
        raise ValueError("the sum of a record is another one than that of its content")
    number, boot, steps = values["number"], values["boot"], values["steps"]
    inode = values.get("inode", 0)
    if not (_is_count(number) and isinstance(boot, str) and isinstance(steps, list) and _is_count(inode)):
        raise ValueError("number, boot, steps or inode of a record are none")
    files, clock = values.get("files"), values.get("clock")
    parsed = tuple(parse_step(step) for step in steps)
    for path in (path for step in parsed for path in paths_of(step)):
        if not is_written(path):
            raise ValueError(f"a path that no commit of gm writes to was found: {path!r:.80}")
    return Record(
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
        raise ValueError("what a record says of a file is neither prints nor numbers")
    if not -1 <= at <= LARGEST:
        raise ValueError(f"no file has a place {at}")
    return FileSides(before, after, at, (inode, changed))


def _parse_clock(item: Sequence[Any]) -> Clock:
    day, is_open, total = item
    if not (type(day) is int and isinstance(is_open, bool) and type(total) is int):
        raise ValueError("the clock of a record is none")
    return day, is_open, total


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


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
        values["files"] = {name: [one.before, one.after, one.at, *one.look] for name, one in sides.items()}
        values |= {"clock": clock, "inode": (disk.look_of(path) or (0,))[0]}
    total = _sum(_summed(values) if sides is not None else values["steps"])
    line = json.dumps({**values, "sum": total}).encode()
    if len(line) > MOST_BYTES:
        raise GmError(f"{len(line)} bytes are too many for one write: a journal has {MOST_BYTES} at most")
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
        place = layout.derived / ASIDE / f"{number:03d}" / path
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


def _summed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The checksum excludes the boot id, which is not content."""
    return {key: value for key, value in values.items() if key != "boot"}


def _sum(values: object) -> str:
    text = json.dumps(values, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass"))[:16]
