"""Decide from file contents alone how to finish interrupted commits.

``DECISIONS`` says it all: how a file is found × what is known about the order of the steps → what happens.
A file that is neither as before a commit nor as after it was edited by the user and stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from gm.files import relative_paths
from gm.files.commits import steps
from gm.files.commits.changes import parse_clock
from gm.files.commits.findings import FileOnDisk, FileState, FoundFile, Journal, Order, See, find, orders_of
from gm.files.commits.journal import CommitRecord
from gm.files.commits.stepeffects import FileEffect, UnfitError, effects_of
from gm.files.formats import disk
from gm.files.formats.text import sha256


class FileRecovery(Enum):
    """What happens to a file of an interrupted commit."""

    LEAVE = "leave"
    FINISH = "finish"
    MEND = "mend"
    MERGE = "merge"
    STAY = "stay"
    ASIDE = "aside"


LEAVE, FINISH, MEND, MERGE, STAY, ASIDE = FileRecovery
DECISIONS: Mapping[FileState, Mapping[Order, FileRecovery]] = {
    state: dict(zip(Order, actions, strict=True))
    for state, *actions in (
        # reached, unreached, unknown, finished
        (FileState.AFTER, LEAVE, LEAVE, LEAVE, LEAVE),
        (FileState.BEFORE, FINISH, FINISH, FINISH, FINISH),
        (FileState.CUT, LEAVE, FINISH, FINISH, FINISH),
        (FileState.SHORT, LEAVE, FINISH, ASIDE, ASIDE),
        (FileState.BROKEN, LEAVE, MEND, MEND, MEND),
        (FileState.LINES, LEAVE, MERGE, ASIDE, ASIDE),
        (FileState.UNSET, LEAVE, MERGE, MERGE, STAY),
        (FileState.SET, LEAVE, MERGE, STAY, STAY),
        (FileState.SOURCE, LEAVE, MERGE, MERGE, STAY),
        (FileState.WHOLE, LEAVE, MERGE, ASIDE, STAY),
        (FileState.ODD_LINES, LEAVE, ASIDE, ASIDE, ASIDE),
        (FileState.ODD, LEAVE, ASIDE, ASIDE, STAY),
    )
}


@dataclass(frozen=True, slots=True)
class RecoveryPlan:
    """The decision about one commit.

    Attributes:
        contents: Content to write by path, in order; None = remove.
        aside: Content by path to be kept aside for the user.
        stays: Paths that no later recovery decides about again.
        overruled: Values left alone because the user changed them.
    """

    record: CommitRecord
    contents: Mapping[str, bytes | None]
    aside: Mapping[str, bytes] = field(default_factory=dict)
    stays: tuple[str, ...] = ()
    overruled: tuple[steps.Overruled, ...] = ()


def to_decide(records: Sequence[CommitRecord], boot: str, stamp: disk.FileStamp) -> Journal:
    """Select the records to decide about.

    After a power failure, files of finished commits may have lost their unsynced end.
    """
    return Journal([record for record in records if not record.done or record.boot != boot], boot, stamp)


def plan_recovery(journal: Journal, see: See) -> list[RecoveryPlan]:
    """Decide about each record, in order. Writes nothing.

    Raises:
        UnfitError: The journal belongs to another state of the world, or its writes were reverted.
        BrokenFileError: A file with values to change is broken.
    """
    seen: dict[str, FileOnDisk] = {}

    def known(path: str) -> FileOnDisk:
        if path not in seen:
            seen[path] = see(path)
        return seen[path]

    _check_clock(journal, known)
    effects = [effects_of(record) for record in journal.records]
    plans = []
    for place, record in enumerate(journal.records):
        recorded = record.sides is not None
        plan = _plan_recorded(journal, record, effects[place:], known) if recorded else _plan_unrecorded(record, known)
        seen |= {path: FileOnDisk(data, known(path).stamp) for path, data in plan.contents.items()}
        plans.append(plan)
    return plans


def _check_clock(journal: Journal, see: See) -> None:
    """Raise UnfitError if another state of the world was restored."""
    clocks = [record.clock for record in journal.records if record.clock is not None]
    if not clocks:
        return
    file = see(relative_paths.CLOCK)
    if (file.data or b"").strip():
        try:
            json.loads((file.data or b"").decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise steps.BrokenFileError(f"{relative_paths.CLOCK} cannot be read: {error}") from error
    now = parse_clock(file.data)
    fits = now in clocks[-1]
    if not fits and not journal.in_order(journal.records[-1]) and file.stamp[1] <= journal.stamp[1]:
        fits = any(now in clock for clock in clocks)  # the power failed, and the file lost its last content
    if not fits:
        then = clocks[-1][1]
        raise UnfitError(
            f"the world is at day {now[0]} with {now[2]} scenes in all, and the interrupted write belongs to day "
            f"{then[0]} with {then[2]} scenes"
        )


def _plan_recorded(
    journal: Journal, record: CommitRecord, effects: Sequence[Mapping[str, FileEffect]], see: See
) -> RecoveryPlan:
    """Decide about a record.

    Args:
        effects: Those of the record and of each later one.
    """
    mine = {path: effect for path, effect in effects[0].items() if path not in record.stays}
    found = {path: find(journal, record, [one[path] for one in effects if path in one], see(path)) for path in mine}
    orders = orders_of(journal, record, mine, found)
    if _is_reverted(found, orders):
        raise UnfitError("its writes were reverted")
    contents: dict[str, bytes | None] = {}
    aside: dict[str, bytes] = {}
    stays: list[str] = []
    overruled: list[steps.Overruled] = []
    planned = _as_planned(contents, see)
    for path, effect in mine.items():
        data = see(path).data
        left: tuple[steps.Overruled, ...] = ()
        order = orders[path]
        action = DECISIONS[found[path].state][order]
        match action:
            case FileRecovery.FINISH:
                contents[path] = effect.finish(data, planned)
            case FileRecovery.MEND:
                contents[path] = effect.mend(data)
            case FileRecovery.MERGE:
                merged, left = effect.merge(data, planned)
                if merged != data:
                    contents[path] = merged
                overruled += left
        if action in (MEND, ASIDE) and order is not Order.FINISHED:
            rest = effect.take_arrived(planned(path), planned)
            if rest != planned(path):
                contents[path] = rest
        if action in (STAY, ASIDE) and path not in contents:
            stays.append(path)
        if (action is ASIDE or left) and (unwritten := effect.unwritten(data)) is not None:
            aside[path] = unwritten
    return RecoveryPlan(record, contents, aside, tuple(stays), tuple(overruled))


def _is_reverted(found: Mapping[str, FoundFile], orders: Mapping[str, Order]) -> bool:
    """Return whether old contents were put back into several files, and nothing of the commit is left."""
    put_back = [path for path, one in found.items() if one.has_old_content and one.state is not FileState.BEFORE]
    unproved = [path for path in put_back if orders[path] is Order.UNKNOWN]
    return len(unproved) > 1 and not any(one.shows_commit for one in found.values())


def _plan_unrecorded(record: CommitRecord, see: See) -> RecoveryPlan:
    """Decide about a record without ``sides``: carried out only if each step fits."""
    contents: dict[str, bytes | None] = {}
    overruled: list[steps.Overruled] = []
    read = _as_planned(contents, see)
    for step in record.steps:
        if any(see(path).is_odd for path in steps.paths_of(step)) or not _step_fits(step, read):
            raise UnfitError(f"{step.path} is neither as before the write nor as after it")
        made, left = steps.carry_out_all(step, read)
        contents |= {path: data for path, data in made.items() if data != read(path)}
        overruled += left
    return RecoveryPlan(record, contents, overruled=tuple(overruled))


def _as_planned(contents: Mapping[str, bytes | None], see: See) -> Callable[[str], bytes | None]:
    return lambda path: contents[path] if path in contents else see(path).data


def _step_fits(step: steps.Step, read: Callable[[str], bytes | None]) -> bool:
    data = read(step.path)
    match step:
        case steps.Append():
            tail = (data or b"")[step.at :]
            wanted = step.text.encode()
            return len(data or b"") >= step.at and (wanted.startswith(tail) or tail.startswith(wanted))
        case steps.Create():
            return data is None or data == step.text.encode()
        case steps.Replace():
            return data is not None and (sha256(data) == step.old_sha256 or data == step.text.encode())
        case steps.Move():
            there = {*(data or b"").split(b"\n"), *(read(step.to) or b"").split(b"\n")}
            return all(line.encode() in there for line in step.lines)
        case _:
            return not steps.carry_out(step, data)[1]
