"""Decide from file contents alone how to finish an interrupted commit.

A file that is neither as before the commit nor as after it was edited by the user and stays; gm's content is kept
aside.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from stat import S_ISREG

from gm.base.errors import Problem
from gm.files import inside
from gm.files.commits.changes import clock_of, print_of
from gm.files.commits.journal import FileSides, JournalError, Record, read_records
from gm.files.commits.steps import (
    Append,
    Create,
    Move,
    Overruled,
    Replace,
    Restore,
    SetValues,
    SetYaml,
    Step,
    UnreadableError,
    carry_out,
    carry_out_all,
    line_key,
    missing_tail,
    paths_of,
    sha256,
    take_lines,
)
from gm.files.forms import disk
from gm.files.layout import Layout

AFTER, BEFORE, TOUCHED, TORN, OTHER = "after", "before", "touched", "torn", "other"


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it is on the disk.

    Attributes:
        data: Its content; None = absent.
        look: Inode and mtime in ns; if absent, zero and the mtime of its folder.
        is_odd: Not a regular file inside the world (folder, device, link that leads out); it is left alone.
    """

    data: bytes | None
    look: tuple[int, int] = (0, 0)
    is_odd: bool = False


See = Callable[[str], Seen]


@dataclass(frozen=True, slots=True)
class RecoveryPlan:
    """The decision about one record.

    Attributes:
        contents: Content to write by path, in order; None = remove.
        aside: Content by path to be kept aside for the user.
    """

    record: Record
    contents: Mapping[str, bytes | None]
    aside: Mapping[str, bytes] = field(default_factory=dict)
    stays: tuple[str, ...] = ()
    overruled: tuple[Overruled, ...] = ()


class UnfitError(ValueError):
    """The journal belongs to another state of the world."""


@dataclass(frozen=True, slots=True)
class Journal:
    """What recovery has to decide about: unfinished commits; after a reboot, finished ones as well."""

    records: Sequence[Record]
    boot: str
    look: disk.Look


def to_decide(records: Sequence[Record], boot: str, look: disk.Look) -> Journal:
    """Select the records to decide about.

    After a power failure, files of finished commits may have lost their unsynced end.
    """
    return Journal([record for record in records if not record.done or record.boot != boot], boot, look)


def decide(journal: Journal, see: See) -> list[RecoveryPlan]:
    """Decide about each record, in order. Writes nothing.

    Raises:
        UnfitError: The journal belongs to another state of the world, or its writes were reverted.
        UnreadableError: A file with values to change is broken.
    """
    seen: dict[str, Seen] = {}

    def known(path: str) -> Seen:
        if path not in seen:
            seen[path] = see(path)
        return seen[path]

    _check_clock(journal, known)
    plans = []
    for place, record in enumerate(journal.records):
        plan = _Decision(journal, place, known).plan() if record.sides is not None else _as_it_says(record, known)
        seen |= {path: Seen(data, known(path).look) for path, data in plan.contents.items()}
        plans.append(plan)
    return plans


def _check_clock(journal: Journal, see: See) -> None:
    """Raise UnfitError if another state of the world was restored."""
    clocks = [record.clock for record in journal.records if record.clock is not None]
    if not clocks:
        return
    file = see(inside.CLOCK)
    if (file.data or b"").strip():
        try:
            json.loads((file.data or b"").decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"{inside.CLOCK} cannot be read: {error}") from error
    now = clock_of(file.data)
    fits = now in clocks[-1]
    if not fits and journal.records[-1].boot != journal.boot and file.look[1] <= journal.look[1]:
        fits = any(now in clock for clock in clocks)  # the power failed, and the file lost its last content
    if not fits:
        then = clocks[-1][1]
        raise UnfitError(
            f"the world stands at day {now[0]} with {now[2]} scenes in all, and the interrupted write belongs to day "
            f"{then[0]} with {then[2]} scenes"
        )


