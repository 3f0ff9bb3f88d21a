"""Pages of the way back: the moments of a world, and two states side by side. Live only."""

from __future__ import annotations

from functools import partial
from shlex import quote

from gm.api.answers.speech import Words
from gm.api.history.compare.comparison import describe_comparison
from gm.api.history.states import NOW
from gm.api.views.history import comparable_states, view_history
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.site import NoPageError, Site
from gm.model.calendar import SceneRef, parse_ref

SIDES = ("a", "b")


def name_moment(words: Words, moment: str) -> str:
    """Return a moment (``day-003/scene-02``) as words; any other text as it is."""
    ref = parse_ref(moment)
    if ref is None:
        return moment
    if ref == SceneRef(0):
        return words("agent.before")
    scene = f"{ref.scene}{ref.suffix}"
    return words("agent.moment", day=ref.day, scene=scene) if ref.scene else words("frame.day", day=ref.day)


def show_history(site: Site, page: int = 1) -> Shown:
    """Show the moments of a world, and what can be done with them."""
    view = view_history(site.layout, page)
    shown = {"title": site.words("history.title"), "view": view, "pages": view.pages}
    return {**shown, "now": NOW, "quoted": quote, **_shown_helpers(site)}


def show_compare(site: Site) -> Shown:
    """Show two states side by side, those that the query names."""
    states = comparable_states(site.layout)
    asked = [next(iter(site.query.get(side, ())), "") for side in SIDES]
    if any(name and name not in states for name in asked):
        raise NoPageError("compare")
    view = describe_comparison(asked[0], asked[1], lambda: site.layout) if all(asked) else None
    return {
        "title": site.words("compare.title"),
        "found": view,
        "states": states,
        "asked": {"a": asked[0] or states[min(1, len(states) - 1)], "b": asked[1] or NOW},
        "renews": False,
        **_shown_helpers(site),
    }


def _shown_helpers(site: Site) -> Shown:
    return {"moment_name": partial(name_moment, site.words)}


HISTORY = PageKind("history", "history.html", "history", show_history, is_live=True)
COMPARE = PageKind("compare", "compare.html", "history", show_compare, is_live=True)
