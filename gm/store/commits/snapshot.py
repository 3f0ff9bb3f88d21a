"""Read a world as it is between two commits, never in the middle of one, and without the lock.

While a commit is being carried out, a reader waits for the milliseconds that it takes. After a crash in the middle of
one, the reader sees the files as they will be when the commit has been finished, without writing anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from stat import S_ISREG

from gm.store.commits.still import held
from gm.store.forms import disk
from gm.store.forms.text import overlaid
from gm.store.layout import Layout


@contextmanager
def snapshot(layout: Layout) -> Iterator[int]:
    """Hold the files still while they are read.

    Yields:
        How many files an interrupted write still has to touch; 0 as a rule.
    """
    with held(layout.journal, exclusive=False):
        pending = _pending(layout) if _is_journaled(layout) else {}
        with overlaid({layout.root / path: data for path, data in pending.items()}):
            yield len(pending)


def _is_journaled(layout: Layout) -> bool:
    try:
        status = layout.journal.stat()
    except OSError:  # there is none, or nothing that gm made: whoever writes says so
        return False
    return S_ISREG(status.st_mode) and status.st_size > 0


def _pending(layout: Layout) -> dict[str, bytes | None]:
    # as a rule the journal is empty, and nothing is imported for it
    from gm.store.commits.journal import boot_id, read_records, to_carry_out
    from gm.store.commits.steps import UnreadableError, carry_out_all

    contents: dict[str, bytes | None] = {}

    def read(path: str) -> bytes | None:
        return contents[path] if path in contents else disk.read(layout.root / path)

    for record in to_carry_out(read_records(layout.journal), boot_id()):
        for step in record.steps:
            with suppress(UnreadableError):  # reading the file says what is wrong with it, and where
                contents |= carry_out_all(step, read)[0]
    return contents
