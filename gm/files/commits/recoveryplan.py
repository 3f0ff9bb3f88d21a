"""What recovery looks at and what it decides, as values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from stat import S_ISREG

from gm.files import inside
from gm.files.commits.journal import CommitRecord
from gm.files.commits.steps import Overruled
from gm.files.forms import disk


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
class Journal:
    """What recovery has to decide about: unfinished commits; after a reboot, finished ones as well.

    Attributes:
        boot: Boot id of the running system.
        look: Inode, mtime in ns and size of the journal.
    """

    records: Sequence[CommitRecord]
    boot: str
    look: disk.Look

    def in_order(self, record: CommitRecord) -> bool:
        """Return whether a step that is done proves the earlier ones; a power failure may lose any write."""
        return record.boot == self.boot


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
    overruled: tuple[Overruled, ...] = ()


class UnfitError(ValueError):
    """The journal belongs to another state of the world."""


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
