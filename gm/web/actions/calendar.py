"""The calendar: an event is put into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.config import TIMES_OF_DAY
from gm.errors import UsageError
from gm.store.load import load_settings
from gm.store.now import load_clock
from gm.texts import is_digits
from gm.tools.events import EventWish, schedule_event
from gm.web.actions.action import Act, Action, Fields
from gm.web.actions.board import place_today
from gm.web.pages.kind import Params, Query
from gm.web.site import Site

CAST = "with-"
"""Before the id of a character: whether it takes part."""


def begin_event(site: Site, params: Params, query: Query) -> Fields:
    """Offer the next day's afternoon."""
    clock = load_clock(site.layout)[0]
    day = clock.day if clock.day_open else clock.day + 1
    return {"text": "", "day": str(day), "time": "afternoon", "place": ""}


def plan_event(site: Site, params: Params, fields: Fields) -> Act:
    """Put it into the calendar as it was filled in; nobody named = all take part."""
    day = fields.get("day", "").strip()
    if not is_digits(day, 7):
        raise UsageError(site.words("edit.wrong.day"))
    cast = tuple(face.id for face in site.frame.cast if fields.get(CAST + face.id))
    place, time = fields.get("place", ""), fields.get("time", "")
    wish = EventWish(fields.get("text", ""), day=int(day), time=time, place=place, cast=cast)
    return lambda: schedule_event(site.layout, wish)


def show_event(site: Site, params: Params, fields: Fields) -> Mapping[str, Any]:
    """Say which times and places there are."""
    settings = load_settings(site.layout)[0]
    return {"times": TIMES_OF_DAY, "places": dict(settings.places), "with_name": CAST}


EVENT = Action(
    "event", "edit/event.html", "days", begin_event, plan_event, place_today, show_event, required=("text", "day")
)
