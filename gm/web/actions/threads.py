"""What is open between people: a thread is settled by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.model.thread import OUTCOMES, Thread
from gm.store.load import load_world
from gm.tools.threads import close_thread
from gm.web.actions.action import Act, Action, Fields
from gm.web.pages.kind import Params, Query
from gm.web.paths import plain_name
from gm.web.rendering import nearest_page
from gm.web.site import NoPageError, Site


def begin_settling(site: Site, params: Params, query: Query) -> Fields:
    """Offer the outcomes of a thread that is open."""
    if not _thread(site, params).is_open:
        raise NoPageError(params["thread"])
    return {"outcome": OUTCOMES[0], "text": ""}


def plan_settling(site: Site, params: Params, fields: Fields) -> Act:
    """Settle it as it was filled in."""
    thread = _thread(site, params)
    return lambda: close_thread(site.layout, thread.id, fields.get("outcome", ""), fields.get("text", ""))


def show_settling(site: Site, params: Params, fields: Fields) -> Mapping[str, Any]:
    """Say what was promised or asked."""
    return {"thread": _thread(site, params), "outcomes": OUTCOMES}


def _thread(site: Site, params: Params) -> Thread:
    try:
        name = plain_name(params["thread"])
    except ValueError as error:
        raise NoPageError(params["thread"]) from error
    found = next((thread for thread in load_world(site.layout).world.threads if thread.id == name), None)
    if found is None:
        raise NoPageError(name)
    return found


def _place(site: Site, params: Params, done: object) -> str:
    return nearest_page(("threads", {}))


SETTLE = Action(
    "settle",
    "edit/thread/{thread}.html",
    "threads",
    begin_settling,
    plan_settling,
    _place,
    show_settling,
    required=("text",),
)
