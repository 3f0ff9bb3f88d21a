"""The kinds of pages; ``KINDS`` is used both to serve and to publish."""

from __future__ import annotations

from gm.faces.web.pages import cast, gallery, history, memories, search, world
from gm.faces.web.pages.kind import PageKind

KINDS: tuple[PageKind, ...] = (
    world.TODAY,
    cast.AGENTS,
    cast.AGENT,
    cast.RELATIONSHIPS,
    cast.DIARY,
    cast.DIARY.further("diary_page", "agents/{agent}/diary-{page}.html"),
    cast.SOUL,
    world.DAYS,
    world.DAY,
    world.THREADS,
    world.THREADS.further("threads_page", "threads-{page}.html"),
    world.LOGBOOK,
    world.LOGBOOK.further("logbook_page", "logbook-{page}.html"),
    world.CHANGES,
    world.CHANGES_OF,
    world.COST,
    gallery.GALLERY,
    gallery.PIECE,
    world.GRAPHS,
    cast.GRAPHS,
    memories.MEMORIES,
    memories.MEMORY,
    memories.TREE,
    memories.TREE.further("trees", memories.MORE_TREES),
    search.SEARCH,
    history.HISTORY,
    history.HISTORY.further("history_page", "history-{page}.html"),
    history.COMPARE,
)
BY_NAME = {kind.name: kind for kind in KINDS}
