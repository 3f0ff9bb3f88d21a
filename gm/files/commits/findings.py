"""How the files of an interrupted commit are found: their states, and what they prove about the order of the steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from stat import S_ISREG

from gm.files import relative_paths
from gm.files.commits.changes import print_of
from gm.files.commits.journal import CommitRecord
from gm.files.commits.stepeffects import FileEffect
from gm.files.formats import disk


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file as it is on the disk.

    Attributes:
        data: Its content; None = absent.
        stamp: Inode and mtime in ns; if absent, zero and the mtime of its folder.
        is_odd: Not a regular file inside the world (folder, device, link that leads out); it is left alone.
    """

    data: bytes | None
    stamp: tuple[int, int] = (0, 0)
    is_odd: bool = False


See = Callable[[str], FileOnDisk]


@dataclass(frozen=True, slots=True)
class Journal:
    """What recovery has to decide about: unfinished commits; after a reboot, finished ones as well.

    Attributes:
        boot: Boot id of the running system.
        stamp: Inode, mtime in ns and size of the journal.
    """

    records: Sequence[CommitRecord]
    boot: str
    stamp: disk.FileStamp

    def in_order(self, record: CommitRecord) -> bool:
        """Return whether a step that is done proves the earlier ones; a power failure may lose any write."""
        return record.boot == self.boot


class FileState(Enum):
    """How a file is found. *Edited* includes: its old content, with another inode or time than before the commit."""

    AFTER = "as after the commit, or a later one"
    BEFORE = "as before it"
    CUT = "as before it, with a part of the appended text that ends inside a line, or with zeros"
    SHORT = "as before it, with some of the appended lines"
    BROKEN = "edited; an appended line broke off at its end"
    LINES = "edited; the commit appends lines"
    UNSET = "edited; the commit sets values, none of which is there"
    SET = "edited; the commit sets values, one of which is there"
    SOURCE = "edited; the commit takes lines out"
    WHOLE = "edited; the commit writes, restores or removes it"
    ODD_LINES = "no regular file; the commit appends lines"
    ODD = "no regular file; the commit does anything else"


class Order(Enum):
    """What other files prove about the steps of a file."""

    REACHED = "a later step is done"
    UNREACHED = "an earlier step is not done"
    UNKNOWN = "neither is known"
    FINISHED = "the commit was finished, and then the machine restarted"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it is found.

    Attributes:
        state: Its row in the table of decisions.
        has_old_content: Whether its content is that of before the commit.
        shows_commit: Whether something of the commit is there.
    """

    state: FileState
    has_old_content: bool
    shows_commit: bool


def find(journal: Journal, record: CommitRecord, effects: Sequence[FileEffect], seen: FileOnDisk) -> FoundFile:
    """Compare a file with what a commit does to it.

    Args:
        effects: What the commit, and then each later one of the journal, does to the file.
    """
    effect, later = effects[0], effects[1:]
    if seen.is_odd:
        return FoundFile(FileState.ODD_LINES if effect.added else FileState.ODD, False, False)
    mark = print_of(seen.data)
    if any(one.side.after == mark for one in effects) or any(one.side.before == mark for one in later):
        return FoundFile(FileState.AFTER, False, True)
    is_touched = _is_touched(journal, record, effect, seen)
    if mark == effect.side.before:
        return FoundFile(_state_if_edited(effect, seen.data) if is_touched else FileState.BEFORE, True, False)
    if any(one.is_torn(seen.data) for one in later):
        return FoundFile(FileState.AFTER, False, True)
    by_gm = journal.in_order(record) or not is_touched or (seen.data or b"").endswith(b"\0")
    present, missing = effect.own_lines(seen.data)
    if by_gm and effect.is_torn(seen.data):
        is_cut = not (seen.data or b"").endswith(b"\n") or not missing
        return FoundFile(FileState.CUT if is_cut else FileState.SHORT, False, True)
    state = FileState.BROKEN if effect.mend(seen.data) is not None else _state_if_edited(effect, seen.data)
    return FoundFile(state, False, bool(present))


def _is_touched(journal: Journal, record: CommitRecord, effect: FileEffect, seen: FileOnDisk) -> bool:
    """Return whether another program or the user has written the file since the commit was journaled."""
    if record.inode != journal.stamp[0]:
        return False  # the world was copied: stamps are meaningless
    if seen.data is None and not record.done:
        return False  # an absent file has no stamp: it was not created yet
    is_newer = journal.in_order(record) or seen.stamp[1] > journal.stamp[1]
    return seen.stamp != effect.side.stamp and is_newer


def _state_if_edited(effect: FileEffect, data: bytes | None) -> FileState:
    if effect.added:
        return FileState.LINES
    if effect.sets_values:
        return FileState.SET if effect.is_set(data) else FileState.UNSET
    return FileState.SOURCE if effect.takes_lines else FileState.WHOLE


def orders_of(
    journal: Journal, record: CommitRecord, effects: Mapping[str, FileEffect], found: Mapping[str, FoundFile]
) -> dict[str, Order]:
    """Return what the files of a commit prove about each other, by path.

    A file in which a step is done proves the earlier steps; one that is as before disproves the later ones.
    """
    if record.done:
        return dict.fromkeys(effects, Order.FINISHED)
    if not journal.in_order(record):
        return dict.fromkeys(effects, Order.UNKNOWN)
    none = 2 * len(record.steps)
    done_to = max((effects[path].last for path, one in found.items() if one.state is FileState.AFTER), default=-1)
    before = [effects[path].first for path, one in found.items() if one.state is FileState.BEFORE]
    open_from = min((place for place in before if place > done_to), default=none)
    begun = [effects[path].first for path, one in found.items() if one.shows_commit]
    done_to = max([done_to, *(place - 1 for place in begun if place < open_from)])
    return {
        path: Order.REACHED if one.last <= done_to else Order.UNREACHED if one.first >= open_from else Order.UNKNOWN
        for path, one in effects.items()
    }


def see_at(root: str) -> See:
    """Return a function that reads the files of a world."""

    def see(path: str) -> FileOnDisk:
        place = os.path.join(root, path)
        try:
            status = os.stat(place)
        except FileNotFoundError:
            return FileOnDisk(None, (0, _mtime_of(os.path.dirname(place))), bool(relative_paths.way_out(root, path)))
        except NotADirectoryError:
            return FileOnDisk(None)
        if not S_ISREG(status.st_mode) or relative_paths.way_out(root, path):
            return FileOnDisk(None, is_odd=True)
        return FileOnDisk(disk.read_or_none(place), (status.st_ino, status.st_mtime_ns))

    return see


def _mtime_of(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
