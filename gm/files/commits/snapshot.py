"""Read a world as it is between two commits, without the lock; after a crash, as recovery will leave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from stat import S_ISREG

from gm.files.commits.lock import held
from gm.files.formats import disk
from gm.files.formats.text import overlaid
from gm.files.layout import Layout


@contextmanager
def snapshot(layout: Layout) -> Iterator[int]:
    """Hold the shared lock while files are read; yield how many files recovery has yet to write, usually 0."""
    with held(layout.journal, exclusive=False):
        pending = _read_pending(layout) if _is_journaled(layout) else {}
        with overlaid({layout.root / path: data for path, data in pending.items()}):
            yield len(pending)


def _is_journaled(layout: Layout) -> bool:
    try:
        status = layout.journal.lstat()
    except OSError:  # absent or not made by gm: reported by the next command that writes
        return False
    return S_ISREG(status.st_mode) and status.st_size > 0


def _read_pending(layout: Layout) -> dict[str, bytes | None]:
    # imported late: the journal is usually empty
    from gm.files.commits.findings import see_at
    from gm.files.commits.journal import JournalError, boot_id, check_links, read_commits
    from gm.files.commits.recovery import plan_recovery, to_decide
    from gm.files.commits.stepeffects import UnfitError
    from gm.files.commits.steps import BrokenFileError

    contents: dict[str, bytes | None] = {}
    # refused content is not shown: the next command that writes reports why
    with suppress(JournalError, UnfitError, BrokenFileError, OSError):
        records = read_commits(layout.journal)
        journal = to_decide(records, boot_id(), disk.stamp_of(layout.journal) or (0, 0, 0))
        if not journal.records:
            return contents
        check_links(layout, records)
        for plan in plan_recovery(journal, see_at(str(layout.root))):
            contents |= plan.contents
    return contents
