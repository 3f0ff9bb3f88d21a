"""The kinds of pages. ``KINDS`` lists them all; the app serves them and publishing writes them, from the same list."""

from __future__ import annotations

from gm.web.pages import (
    agent,
    agents,
    changes,
    cost,
    days,
    diary,
    gallery,
    graphs,
    logbook,
    memories,
    reflections,
    relationships,
    search,
    soul,
    threads,
    today,
)
from gm.web.pages.kind import PageKind

KINDS: tuple[PageKind, ...] = (
    today.KIND,
    agents.KIND,
    agent.KIND,
    relationships.KIND,
    diary.KIND,
    diary.OLDER,
    soul.KIND,
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
    graphs.WORLD,
    graphs.AGENT,
    memories.MEMORIES,
    memories.MEMORY,
    reflections.TREE,
    reflections.TREES,
    search.KIND,
)
BY_NAME = {kind.name: kind for kind in KINDS}