@dataclass(slots=True)
class _Decision:
    """The decision about a record.

    A step was carried out before the user edited its file if a later step is done, or if the file has lines of the
    commit or their ids. A file with its old content but another inode or mtime was written by another program.
    The place of a step is 2 × its number; a move changes its source at the place after its target.
    """

    journal: Journal
    place: int
    see: See
    contents: dict[str, bytes | None] = field(default_factory=dict)
    aside: dict[str, bytes] = field(default_factory=dict)
    stays: list[str] = field(default_factory=list)
    overruled: list[Overruled] = field(default_factory=list)

    @property
    def record(self) -> Record:
        return self.journal.records[self.place]

    @property
    def in_order(self) -> bool:
        """Whether a step that is done proves the earlier ones; a power failure may lose any write."""
        return self.record.boot == self.journal.boot

    def plan(self) -> RecoveryPlan:
        sides = self.record.sides or {}
        places = _places(self.record)
        names = [path for path in places if path in sides and path not in self.record.stays]
        states = {path: self._state(path) for path in names}
        done_to, from_ = self._order(names, places, states)
        doubtful = []
        for path in names:
            state, (first, last) = states[path], places[path]
            reached = self.in_order and last <= done_to
            unreached = self.in_order and first >= from_
            if state == AFTER or (reached and state != BEFORE):
                continue
            if state == OTHER and (mended := self._mended(path)) is not None:
                self.contents[path] = mended
            elif state == BEFORE or (state == TORN and (unreached or self._is_cut(path))):
                self.contents[path] = self._after(path)
            elif unreached:
                self._write_on_top(path)
            else:
                doubtful.append(path)
        taken_back = [path for path in doubtful if states[path] == TOUCHED]
        if (
            len(taken_back) > 1
            and not self.record.done
            and not any(self._is_visible(path, states[path]) for path in names)
        ):
            raise UnfitError("what had been written of it was taken back")
        for path in doubtful:
            self._doubt(path)
        order = {path: self.contents[path] for path in names if path in self.contents}
        return RecoveryPlan(self.record, order, self.aside, tuple(self.stays), tuple(self.overruled))

    def _state(self, path: str) -> str:
        seen = self.see(path)
        if seen.is_odd:
            return OTHER
        mark = print_of(seen.data)
        later = [sides for record in self.journal.records[self.place :] if (sides := (record.sides or {}).get(path))]
        if any(sides.after == mark for sides in later) or any(sides.before == mark for sides in later[1:]):
            return AFTER
        side = later[0]
        if mark == side.before:
            return TOUCHED if self._is_touched(side, seen) else BEFORE
        torn = [self._is_torn(number, path) for number in range(self.place, len(self.journal.records))]
        if any(torn[1:]):
            return AFTER
        by_us = self.in_order or not self._is_touched(side, seen) or (seen.data or b"").endswith(b"\0")
        return TORN if torn[0] and by_us else OTHER

    def _is_touched(self, side: FileSides, seen: Seen) -> bool:
        if self.record.inode != self.journal.look[0]:
            return False  # the world was copied: looks are meaningless
        if seen.data is None and not self.record.done:
            return False  # an absent file has no look: it was not created yet
        is_newer = self.in_order or seen.look[1] > self.journal.look[1]
        return seen.look != side.look and is_newer

    def _is_torn(self, number: int, path: str) -> bool:
        record = self.journal.records[number]
        side = (record.sides or {}).get(path)
        data = self.see(path).data or b""
        if side is None or side.at < 0 or len(data) < side.at:
            return False
        tail = data[side.at :].rstrip(b"\0")
        added = _added(record, path)
        is_part = len(tail) < len(added) and added.startswith(tail)
        return is_part and print_of(data[: side.at]) in (side.before, side.before or print_of(b""))

    def _is_cut(self, path: str) -> bool:
        """Return whether a torn append ends inside a line or in zeros."""
        data = self.see(path).data or b""
        return not data.endswith(b"\n") or not self._own_lines(path)[1]

    def _order(
        self, names: Sequence[str], places: Mapping[str, tuple[int, int]], states: Mapping[str, str]
    ) -> tuple[int, int]:
        """Return the last place known to be done, and the first known not to be."""
        done_to = max((places[path][1] for path in names if states[path] == AFTER), default=-1)
        open_ = [places[path][0] for path in names if states[path] == BEFORE and places[path][0] > done_to]
        from_ = min(open_, default=2 * len(self.record.steps))
        begun = [places[path][0] for path in names if self._is_visible(path, states[path])]
        return max([done_to, *(place - 1 for place in begun if place < from_)]), from_

    def _is_visible(self, path: str, state: str) -> bool:
        return state in (AFTER, TORN) or (state == OTHER and bool(self._own_lines(path)[0]))

    def _own_lines(self, path: str) -> tuple[list[bytes], list[bytes]]:
        """Return the appended lines, split into present (by bytes or id) and missing."""
        lines = (self.see(path).data or b"").split(b"\n")
        there = {*lines, *filter(None, map(line_key, lines))}
        wanted = [line for line in _added(self.record, path).split(b"\n") if line.strip()]
        found = [line for line in wanted if line in there or line_key(line) in there]
        return found, [line for line in wanted if line not in found]

    def _mended(self, path: str) -> bytes | None:
        """Complete an append that broke off inside a line; the user edited the file elsewhere."""
        data = (self.see(path).data or b"").rstrip(b"\0")
        begun = data.rpartition(b"\n")[2]
        missing = self._own_lines(path)[1]
        place = next((number for number, line in enumerate(missing) if begun and line.startswith(begun)), None)
        if place is None:
            return None
        return data[: len(data) - len(begun)] + b"".join(line + b"\n" for line in missing[place:])

    def _after(self, path: str) -> bytes | None:
        side = (self.record.sides or {})[path]
        data = self.see(path).data
        if data is not None and print_of(data) != side.before:
            data = data[: side.at]
        new = _fold(self.record, path, data)
        if print_of(new) != side.after:
            raise UnfitError(f"{path} does not become what it says")
        return new

    def _write_on_top(self, path: str) -> None:
        seen = self.see(path)
        if seen.is_odd:
            self._doubt(path)
            return
        data = seen.data
        if _added(self.record, path):
            if missing := self._own_lines(path)[1]:
                gap = b"\n" if data and not data.endswith(b"\n") else b""
                self.contents[path] = (data or b"") + gap + b"".join(line + b"\n" for line in missing)
            return
        for step in self.record.steps:
            if isinstance(step, Move) and path == step.path:
                data = self._moved(step, data or b"")
            elif not isinstance(step, Move) and path == step.path:
                data, overruled = carry_out(step, data)
                self.overruled += overruled
        if data != seen.data:
            self.contents[path] = data
        if any(item.path == path for item in self.overruled):
            self.aside[path] = _shown(self.record, path)

    def _moved(self, step: Move, source: bytes) -> bytes:
        target = self.contents.get(step.to, self.see(step.to).data) or b""
        lines = target.split(b"\n")
        there = {*lines, *filter(None, map(line_key, lines))}
        gone = [line for line in step.lines if line.encode() in there or line_key(line.encode()) in there]
        return take_lines(Move(step.path, step.to, 0, "", gone), source).rest

    def _doubt(self, path: str) -> None:
        """Leave a file if nothing proves that the commit had reached it."""
        seen = self.see(path)
        self.stays.append(path)
        if _added(self.record, path):
            if missing := self._own_lines(path)[1]:
                self.aside[path] = b"".join(line + b"\n" for line in missing)
            return
        steps = [step for step in self.record.steps if path == step.path]
        if self.record.done:
            return
        if steps and not seen.is_odd and all(isinstance(step, SetValues | SetYaml) for step in steps):
            if not any(_is_set(step, seen.data) for step in steps):
                self.stays.remove(path)
                self._write_on_top(path)
            return
        if any(isinstance(step, Move) for step in steps):
            self.stays.remove(path)
            self._write_on_top(path)
            return
        self.aside[path] = _shown(self.record, path)


