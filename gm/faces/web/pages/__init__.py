"""The kinds of pages; ``KINDS`` is used both to serve and to publish."""

from __future__ import annotations

from gm.faces.web.pages import cast, gallery, help, history, measuring, memories, search, stories, taking_part, world
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.stage.page import PLAY

KINDS: tuple[PageKind, ...] = (
    world.TODAY,
    PLAY,
    cast.AGENTS,
    cast.AGENT,
    *cast.LAYER_PAGES,
    stories.LIFE,
    stories.LIFE.further("life_page", "agents/{agent}/days-{page}.html"),
    stories.PAIR,
    world.DAYS,
    world.DAY,
    world.THREADS,
    world.THREADS.further("threads_page", "threads-{page}.html"),
    stories.ARCS,
    stories.ARCS.further("arcs_page", "arcs-{page}.html"),
    stories.ARC,
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
    taking_part.MAILBOX,
    taking_part.LETTER,
    taking_part.ASK,
    taking_part.VISITOR,
    taking_part.FILES,
    taking_part.MAKE,
    history.HISTORY,
    history.HISTORY.further("history_page", "history-{page}.html"),
    history.COMPARE,
    measuring.INTERVIEW,
    measuring.EVALUATION,
    measuring.EXPERIMENT,
    *help.HELP,
)
BY_NAME = {kind.name: kind for kind in KINDS}
