"""The calendar of all days, and one day as a transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gm.tools.views.day import view_day, view_days
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import NoPageError, Site, day_in


def show_calendar(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show all days in brief."""
    view = view_days(site.layout, site.hidden)
    return {"title": site.words("calendar.title"), "view": view, "problems": view.problems, **telling(site)}


def show_day(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show a whole day."""
    view = view_day(site.layout, day_in(params["day"]), site.hidden)
    if view is None:
        raise NoPageError(params["day"])
    name = site.words("frame.day", day=view.day)
    return {
        "title": f"{name}, {view.weekday}" if view.weekday else name,
        "view": view,
        "problems": view.problems,
        **telling(site, view.artifacts),
    }


def every_day(site: Site) -> Iterable[Mapping[str, object]]:
    """List the days that have a logbook."""
    return ({"day": day} for day in site.layout.logged_days())


CALENDAR = PageKind("days", "days/index.html", "days.html", "days", show_calendar, only_one, ("logbook", "settings"))
DAY = PageKind("day", "days/{day}.html", "day.html", "days", show_day, every_day)
