"""The logbook as a table, to be filtered where a server answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from gm.texts import is_digits
from gm.tools.views.logbook import pages_of_logbook, view_logbook
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import NoPageError, Site

FILTERS = ("type", "agent", "day")
LONGEST = 9
"""More digits has no number of a page or a day."""
WATCHES = ("logbook",)


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show a page of the logbook."""
    page = _number(params.get("page", "1"))
    asked = {name: _first(query, name) for name in FILTERS}
    view = view_logbook(
        site.layout,
        page=page or 0,
        kind=asked["type"],
        agent=asked["agent"],
        day=_number(asked["day"]),
        hidden=site.hidden,
    )
    if view is None or (params and page == 1):
        raise NoPageError(params.get("page", ""))
    return {
        "title": site.words("logbook.title"),
        "view": view,
        "asked": asked,
        "filtered": any(asked.values()),
        "again": urlencode({name: value for name, value in asked.items() if value}),
        "problems": view.problems,
        **telling(site),
    }


def further_pages(site: Site) -> Iterable[Mapping[str, object]]:
    """List the pages after the first one."""
    return ({"page": str(page)} for page in range(2, pages_of_logbook(site.layout) + 1))


def _first(query: Query, name: str) -> str:
    return next(iter(query.get(name, ())), "")


def _number(text: str) -> int | None:
    return int(text) if is_digits(text, LONGEST) else None


KIND = PageKind("logbook", "logbook.html", "logbook.html", "days", show, only_one, WATCHES)
FURTHER = PageKind("logbook_page", "logbook-{page}.html", "logbook.html", "days", show, further_pages, WATCHES)
