"""The first page: how the world stands today, and the newest day as a transcript."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.tools.views.today import view_today
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import Site


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show how the world stands."""
    view = view_today(site.layout, site.hidden)
    pieces = [*(view.last.artifacts if view.last else ()), *(item.text for item in view.threads.waiting)]
    return {
        "title": site.words("today.title"),
        "view": view,
        "problems": view.problems,
        **telling(site, pieces),
    }


KIND = PageKind("today", "index.html", "today.html", "today", show, only_one)
