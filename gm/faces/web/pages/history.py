"""Pages of the way back: the moments of a world, and two states side by side. Live only."""

from __future__ import annotations

from shlex import quote

from gm.api.history.compare.describe import describe_comparison
from gm.api.history.states import NOW
from gm.api.views.history import comparable_states, view_history
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.site import NoPageError, Site

SIDES = ("a", "b")


def read_history(site: Site, page: int = 1) -> Shown:
    """Show the moments of a world, and what can be done with them."""
    view = view_history(site.layout, page)
    return {"title": site.words("history.title"), "view": view, "pages": view.pages, "now": NOW, "quoted": quote}


def read_compare(site: Site) -> Shown:
    """Show two states side by side, those that the query names."""
    states = comparable_states(site.layout)
    asked = [next(iter(site.query.get(side, ())), "") for side in SIDES]
    if any(name and name not in states for name in asked):
        raise NoPageError("compare")
    view = describe_comparison(*asked, lambda: site.layout) if all(asked) else None
    first, second = (name or usual for name, usual in zip(asked, (states[1:2] or states)[:1] + (NOW,), strict=True))
    return {
        "title": site.words("compare.title"),
        "found": view,
        "states": states,
        "asked": {"a": first, "b": second},
        "renews": False,
    }


HISTORY = PageKind("history", "history.html", "history.html", "history", read_history, is_live=True)
COMPARE = PageKind("compare", "compare.html", "compare.html", "history", read_compare, is_live=True)
