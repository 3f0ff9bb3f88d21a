"""What a day has changed in minds: the last one, or any other one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.tools.views.changes import view_changes
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import NoPageError, Site, day_in


def show_last(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show what the last day has changed."""
    return _shown(site, None)


def show_day(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show what one day has changed."""
    return _shown(site, day_in(params["day"]))


def _shown(site: Site, day: int | None) -> Mapping[str, Any]:
    view = view_changes(site.layout, day, site.hidden)
    if view is None and day is not None:
        raise NoPageError(str(day))
    return {
        "title": site.words("changes.title") if day is None else site.words("changes.of", day=day),
        "view": view,
        "problems": view.problems if view else (),
        **telling(site, view.artifacts if view else ()),
    }


LAST = PageKind("changes", "changes.html", "changes.html", "changes", show_last, only_one)
DAY = PageKind("changes_of", "changes/{day}.html", "changes.html", "changes", show_day, None)
