"""What is open between people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.tools.views.threads import view_threads
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import Site


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show what is open, what is settled, and what waits."""
    view = view_threads(site.layout)
    works = [item.text for item in view.waiting if item.kind == "artifact"]
    return {
        "title": site.words("threads.title"),
        "view": view,
        "problems": view.problems,
        **telling(site, works),
    }


KIND = PageKind(
    "threads",
    "threads.html",
    "threads.html",
    "threads",
    show,
    only_one,
    ("state/threads.jsonl", "state/logbook/", "logbook/", "state/world.json", "state/bulletin.json"),
)
