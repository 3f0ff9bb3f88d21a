"""Read a world as it is between two commits, never in the middle of one, and without the lock.

While a commit is being carried out, a reader waits for the milliseconds that it takes. After a crash in the middle of
one, the reader sees the files as they will be when the commit has been finished, without writing anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from stat import S_ISREG

from gm.files.commits.lock import held
from gm.files.forms import disk
from gm.files.forms.text import overlaid
from gm.files.layout import Layout


@contextmanager
def snapshot(layout: Layout) -> Iterator[int]:
    """Hold the shared lock while files are read.

    Yields:
        How many files an interrupted write still has to touch; 0 as a rule.
    """
    with held(layout.journal, exclusive=False):
        pending = _pending(layout) if _is_journaled(layout) else {}
        with overlaid({layout.root / path: data for path, data in pending.items()}):
            yield len(pending)


def _is_journaled(layout: Layout) -> bool:
    try:
        status = layout.journal.lstat()
    except OSError:  # there is none, or nothing that gm made: the next command that writes says so
        return False
    return S_ISREG(status.st_mode) and status.st_size > 0


def _pending(layout: Layout) -> dict[str, bytes | None]:
    # as a rule the journal is empty, and nothing is imported for it
    from gm.files.commits.journal import JournalError, boot_id
    from gm.files.commits.recovery import UnfitError, decide, read_journal, see_at, to_decide
    from gm.files.commits.steps import UnreadableError

    contents: dict[str, bytes | None] = {}
    # what is refused is not shown: the next command that writes says why, as reading a broken file does
    with suppress(JournalError, UnfitError, UnreadableError, OSError):
        journal = to_decide(read_journal(layout), boot_id(), disk.look_of(layout.journal) or (0, 0, 0))
        for plan in decide(journal, see_at(str(layout.root))):
            contents |= plan.contents
    return contents
