"""What becomes of a commit that an earlier command left behind: decided from contents alone, for writers and readers.

Each file that a record names is compared with what it was before the commit and what it is after it. What is neither is
a person's, and stays: what we wanted to write there is kept aside. Three things tell whether a step was carried out
before a person edited its file: steps are carried out one after the other, so that a file in which a later step is
done proves the earlier ones; lines of ours, or lines with their ids, stand in the file; a file that has our content
from before, but another inode or time, was written by another program since.
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
from gm.files.commits.journal import JournalError, Record, Sides, read_records
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
        data: Its content; None = there is no file.
        look: Inode and time of the last change in nanoseconds; of an absent file, zero and the time of its folder.
        is_odd: It is no file of the world: a folder, a device, or behind a link that leads out. It stays as it is.
    """

    data: bytes | None
    look: tuple[int, int] = (0, 0)
    is_odd: bool = False


See = Callable[[str], Seen]


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of one record.

    Attributes:
        record: The record.
        contents: What is to be in the files, in the order in which they are to be written; None = no file.
        aside: What is not written, by path: it is kept aside for a person.
        stays: Files that a person has changed, and that stay as they are.
        overruled: Values that were left alone because a person changed them.
    """

    record: Record
    contents: Mapping[str, bytes | None]
    aside: Mapping[str, bytes] = field(default_factory=dict)
    stays: tuple[str, ...] = ()
    overruled: tuple[Overruled, ...] = ()


class UnfitError(ValueError):
    """The journal belongs to another state of the world: nothing of it can be written."""


@dataclass(frozen=True, slots=True)
class Journal:
    """What of the journal has to be looked at.

    Attributes:
        records: What was not finished, and, if the machine went down since, all of it.
        boot: Name of the time since the machine was started.
        look: How the journal itself looks.
    """

    records: Sequence[Record]
    boot: str
    look: disk.Look


def to_decide(records: Sequence[Record], boot: str, look: disk.Look) -> Journal:
    """Choose the records that have to be looked at.

    Files that were written without being synced may have lost their end when the power failed: then those of finished
    commits are looked at as well.
    """
    return Journal([record for record in records if not record.done or record.boot != boot], boot, look)


def decide(journal: Journal, see: See) -> list[Plan]:
    """Decide what becomes of each record, in order. Writes nothing.

    Args:
        journal: What has to be looked at.
        see: Shows a file as it is.

    Raises:
        UnfitError: The journal belongs to another state of the world, or was taken back.
        UnreadableError: A person has broken a file in which values have to be changed.
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
    """Refuse a journal that belongs to another state of the world: another one was checked out, or brought back."""
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
    """Decides about one record that says what becomes of its files.

    A step has a place: 2 × its number. A move changes its second file at that place, and its first file at the next.
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
        """Whether a step that is done proves the earlier ones: not after a power failure, which may lose any write."""
        return self.record.boot == self.journal.boot

    def plan(self) -> Plan:
        """Decide about each file."""
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
        return Plan(self.record, order, self.aside, tuple(self.stays), tuple(self.overruled))

    def _state(self, path: str) -> str:
        """Compare a file with what the record says of it, and with what later records do."""
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

    def _is_touched(self, side: Sides, seen: Seen) -> bool:
        """Return whether another program wrote a file since: it has the old content, and another inode or time."""
        if self.record.inode != self.journal.look[0]:
            return False  # the world was copied: looks say nothing
        if seen.data is None and not self.record.done:
            return False  # an absent file looks like no other: it was not made yet
        is_newer = self.in_order or seen.look[1] > self.journal.look[1]
        return seen.look != side.look and is_newer

    def _is_torn(self, number: int, path: str) -> bool:
        """Return whether a file is as before a record, with a part of what the record appends."""
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
        """Return whether a torn append ends in the middle of a line, or in zeros: no person leaves a file so."""
        data = self.see(path).data or b""
        return not data.endswith(b"\n") or not self._own_lines(path)[1]

    def _order(
        self, names: Sequence[str], places: Mapping[str, tuple[int, int]], states: Mapping[str, str]
    ) -> tuple[int, int]:
        """Return the place up to which steps are known to be done, and the one from which they are known not to be."""
        done_to = max((places[path][1] for path in names if states[path] == AFTER), default=-1)
        open_ = [places[path][0] for path in names if states[path] == BEFORE and places[path][0] > done_to]
        from_ = min(open_, default=2 * len(self.record.steps))
        begun = [places[path][0] for path in names if self._is_visible(path, states[path])]
        return max([done_to, *(place - 1 for place in begun if place < from_)]), from_

    def _is_visible(self, path: str, state: str) -> bool:
        """Return whether anything that the record writes to a file is in it."""
        return state in (AFTER, TORN) or (state == OTHER and bool(self._own_lines(path)[0]))

    def _own_lines(self, path: str) -> tuple[list[bytes], list[bytes]]:
        """Divide the lines that the record appends to a file into those that are there, by bytes or id, and others."""
        lines = (self.see(path).data or b"").split(b"\n")
        there = {*lines, *filter(None, map(line_key, lines))}
        wanted = [line for line in _added(self.record, path).split(b"\n") if line.strip()]
        found = [line for line in wanted if line in there or line_key(line) in there]
        return found, [line for line in wanted if line not in found]

    def _mended(self, path: str) -> bytes | None:
        """Complete an append that broke off in the middle of a line, in a file that a person has edited elsewhere."""
        data = (self.see(path).data or b"").rstrip(b"\0")
        begun = data.rpartition(b"\n")[2]
        missing = self._own_lines(path)[1]
        place = next((number for number, line in enumerate(missing) if begun and line.startswith(begun)), None)
        if place is None:
            return None
        return data[: len(data) - len(begun)] + b"".join(line + b"\n" for line in missing[place:])

    def _after(self, path: str) -> bytes | None:
        """Carry the record out on the content that a file had before; a part of an append that is there goes."""
        side = (self.record.sides or {})[path]
        data = self.see(path).data
        if data is not None and print_of(data) != side.before:
            data = data[: side.at]
        new = _fold(self.record, path, data)
        if print_of(new) != side.after:
            raise UnfitError(f"{path} does not become what it says")
        return new

    def _write_on_top(self, path: str) -> None:
        """Carry the record out on what a person has made of a file on which nothing was carried out yet."""
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
            self._keep(path, _shown(self.record, path))

    def _moved(self, step: Move, source: bytes) -> bytes:
        """Take out of the file of a move what is in the other one; what is not there stays."""
        target = self.contents.get(step.to, self.see(step.to).data) or b""
        lines = target.split(b"\n")
        there = {*lines, *filter(None, map(line_key, lines))}
        gone = [line for line in step.lines if line.encode() in there or line_key(line.encode()) in there]
        return take_lines(Move(step.path, step.to, 0, "", gone), source).rest

    def _doubt(self, path: str) -> None:
        """Leave a file to its person where nothing says whether we had been there."""
        seen = self.see(path)
        self.stays.append(path)
        if _added(self.record, path):
            if missing := self._own_lines(path)[1]:
                self._keep(path, b"".join(line + b"\n" for line in missing))
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
        self._keep(path, _shown(self.record, path))

    def _keep(self, path: str, data: bytes) -> None:
        self.aside[path] = data


def _places(record: Record) -> dict[str, tuple[int, int]]:
    """Return the places of a record at which each file is changed first and last; in the order of the first."""
    found: dict[str, tuple[int, int]] = {}
    for number, step in enumerate(record.steps):
        for place, path in enumerate((step.to, step.path) if isinstance(step, Move) else (step.path,), 2 * number):
            found[path] = (found.get(path, (place, place))[0], place)
    return found


def _added(record: Record, path: str) -> bytes:
    """Put together what a record appends to a file."""
    parts = []
    for step in record.steps:
        if isinstance(step, Append) and step.path == path:
            parts.append(step.text)
        if isinstance(step, Move) and step.to == path:
            parts.append(step.gap + "".join(f"{line}\n" for line in step.lines))
    return "".join(parts).encode()


def _fold(record: Record, path: str, data: bytes | None) -> bytes | None:
    """Carry out on one file what a record does to it."""
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
    """Return whether any of the values that a step changes is in a file: values of a document are written at once."""
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
    """Return what a record was to make of a file, as a person can read it."""
    parts = []
    for step in record.steps:
        if isinstance(step, Create | Replace | Restore) and step.path == path:
            parts.append(step.text)
        elif isinstance(step, SetValues | SetYaml) and step.path == path:
            parts.append(json.dumps(dict(step.new), indent=4) + "\n")
    return "".join(parts).encode()


def _as_it_says(record: Record, see: See) -> Plan:
    """Decide about a record that does not say what becomes of its files: carried out only where each step fits."""
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
    return Plan(record, contents, overruled=tuple(overruled))


def _fits(step: Step, read: Callable[[str], bytes | None]) -> bool:
    """Return whether a file is as a step found it, or as the step leaves it."""
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
    """Return a function that reads the files of a world as they are."""

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
    """Read the journal of a world, and follow the paths that it names.

    Raises:
        JournalError: It is not as gm writes it, or a path leads to another place than it says.
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
    """Return what is wrong with the journal of a world, for a check."""
    try:
        read_journal(layout)
    except JournalError as error:
        hint = "the next command that writes sets it aside, and writes nothing of it"
        return [refused(layout, error, hint)]
    except OSError:
        pass  # the next command that writes says so
    return []


def refused(layout: Layout, error: JournalError, hint: str = "") -> Problem:
    """Return the problem of a journal that is not as gm writes it."""
    return Problem(layout.shown(layout.journal), error.line, 0, "error", "journal-refused", error.found, hint)