def _places(record: Record) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for number, step in enumerate(record.steps):
        for place, path in enumerate((step.to, step.path) if isinstance(step, Move) else (step.path,), 2 * number):
            found[path] = (found.get(path, (place, place))[0], place)
    return found


def _added(record: Record, path: str) -> bytes:
    parts = []
    for step in record.steps:
        if isinstance(step, Append) and step.path == path:
            parts.append(step.text)
        if isinstance(step, Move) and step.to == path:
            parts.append(step.gap + "".join(f"{line}\n" for line in step.lines))
    return "".join(parts).encode()


def _fold(record: Record, path: str, data: bytes | None) -> bytes | None:
    for step in record.steps:
        if isinstance(step, Move) and step.to == path:
            added = Append(path, step.at, step.gap + "".join(f"{line}\n" for line in step.lines))
            data = (data or b"") + missing_tail(added, data or b"")
        elif isinstance(step, Move) and step.path == path:
            data = take_lines(step, data or b"").rest
        elif not isinstance(step, Move) and step.path == path:
            data = carry_out(step, data)[0]
    return data


def _is_set(step: Step, data: bytes | None) -> bool:
    if not isinstance(step, SetValues | SetYaml):
        return False
    changed = {key: value for key, value in step.new.items() if key not in step.old or step.old[key] != value}
    for key, value in changed.items():
        one = SetValues(step.path, {}, {key: value}, step.inside) if isinstance(step, SetValues) else None
        done = carry_out(one or SetYaml(step.path, {key: value}, {key: value}), data)[0]
        if done == data:
            return True
    return False


