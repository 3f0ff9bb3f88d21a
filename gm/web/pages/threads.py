"""What is open between people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gm.texts import is_digits
from gm.tools.views.logged import logged_day
from gm.tools.views.threads import count_pages, view_threads
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import NoPageError, Site

LONGEST = 9
"""More digits has no number of a page."""
WATCHES = ("threads", "logbook", "world", "bulletin")


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show what is open, what waits, and what is settled."""
    page = params.get("page", "1")
    known = is_digits(page, LONGEST)
    view = view_threads(site.layout, int(page)) if known else None
    if view is None or (params and view.page == 1):
        raise NoPageError(page)
    pieces = [item.text for item in view.waiting if item.kind == "artifact"]
    days = {day for each in (*view.open, *view.settled) for day in (each.day, each.settled_on)}
    return {
        "title": site.words("threads.title"),
        "view": view,
        "problems": view.problems,
        "anchors": scene_anchors(site, {*days, *(each.day for each in view.waiting)}),
        **telling(site, pieces),
    }


def scene_anchors(site: Site, days: Iterable[int]) -> dict[int, frozenset[str]]:
    """Tell which scenes stand on the pages of some days; a day without a page is left out."""
    logged = frozenset(site.layout.logged_days())
    found = (logged_day(site.layout, day) for day in days if day in logged)
    return {item.day: frozenset(scene.anchor for scene in item.scenes) for item in found}


def further_pages(site: Site) -> Iterable[Mapping[str, object]]:
    """List the pages after the first one."""
    return ({"page": str(page)} for page in range(2, count_pages(site.layout) + 1))


KIND = PageKind("threads", "threads.html", "threads.html", "threads", show, only_one, WATCHES)
FURTHER = PageKind("threads_page", "threads-{page}.html", "threads.html", "threads", show, further_pages, WATCHES)
