"""Finish interrupted commits as ``recovery`` decides."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from gm.base.errors import GmError
from gm.base.texts import counted
from gm.files.commits.findings import FileOnDisk, see_at
from gm.files.commits.journal import KEPT_ASIDE, CommitRecord, aside_place, boot_id, write_done, write_stays
from gm.files.commits.recovery import RecoveryPlan, plan_recovery, to_decide
from gm.files.commits.steps import Append, BrokenFileError, Move, paths_of
from gm.files.formats import disk
from gm.files.layout import Layout


def finish(layout: Layout, records: Sequence[CommitRecord]) -> list[str]:
    """Finish the commits of a journal, without overwriting edits by the user.

    Returns:
        What was done and what stays, for the user.

    Raises:
        GmError: A file is broken and must be repaired first, or keeps changing.
        UnfitError: The journal belongs to another state of the world; nothing was written.
    """
    root = str(layout.root)
    see = cache(see_at(root))
    try:
        plans = plan_recovery(to_decide(records, boot_id(), disk.stamp_of(layout.journal) or (0, 0, 0)), see)
    except BrokenFileError as error:
        raise cannot_finish(error) from error
    kept = [note for plan in plans for note in _keep_aside(layout, plan)]  # all of it, before any file is touched
    said: list[str] = []
    # once each, as the last commit leaves it: after a kill, a file that is between two commits would look like an edit
    last = {path: plan for plan in plans for path in plan.contents}
    for plan in plans:
        appended = {paths_of(step)[-1] for step in plan.record.steps if isinstance(step, Append | Move)}
        for path, data in plan.contents.items():
            if last[path] is plan:
                _bring_file(root, path, data, see(path), appends=path in appended)
        if not plan.record.done:
            write_done(layout.journal, plan.record.number)
            said.append(f"finished an interrupted write of {counted(len(plan.record.steps), 'file')}")
        said += [str(item) for item in plan.overruled]
    return [*said, *dict.fromkeys(kept)]


def _keep_aside(layout: Layout, plan: RecoveryPlan) -> list[str]:
    notes = []
    for path, data in plan.aside.items():
        place = aside_place(layout, path, data)
        if disk.read_or_none(place) is None:
            disk.make_folder_synced(place.parent)
            disk.replace_synced(place, data)
        notes.append(
            f"{path} was changed after an interrupted write and stays as it is; what gm had still to write "
            f"there is kept in {layout.shown(place)}: copy it by hand if you want it"
        )
    if plan.stays:
        write_stays(layout.journal, plan.record.number, sorted({*plan.record.stays, *plan.stays}))
    folder = layout.derived / KEPT_ASIDE
    for path in sorted(plan.record.stays):
        if any(folder.glob(f"*/{path}")):
            notes.append(f"{path} stays as it is; what gm had still to write there is kept in {layout.shown(folder)}")
    return notes


def _bring_file(root: str, path: str, data: bytes | None, seen: FileOnDisk, *, appends: bool) -> None:
    """Write what was decided.

    Args:
        appends: Whether the commit appends lines; to a recovery after a kill, half of other text is an edit.

    Raises:
        GmError: The file was saved since it was read; the next command decides again.
    """
    target = os.path.join(root, path)
    if seen.data is not None and (disk.stamp_of(target) or (0, 0))[:2] != seen.stamp:
        raise keeps_changing(path)
    if data is None:
        disk.remove(target)
    elif appends and seen.data is not None and data.startswith(seen.data):
        disk.append(target, data[len(seen.data) :])
    else:
        disk.make_folder_synced(os.path.dirname(target))
        disk.replace(target, data)


def cannot_finish(error: BrokenFileError) -> GmError:
    """Return the error for a write that waits for a broken file."""
    return GmError(f"a write cannot be finished: {error}", "correct the file by hand, then run the command again")


def keeps_changing(path: str) -> GmError:
    """Return the error for a file that was saved again each time it was read."""
    return GmError(f"{path} keeps changing: another program saves it", "close it there, then run the command again")
