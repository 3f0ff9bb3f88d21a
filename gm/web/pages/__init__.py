"""The kinds of pages. ``KINDS`` lists them all; the app serves them and publishing writes them, from the same list."""

from __future__ import annotations

from gm.web.pages import changes, cost, days, gallery, logbook, memories, reflections, search, threads, today
from gm.web.pages.kind import PageKind

KINDS: tuple[PageKind, ...] = (
    today.KIND,
    days.CALENDAR,
    days.DAY,
    threads.KIND,
    threads.FURTHER,
    logbook.KIND,
    logbook.FURTHER,
    changes.LAST,
    changes.DAY,
    cost.KIND,
    gallery.GALLERY,
    gallery.PIECES,
    memories.MEMORIES,
    memories.MEMORY,
    reflections.TREE,
    reflections.TREES,
    search.KIND,
)
BY_NAME = {kind.name: kind for kind in KINDS}
