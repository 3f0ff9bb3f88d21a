"""All writing of a world's files. One commit lands whole or not at all.

A commit is a list of small steps. They are first written to a journal and synced to the disk, then carried out, then
the journal is removed. A process that dies in between leaves a journal; ``recover`` carries out what is missing.
Every step can be carried out twice without harm, so dying during recovery does no harm either.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.errors import GmError
from gm.store.document import set_values
from gm.store.private import make_private


@dataclass(frozen=True, slots=True)
class Append:
    """Append lines to a file. ``at`` is the size the file had when the step was made, in bytes."""

    path: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class SetValues:
    """Change top-level values of a JSON document. ``old`` are the values they had when the step was made."""

    path: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Create:
    """Make a new file. An existing one is left alone."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Give an existing file another text, if it is still the file that the text was made from.

    The text is whole: what is not to change stands in it as it stood. When the file has the new text already, the
    step is done. When it has neither the old nor the new one, somebody edited it meanwhile: it is left alone, and a
    note says so.

    Attributes:
        path: Inside the world.
        old_sha256: Of the bytes that the text was made from, in hexadecimal.
        text: The whole new text; written as UTF-8, its line ends as they are.
    """

    path: str
    old_sha256: str
    text: str


Step = Append | SetValues | Create | Replace
_KINDS: dict[str, type[Append] | type[SetValues] | type[Create] | type[Replace]] = {
    "append": Append,
    "set": SetValues,
    "create": Create,
    "replace": Replace,
}


def append_step(root: Path, path: Path, lines: Sequence[str]) -> Append:
    """Make the step that appends lines to a file, in the file's own line ends."""
    data = path.read_bytes() if path.exists() else b""
    newline = "\r\n" if b"\r\n" in data[-4096:] else "\n"
    text = "".join(line + newline for line in lines)
    if data and not data.endswith(b"\n"):
        text = newline + text
    return Append(path.relative_to(root).as_posix(), len(data), text)


def replace_step(root: Path, path: Path, old: str, new: str) -> Replace:
    """Make the step that gives a file another text than the one it was read with."""
    return Replace(path.relative_to(root).as_posix(), _digest(old.encode()), new)


def commit(root: Path, journal: Path, steps: Sequence[Step]) -> list[str]:
    """Carry out steps together.

    Args:
        root: The world.
        journal: Where the steps are kept until all are done.
        steps: What to write, paths relative to the world.

    Returns:
        Notes about what somebody else changed meanwhile and that was therefore left alone.

    Raises:
        GmError: The disk refused. What was not carried out is, by the next command that writes.
    """
    if not steps:
        return []
    try:
        _write_synced(journal, _render(steps))
        notes = _carry_out(root, steps)
        journal.unlink()
    except OSError as error:
        where = error.filename or root
        raise GmError(
            f"cannot write {where}: {error.strerror}",
            "nothing is lost: put it right and run the same command again, it finishes this write first",
        ) from error
    return notes


def recover(root: Path, journal: Path) -> list[str]:
    """Finish a commit that was interrupted.

    Returns:
        What was done, one sentence each; empty when there was nothing to do.
    """
    try:
        text = journal.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    steps = _parse(text)
    notes = [f"finished an interrupted write of {len(steps)} files", *_carry_out(root, steps)]
    journal.unlink()
    return notes


def _carry_out(root: Path, steps: Sequence[Step]) -> list[str]:
    notes: list[str] = []
    for step in steps:
        target = root / step.path
        target.parent.mkdir(parents=True, exist_ok=True)
        match step:
            case Append():
                _append(target, step)
            case Create():
                if not target.exists():
                    _write_whole(target, step.text.encode())
            case SetValues():
                notes += _set(target, step)
            case Replace():
                notes += _replace(target, step)
    return notes


def _append(target: Path, step: Append) -> None:
    """Append what is not there yet: an interrupted append may have written a part."""
    wanted = step.text.encode()
    with open(target, "ab+") as file:
        file.seek(0, os.SEEK_END)
        size = file.tell()
        if size > step.at:
            file.seek(step.at)
            there = file.read()
            if there.startswith(wanted) or wanted.strip() in there:
                return
            if wanted.startswith(there):
                wanted = wanted[len(there) :]
            elif not there.endswith(b"\n"):
                wanted = b"\n" + wanted.lstrip(b"\r\n")
        file.seek(0, os.SEEK_END)
        file.write(wanted)


def _set(target: Path, step: SetValues) -> list[str]:
    """Set values on the file as it is now; a value that somebody else changed meanwhile stays theirs."""
    # newline="": line ends stay as they are
    text = target.read_bytes().decode("utf-8") if target.exists() else ""
    now = json.loads(text.removeprefix("\ufeff")) if text.strip() else {}
    values: dict[str, Any] = {}
    notes: list[str] = []
    for key, value in step.new.items():
        if key in now and key in step.old and now[key] not in (step.old[key], value):
            notes.append(
                f"{step.path}: {key} was edited meanwhile and stays {json.dumps(now[key], ensure_ascii=False)}"
            )
        else:
            values[key] = value
    changed = set_values(text, values)
    if changed != text:
        _write_whole(target, changed.encode())
    return notes


def _replace(target: Path, step: Replace) -> list[str]:
    """Write the new text over the old one; a file that somebody else changed meanwhile stays theirs."""
    now = _digest(target.read_bytes()) if target.exists() else ""
    wanted = step.text.encode()
    if now == step.old_sha256:
        _write_whole(target, wanted)
    elif now != _digest(wanted):
        return [f"{step.path} was edited meanwhile and stays as it is"]
    return []


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write_whole(target: Path, data: bytes) -> None:
    """Replace a file in one move, so that a reader sees the old or the new one."""
    beside = target.with_name(f".{target.name}.gm-new")
    beside.write_bytes(data)
    if target.exists():
        os.chmod(beside, target.stat().st_mode & 0o7777)
    os.replace(beside, target)


def _write_synced(target: Path, text: str) -> None:
    make_private(target.parent)
    beside = target.with_name(target.name + ".new")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, target)


def _render(steps: Sequence[Step]) -> str:
    names = {kind: name for name, kind in _KINDS.items()}
    records = [{"kind": names[type(step)], **{slot: getattr(step, slot) for slot in step.__slots__}} for step in steps]
    return json.dumps(records, ensure_ascii=False)


def _parse(text: str) -> list[Step]:
    steps: list[Step] = []
    for record in json.loads(text):
        kind = _KINDS[record.pop("kind")]
        steps.append(kind(**record))
    return steps
