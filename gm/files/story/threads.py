"""Read the threads of the story."""

from __future__ import annotations

from gm.base.errors import Problem
from gm.files.formats.jsonl import scan_file
from gm.files.layout import Layout
from gm.files.reading import read_events
from gm.model.thread import THREAD_EVENT, Thread, ThreadEvent, fold_events


def load_threads(layout: Layout) -> tuple[tuple[Thread, ...], list[Problem]]:
    """Read all threads; unreadable lines are skipped and reported."""
    events, problems = load_thread_events(layout)
    return fold_events((), events), problems


def load_thread_events(layout: Layout) -> tuple[tuple[ThreadEvent, ...], list[Problem]]:
    """Read ``state/threads.jsonl`` line by line; unreadable lines are skipped and reported."""
    shown = layout.shown(layout.threads)
    scan = scan_file(layout.threads, shown)[1]
    events, found = read_events(scan, shown, THREAD_EVENT)
    return tuple(event for _, event in events), scan.problems + found
