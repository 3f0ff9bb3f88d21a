"""All writing of a world's files: one writer at a time, each commit whole or not at all (``README.md``).

The next writer first finishes an interrupted commit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from gm.base.errors import GmError
from gm.base.texts import counted
from gm.files import relative_paths
from gm.files.commits import changes, journal, lock, stepeffects
from gm.files.commits.findings import FileOnDisk, see_at
from gm.files.commits.journal import KEPT_ASIDE, CommitRecord, aside_place, boot_id, write_done, write_stays
from gm.files.commits.recovery import RecoveryPlan, plan_recovery, to_decide
from gm.files.commits.steps import (
    Append,
    BrokenFileError,
    CachedSteps,
    Move,
    OneFile,
    Outcome,
    Overruled,
    Step,
    append_step,
    carry_out,
    carry_out_all,
    find_left_behind,
    paths_of,
    take_lines,
)
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.uncommitted.temporary import remove_orphans


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """The change of one file by a commit; content None = absent."""

    path: str
    old: bytes | None
    new: bytes | None


Reviewer = Callable[[Sequence[ReviewedFile], Sequence[Overruled]], None]
"""Called with every commit under the lock; an exception prevents the commit."""

_reviewer: ContextVar[Reviewer | None] = ContextVar("reviewer", default=None)
"""Set by ``reviewing`` alone, for its block and thread."""


@contextmanager
def reviewing(reviewer: Reviewer) -> Iterator[None]:
    """Call ``reviewer`` before each commit of this thread, with its changes and the values left alone."""
    token = _reviewer.set(reviewer)
    try:
        yield
    finally:
        _reviewer.reset(token)


def review(layout: Layout, steps: Sequence[Step]) -> None:
    """Pass a commit to the function of ``reviewing``, if there is one."""
    reviewer = _reviewer.get()
    if reviewer is None:
        return
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    overruled: list[Overruled] = []

    def read(path: str) -> bytes | None:
        if path not in before:
            before[path] = disk.read_or_none(layout.root / path)
        return after.get(path, before[path])

    for step in steps:
        with suppress(BrokenFileError):  # reported, with its place, when it is carried out
            contents, left = carry_out_all(step, read)
            after |= contents
            overruled += left
    reviewer([ReviewedFile(path, before.get(path), new) for path, new in after.items()], overruled)


MOST_TRIES = 20
"""Retries of a change when the file is saved by another program at the same time."""


class Writer:
    """Writes to one world; created by ``writing``, which holds the lock and recovers first.

    Attributes:
        notes: On interrupted commits, and on commits that cannot be undone.
    """

    def __init__(self, layout: Layout, notice: Callable[[str], None] | None = None) -> None:
        self._layout = layout
        self._prints = changes.Prints()
        self._root = str(layout.root)
        self._journal = layout.journal
        self._number = 0
        self._touched: set[str] = set()
        self._unfinished = False
        self._notice = notice
        self.notes: list[str] = []

    def _note(self, text: str) -> None:
        self.notes.append(text)
        if self._notice:
            self._notice(text)

    def recover(self) -> None:
        """Finish interrupted commits, without overwriting edits by the user.

        Raises:
            GmError: The journal was refused and set aside; or a file is broken and must be repaired first.
        """
        with disk.explained(self._root):
            records = journal.read_trusted(self._layout)
            self._number = max((record.number for record in records), default=0)
            for record in records:
                self._touched |= {self._path_of(path) for step in record.steps for path in paths_of(step)}
            try:
                with lock.held(self._journal, exclusive=True):
                    for note in finish(self._layout, records):
                        self._note(note)
            except stepeffects.UnfitError as error:
                aside = self._layout.shown(journal.rename_refused(self._journal))
                self._note(f"an interrupted write was not finished: {error}; it is kept as {aside}")
                self._touched.clear()
                self._number = 0
        self.settle()

    def commit(self, steps: Sequence[Step], *, recorded: bool = True) -> list[Overruled]:
        """Write steps as one commit.

        Args:
            recorded: Whether the changes can be undone later.

        Returns:
            Values left alone because the user changed them meanwhile.

        Raises:
            GmError: The disk refused; the next command that writes finishes the commit.
        """
        if not steps:
            return []
        if self._unfinished:
            self._unfinished = False
            self.recover()
        number = self._number + 1
        with disk.explained(self._root):
            review(self._layout, steps)
            steps, left = self._as_found(steps)
            work = CachedSteps()
            described = self._describe(steps, work, recorded=recorded)
            if recorded and described and (entry := changes.render_entry(self._layout, steps, described)):
                steps = [*steps, append_step(self._layout, entry[0], [entry[1]])]
            self._refuse_ways_out(steps)
            disk.make_private(self._journal.parent)
            journal.write_record(self._journal, number, steps, *self._journal_notes(steps, described))
            self._number = number
            self._unfinished = True
            with lock.held(self._journal, exclusive=True):
                overruled = [item for step in steps for item in self._carry_out(step, work)]
                journal.write_done(self._journal, number)
            self._unfinished = False
            self._prints.landed([self._path_of(step.path) for step in steps])
        return [*left, *overruled]

    def _refuse_ways_out(self, steps: Sequence[Step]) -> None:
        for path in [path for step in steps for path in paths_of(step)]:
            if link := relative_paths.way_out(self._root, path):
                raise GmError(
                    f"{path} leads out of the world: {link} is a link",
                    "put the file or the folder itself in its place; nothing was written",
                )

    def _as_found(self, steps: Sequence[Step]) -> tuple[list[Step], list[Overruled]]:
        found: list[Step] = []
        left: list[Overruled] = []
        for step in steps:
            if isinstance(step, Move):
                taken = take_lines(step, disk.read_or_none(self._path_of(step.path)) or b"")
                if taken.missing:
                    left += find_left_behind(step, taken, disk.read_or_none(self._path_of(step.to)) or b"")
                    step = replace(step, lines=[line for line in step.lines if line not in taken.missing])
            found.append(step)
        return found, left

    def _describe(self, steps: Sequence[Step], work: CachedSteps, *, recorded: bool) -> changes.CommitEffects | None:
        try:
            return changes.describe_commit(self._layout, steps, self._prints, work)
        except BrokenFileError as error:
            raise cannot_finish(error) from error
        except OSError as error:  # the commit is done all the same
            if recorded:
                shown = self._layout.shown(Path(os.fsdecode(error.filename or self._root)))
                self._note(f"{shown} cannot be read ({error.strerror}): gm rewind cannot go back over what is written")
            return None

    def _journal_notes(
        self, steps: Sequence[Step], described: changes.CommitEffects | None
    ) -> tuple[Mapping[str, journal.FileSides], tuple[journal.ClockState, journal.ClockState]] | tuple[()]:
        if described is None:
            return ()
        sides = dict(described.sides)
        entry = steps[-1]
        if isinstance(entry, Append) and entry.path not in sides:
            change = changes.append_change(entry, self._root, self._prints)
            if change is not None:
                sides |= changes.sides_of(self._root, [change])
        return sides, described.clock

    def _path_of(self, path: str) -> str:
        return os.path.join(self._root, path)

    def settle(self) -> None:
        """Sync all written files and empty the journal, unless a commit is unfinished."""
        if self._unfinished or not (self._touched or self._number):
            return
        with disk.explained(self._root):
            disk.sync(sorted(self._touched))
            disk.truncate(self._journal, 0)
        self._touched.clear()
        self._number = 0

    def _move(self, step: Move) -> list[Overruled]:
        source = self._path_of(step.path)
        self._touched.add(source)
        for _ in range(MOST_TRIES):
            stamp = disk.stamp_of(source)
            taken = take_lines(step, disk.read_or_none(source) or b"")
            if taken.added.text:
                # first: a line may be in both files for a moment, never in none
                self._carry_out(taken.added, carry_out)
            if not taken.added.text or disk.replace(source, taken.rest, seen=stamp):
                target = disk.read_or_none(self._path_of(step.to)) if taken.missing else None
                return find_left_behind(step, taken, target or b"")
        raise keeps_changing(step.path)

    def _carry_out(self, step: Step, work: Callable[[OneFile, bytes | None], Outcome]) -> list[Overruled]:
        if isinstance(step, Move):
            return self._move(step)
        target = self._path_of(step.path)
        self._touched.add(target)
        if isinstance(step, Append) and (size := disk.size_of(target)) == step.at:
            if not size:
                disk.make_folder_synced(os.path.dirname(target))
            disk.append(target, step.text.encode())  # the usual case, without reading the file
            return []
        for _ in range(MOST_TRIES):
            stamp = disk.stamp_of(target)
            old = disk.read_or_none(target)
            try:
                new, overruled = work(step, old)
            except BrokenFileError as error:
                raise cannot_finish(error) from error
            if new == old:
                return overruled
            if new is None:
                if disk.remove(target, seen=stamp):
                    return overruled
                continue
            if isinstance(step, Append) and old is not None:
                disk.append(target, new[len(old) :])
                return overruled
            if old is None:
                disk.make_folder_synced(os.path.dirname(target))
            if disk.replace(target, new, seen=stamp):
                return overruled
        raise keeps_changing(step.path)


@contextmanager
def writing(layout: Layout, command: str, notice: Callable[[str], None] | None = None) -> Iterator[Writer]:
    """Take the lock of a world, recover, yield a writer, and settle.

    Args:
        command: Shown to processes that meet the lock.
        notice: Called with each of the writer's notes.

    Raises:
        LockedError: Another process writes to the world.
        GmError: The folder of the lock is a link, or the journal was refused.
    """
    remove_orphans()
    if link := relative_paths.way_out(str(layout.root), layout.shown(layout.derived)):
        raise GmError(f"{link} is a link", "put the folder itself in its place: lock and journal are kept there")
    with lock.locked(layout.lock, command):
        writer = Writer(layout, notice)
        writer.recover()
        try:
            yield writer
        except BaseException:
            with suppress(GmError):
                writer.settle()
            raise
        writer.settle()


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