def _shown(record: Record, path: str) -> bytes:
    parts = []
    for step in record.steps:
        if isinstance(step, Create | Replace | Restore) and step.path == path:
            parts.append(step.text)
        elif isinstance(step, SetValues | SetYaml) and step.path == path:
            parts.append(json.dumps(dict(step.new), indent=4) + "\n")
    return "".join(parts).encode()


def _as_it_says(record: Record, see: See) -> RecoveryPlan:
    """Decide about a record without ``sides``: carried out only if each step fits."""
    contents: dict[str, bytes | None] = {}
    overruled: list[Overruled] = []

    def read(path: str) -> bytes | None:
        return contents[path] if path in contents else see(path).data

    for step in record.steps:
        if any(see(path).is_odd for path in paths_of(step)) or not _fits(step, read):
            raise UnfitError(f"{step.path} is neither as it was before nor as it is after it")
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


def see_at(root: str) -> See:
    """Return a function that reads the files of a world."""

    def see(path: str) -> Seen:
        place = os.path.join(root, path)
        try:
            status = os.stat(place)
        except FileNotFoundError:
            return Seen(None, (0, _changed(os.path.dirname(place))), bool(inside.way_out(root, path)))
        except NotADirectoryError:
            return Seen(None)
        if not S_ISREG(status.st_mode) or inside.way_out(root, path):
            return Seen(None, is_odd=True)
        return Seen(disk.read(place), (status.st_ino, status.st_mtime_ns))

    return see


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def read_journal(layout: Layout) -> list[Record]:
    """Read the journal of a world and check where its paths lead.

    Raises:
        JournalError: It is malformed, or a path leads out of the world.
        OSError: It cannot be read.
    """
    records = read_records(layout.journal)
    for record in records:
        for path in (path for step in record.steps for path in paths_of(step)):
            try:
                link = inside.way_out(str(layout.root), path)
            except OSError as error:
                raise JournalError(record.line, f"{path} leads nowhere: {error.strerror}") from error
            if link:
                raise JournalError(record.line, f"{path} leads out of the world: {link} is a link")
    return records


def journal_problems(layout: Layout) -> list[Problem]:
    """Return the problems of the journal, for ``gm check``."""
    try:
        read_journal(layout)
    except JournalError as error:
        hint = "the next command that writes sets it aside, and writes nothing of it"
        return [refused(layout, error, hint)]
    except OSError:
        pass  # reported by the next command that writes
    return []


def refused(layout: Layout, error: JournalError, hint: str = "") -> Problem:
    """Return the problem of a malformed journal."""
    return Problem(layout.shown(layout.journal), error.line, 0, "error", "journal-refused", error.found, hint)
