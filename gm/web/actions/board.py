"""The board: briefs, posts, feedback on a piece of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gm.errors import GmError
from gm.store.layout import GALLERY
from gm.store.now import load_clock
from gm.texts import is_digits
from gm.tools.board import end_brief, put_up_brief, put_up_feedback, put_up_post
from gm.web.actions.action import Act, Action, Fields
from gm.web.media import find_by_key
from gm.web.pages.kind import Params, Query
from gm.web.paths import plain_name
from gm.web.rendering import nearest_page
from gm.web.site import NoPageError, Site


def begin_text(site: Site, params: Params, query: Query) -> Fields:
    """Offer an empty text, signed as usual."""
    return {"text": "", "author": ""}


def plan_text(put_up: Callable[..., object]) -> Callable[[Site, Params, Fields], Act]:
    """Make what puts a text up; nobody named = who usually signs."""

    def plan(site: Site, params: Params, fields: Fields) -> Act:
        return lambda: put_up(site.layout, fields.get("text", ""), fields.get("author", "").strip() or None)

    return plan


def place_today(site: Site, params: Params, done: object) -> str:
    """Go to the first page."""
    return nearest_page()


def begin_end(site: Site, params: Params, query: Query) -> Fields:
    """Take the brief of that number in the list."""
    return {"brief": _briefs(site)[_number(site, params) - 1]}


def plan_end(site: Site, params: Params, fields: Fields) -> Act:
    """End the brief that was shown, whatever its number is by now."""
    briefs = _briefs(site)
    brief = fields.get("brief", "")
    same = [number for number, text in enumerate(briefs, 1) if _plain(text) == brief]
    if not same:
        raise GmError(site.words("edit.brief-end.gone"))
    return lambda: end_brief(site.layout, str(same[0]))


def _briefs(site: Site) -> tuple[str, ...]:
    return tuple(map(_plain, load_clock(site.layout)[0].active_briefs))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _number(site: Site, params: Params) -> int:
    name = params["number"]
    if not (is_digits(name, 4) and 1 <= int(name) <= len(_briefs(site))):
        raise NoPageError(name)
    return int(name)


def begin_feedback(site: Site, params: Params, query: Query) -> Fields:
    """Offer an empty text on a piece of work that exists."""
    _piece(site, params)
    return {"text": "", "author": ""}


def plan_feedback(site: Site, params: Params, fields: Fields) -> Act:
    """Put it up as feedback on that piece."""
    path, author = _piece(site, params), fields.get("author", "").strip() or None
    return lambda: put_up_feedback(site.layout, path, fields.get("text", ""), author)


def show_feedback(site: Site, params: Params, fields: Fields) -> Mapping[str, Any]:
    """Say which piece it is about."""
    return {"piece": _piece(site, params)}


def _piece(site: Site, params: Params) -> str:
    """Find the piece that is meant, among those that there are; its path inside the world."""
    try:
        found = find_by_key(site.layout, plain_name(params["piece"]))
    except ValueError:
        found = None
    if found is None:
        raise NoPageError(params["piece"])
    return f"{GALLERY}/{found.path}"


def _place_feedback(site: Site, params: Params, done: object) -> str:
    return nearest_page(("piece", {"piece": plain_name(params["piece"])}))


BRIEF = Action(
    "brief", "edit/brief.html", "today", begin_text, plan_text(put_up_brief), place_today, required=("text",)
)
END = Action("brief-end", "edit/brief-{number}/end.html", "today", begin_end, plan_end, place_today)
POST = Action("post", "edit/post.html", "today", begin_text, plan_text(put_up_post), place_today, required=("text",))
FEEDBACK = Action(
    "feedback",
    "edit/feedback/{piece}.html",
    "gallery",
    begin_feedback,
    plan_feedback,
    _place_feedback,
    show_feedback,
    required=("text",),
)
