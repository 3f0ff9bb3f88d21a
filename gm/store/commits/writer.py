"""All writing of a world's files: one writer at a time, each commit whole or not at all.

A commit is written to the journal, synced, carried out, and noted as done. A process that dies in between leaves a
commit that is not done; the next writer carries it out before anything else. See ``gm/store/README.md`` for what is
promised and how it is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gm.errors import GmError
from gm.regular import open_regular
from gm.store.commits.changes import Prints, describe
from gm.store.commits.journal import Record, boot_id, read_records, to_carry_out, write_done, write_record
from gm.store.commits.lock import locked
from gm.store.commits.review import review
from gm.store.commits.steps import (
    Append,
    Move,
    OneFile,
    Outcome,
    Overruled,
    Restore,
    Step,
    UnreadableError,
    Worked,
    carry_out,
    left_behind,
    paths_of,
    take_lines,
)
from gm.store.commits.still import held
from gm.store.forms import disk
from gm.store.forms.private import make_private
from gm.store.layout import Layout
from gm.store.temporary import remove_orphans


class Writer:
    """Writes to one world. Use ``writing``, which holds the lock and recovers first.

    Attributes:
        recovered: What an earlier command had left unfinished, in words; empty as a rule.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._prints = Prints()
        self._root = str(layout.root)
        self._journal = layout.journal
        self._number = 0
        self._touched: set[str] = set()
        self._unfinished = False
        self.recovered: list[str] = []

    def recover(self) -> None:
        """Finish what an earlier writer could not."""
        records = read_records(self._journal)
        self._number = max((record.number for record in records), default=0)
        for record in records:
            self._touched |= {self._at(path) for step in record.steps for path in paths_of(step)}
        unfinished = to_carry_out(records, boot_id())
        with disk.explained(self._root), held(self._journal, exclusive=True):
            for record in unfinished:
                self._finish(record)
        if records:
            self.settle()

    def commit(self, steps: Sequence[Step], *, recorded: bool = True) -> list[Overruled]:
        """Write steps together.

        Args:
            steps: What to write, paths relative to the world.
            recorded: Put into the world's own record what is changed, so that it can be taken back.

        Returns:
            Values that were left alone because somebody changed them meanwhile.

        Raises:
            GmError: The disk refused. What was begun is finished by the next command that writes.
        """
        if not steps:
            return []
        number = self._number + 1
        with disk.explained(self._root):
            review(self._layout, steps)
            work = Worked()
            steps = [*steps, *self._describe(steps, work)] if recorded else steps
            make_private(self._journal.parent)
            write_record(self._journal, number, steps)
            self._number = number
            self._unfinished = True
            with held(self._journal, exclusive=True):
                overruled = [item for step in steps for item in self._carry_out(step, work)]
                write_done(self._journal, number)
            self._unfinished = False
            for step in steps:
                self._prints.landed(self._at(step.path))
        return overruled

    def _at(self, path: str) -> str:
        return os.path.join(self._root, path)

    def _describe(self, steps: Sequence[Step], work: Worked) -> list[Step]:
        try:
            described = describe(self._layout, steps, self._prints, work)
        except OSError:
            return []  # a file that cannot be read: there is no way back over this commit, and it is done all the same
        if described is None:
            return []
        path, line = described
        return [append_step(self._layout, path, [line])]

    def settle(self) -> None:
        """Sync everything that was written, and empty the journal; not while something in it is unfinished."""
        if self._unfinished or not (self._touched or self._number):
            return
        with disk.explained(self._root):
            disk.sync(sorted(self._touched))
            disk.truncate(self._journal, 0)
        self._touched.clear()
        self._number = 0

    def _finish(self, record: Record) -> None:
        overruled = [item for step in record.steps for item in self._carry_out(step, carry_out)]
        if not record.done:
            write_done(self._journal, record.number)
            files = "1 file" if len(record.steps) == 1 else f"{len(record.steps)} files"
            self.recovered.append(f"finished an interrupted write of {files}")
        self.recovered += [str(item) for item in overruled]

    def _move(self, step: Move) -> list[Overruled]:
        source = self._at(step.path)
        taken = take_lines(step, disk.read(source) or b"")
        if taken.added.text:
            self._carry_out(taken.added, carry_out)  # first: a line may be in both files for a moment, never in none
            self._touched.add(source)
            disk.replace(source, taken.rest)
        target = disk.read(self._at(step.to)) if taken.missing else None
        return left_behind(step, taken, target or b"")

    def _carry_out(self, step: Step, work: Callable[[OneFile, bytes | None], Outcome]) -> list[Overruled]:
        if isinstance(step, Move):
            return self._move(step)
        target = self._at(step.path)
        self._touched.add(target)
        if isinstance(step, Append) and (size := disk.size_of(target)) == step.at:
            if not size:
                disk.make_folder(os.path.dirname(target))
            disk.append(target, step.text.encode())  # the usual case, without reading the file
            return []
        old = disk.read(target)
        try:
            new, overruled = work(step, old)
        except UnreadableError as error:
            raise GmError(
                f"an interrupted write cannot be finished: {error}",
                "correct the file by hand, then run the command again",
            ) from error
        if new is not None and old is None:
            disk.make_folder(os.path.dirname(target))
        if new is None and old is not None and isinstance(step, Restore):
            disk.remove(target)
        if new is not None and new != old:
            if isinstance(step, Append) and old is not None:
                disk.append(target, new[len(old) :])
            else:
                disk.replace(target, new)
        return overruled


@contextmanager
def writing(layout: Layout, command: str) -> Iterator[Writer]:
    """Hold the lock of a world, finish what an earlier command could not, and write.

    Args:
        layout: The world.
        command: What is being done, for those who come too late.

    Raises:
        LockedError: Another process writes to the world.
    """
    remove_orphans()
    with locked(layout.lock, command):
        writer = Writer(layout)
        writer.recover()
        try:
            yield writer
        except BaseException:
            with suppress(GmError):
                writer.settle()
            raise
        writer.settle()


def append_step(layout: Layout, path: Path, lines: Sequence[str]) -> Append:
    """Make the step that appends lines to a file, in the file's own line ends."""
    size = disk.size_of(path)
    end = _read_end(path, size)
    newline = "\r\n" if b"\r\n" in end else "\n"
    text = "".join(line + newline for line in lines)
    if end and not end.endswith(b"\n"):
        text = newline + text
    return Append(layout.shown(path), size, text)


def move_step(layout: Layout, path: Path, to: Path, lines: Sequence[str]) -> Move:
    """Make the step that takes whole lines out of one file and appends them to another."""
    size = disk.size_of(to)
    end = _read_end(to, size)
    gap = "\n" if end and not end.endswith(b"\n") else ""
    return Move(layout.shown(path), layout.shown(to), size, gap, tuple(lines))


def _read_end(path: Path, size: int) -> bytes:
    if not size:
        return b""
    with open(path, "rb", buffering=0, opener=open_regular) as file:
        file.seek(max(0, size - 4096))
        return file.readall()
