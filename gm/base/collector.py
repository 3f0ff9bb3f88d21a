"""Tuning of Python's garbage collector, which searches all values for cycles that nothing refers to any more.

Modules, a world and the rows of its streams stay until the process ends, and gm makes few cycles: most searches find
nothing. Values outside of cycles are still freed by reference count.

Only for processes of gm's own: the collector of a program that imports gm is not touched.
"""

from __future__ import annotations

import gc

RARELY = 100_000
"""New values before a search: more than a short command makes. Python's own number is 700, or 2,000 since 3.13."""


def collect_rarely() -> None:
    """Search only after ``RARELY`` new values; for the start of a process.

    ``gm status`` of three days: 5 searches instead of 52, which take 10 of its 200 ms.
    """
    gc.set_threshold(RARELY)


def set_aside() -> None:
    """Exclude all present values from searches; only after making many permanent values.

    They are still freed by reference count; garbage in cycles is kept as well. At the end of a process, this spares
    Python's last search through everything: a tenth of what a short command takes.
    """
    gc.freeze()
