"""Decide about an interrupted commit whose journal line does not say how its files were before and after it."""

from __future__ import annotations

from collections.abc import Callable

from gm.files.commits.journal import CommitRecord
from gm.files.commits.recoveryplan import RecoveryPlan, See, UnfitError
from gm.files.commits.steps import (
    Append,
    Create,
    Move,
    Overruled,
    Replace,
    Step,
    carry_out,
    carry_out_all,
    paths_of,
    sha256,
)


def plan_unrecorded(record: CommitRecord, see: See) -> RecoveryPlan:
    """Plan to carry all steps out, if each one fits.

    Raises:
        UnfitError: A step does not fit; nothing of the commit may be written.
    """
    contents: dict[str, bytes | None] = {}
    overruled: list[Overruled] = []

    def read(path: str) -> bytes | None:
        return contents[path] if path in contents else see(path).data

    for step in record.steps:
        if any(see(path).is_odd for path in paths_of(step)) or not _fits(step, read):
            raise UnfitError(f"{step.path} is neither as before the write nor as after it")
        made, left = carry_out_all(step, read)
        contents |= {path: data for path, data in made.items() if data != read(path)}
        overruled += left
    return RecoveryPlan(record, contents, overruled=tuple(overruled))


def _fits(step: Step, read: Callable[[str], bytes | None]) -> bool:
    data = read(step.path)
    match step:
        case Append():
            tail = (data or b"")[step.at :]
            wanted = step.text.encode()
            return len(data or b"") >= step.at and (wanted.startswith(tail) or tail.startswith(wanted))
        case Create():
            return data is None or data == step.text.encode()
        case Replace():
            return data is not None and (sha256(data) == step.old_sha256 or data == step.text.encode())
        case Move():
            there = {*(data or b"").split(b"\n"), *(read(step.to) or b"").split(b"\n")}
            return all(line.encode() in there for line in step.lines)
        case _:
            return not carry_out(step, data)[1]
