"""Pages of the whole world: today, days, threads, logbook, changes, cost, graphs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import chain
from urllib.parse import urlencode

from gm.api.answers.speech import Words
from gm.api.views import changes, cost, filtering, gallery, logbook, threads, today
from gm.api.views.cast import gather_cast
from gm.api.views.day import view_day, view_days
from gm.api.views.graphs.draw import MOST_PEOPLE, draw_world, recent_days
from gm.api.views.recap import view_recap
from gm.faces.web.fields import number_in
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.site import NoPageError, Site
from gm.files.commits.snapshot import snapshot
from gm.files.layout import GALLERY
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS

ALL = "all"
FILTERS = ("type", "agent", "day")
WHOLE_CENTS = 0.01
_PATH_OF_PIECE = re.compile(rf"(?<!\S)({GALLERY}/\S+\.\w+)")


def show_today(site: Site) -> Shown:
    """Show the state of the world and the newest day."""
    view = today.view_today(site.layout, site.hidden)
    pieces = [*(view.last.artifacts if view.last else ()), *(item.text for item in view.threads.waiting)]
    return {"title": site.words("today.title"), "view": view, "pieces": gallery.named_pieces(site.layout, pieces)}


def show_days(site: Site) -> Shown:
    """Show the days in brief: live, a page of them (``page=2``), when published all."""
    page = (number_in(site.query.get("page", [""])[-1]) or 1) if site.live else 0
    return {"title": site.words("calendar.title"), "view": view_days(site.layout, site.hidden, page)}


def show_day(site: Site, day: int) -> Shown:
    """Show a day as a transcript."""
    view = view_day(site.layout, day, site.hidden)
    if view is None:
        raise NoPageError(str(day))
    name = site.words("frame.day", day=view.day)
    title = f"{name}, {view.weekday}" if view.weekday else name
    recap = view_recap(site.layout, day, site.hidden, gather_cast(site.frame))
    left_open = [_PATH_OF_PIECE.split(text) for text in view.left_open]
    named = chain(view.artifacts, *(parts[1::2] for parts in left_open))
    pieces = gallery.named_pieces(site.layout, named)
    return {"title": title, "view": view, "recap": recap, "left_open": left_open, "pieces": pieces}


def show_threads(site: Site, page: int = 1) -> Shown:
    """Show open, waiting and settled threads."""
    view = threads.view_threads(site.layout, page, site.hidden)
    days = {day for each in (*view.open, *view.settled) for day in (each.day, each.last_day)}
    return {
        "title": site.words("threads.title"),
        "view": view,
        "pages": view.pages,
        "anchors": scene_anchors(site, {*days, *(each.day for each in view.waiting)}),
        "pieces": gallery.named_pieces(site.layout, (item.text for item in view.waiting if item.kind == "artifact")),
    }


def scene_anchors(site: Site, days: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the anchors of scenes by day; days without a page are left out."""
    found = (logbook.logged_day(site.layout, day) for day in days if day in site.logged)
    return {item.day: frozenset(scene.anchor for scene in item.scenes) for item in found}


def show_logbook(site: Site, page: int = 1) -> Shown:
    """Show a page of the logbook, filtered by the query; live, older days are not read."""
    asked = {name: next(iter(site.query.get(name, ())), "") for name in FILTERS}
    kind, agent, day = asked["type"], asked["agent"], number_in(asked["day"])
    with snapshot(site.layout):
        days = logbook.newest_days(site.layout, site.hidden) if site.live else reversed(site.days)
        view = logbook.view_logbook(days, page, kind=kind, agent=agent, day=day, reads_all=not site.live)
    further = ((), ()) if view.is_whole else (site.scene_types, (character.id for character in site.frame.cast))
    return {
        "title": site.words("logbook.title"),
        "view": view,
        "pages": view.pages,
        "types": sorted({*view.types, *further[0]}),
        "cast": sorted({*view.cast, *further[1]}),
        "asked": asked,
        "filtered": any(asked.values()),
        "again": urlencode({name: value for name, value in asked.items() if value}),
    }


def show_day_changes(site: Site, day: int | None = None) -> Shown:
    """Show what a day, by default the last one, changed in minds."""
    view = changes.view_changes(site.layout, day, site.hidden)
    if view is None and day is not None:
        raise NoPageError(str(day))
    title = site.words("changes.title") if day is None else site.words("changes.of", day=day)
    pieces = gallery.named_pieces(site.layout, view.artifacts if view else ())
    return {"problems": (), "title": title, "view": view, "pieces": pieces}


def show_cost(site: Site) -> Shown:
    """Show what the world has cost."""
    return {"title": site.words("cost.title"), "view": cost.view_cost(site.layout), "money": partial(money, site.words)}


def money(words: Words, usd: float) -> str:
    """Return dollars as text; with parts of a cent only below one cent."""
    return f"{words.number(usd, 2 if not usd or usd >= WHOLE_CENTS else 4)}\N{NO-BREAK SPACE}$"


def show_graphs(site: Site) -> Shown:
    """Show the graphs of the whole world.

    Live, a page draws the last days (``days=all``: all of them) of some characters (``people=2``: of the next ones;
    ``people=all``: of all). When published, one page draws all.
    """
    cast = site.frame.cast
    days, people = (site.query.get(name, [""])[-1] for name in ("days", "people"))
    is_whole = people == ALL or not site.live
    page, pages, part = filtering.turn_to(number_in(people) or 1, len(cast), MOST_PEOPLE)
    shown = slice(None) if is_whole else part
    recent = recent_days(site.layout, len(cast[shown])) if site.live else 0
    drawn = 0 if days == ALL else recent
    parts = [cast[at : at + MOST_PEOPLE] for at in range(0, len(cast), MOST_PEOPLE)]
    return {
        "title": site.words("graphs.title"),
        "graphs": draw_world(site.source, hidden=site.hidden, days=drawn, people=shown),
        "recent": recent,
        "days": drawn,
        "page": 0 if is_whole else page,
        "people": [(own[0], own[-1]) for own in parts] if site.live and pages > 1 else [],
        "to_days": lambda wanted: _graphs_address(wanted, people),
        "to_people": lambda wanted: _graphs_address(days, wanted),
    }


def _graphs_address(days: str, people: str) -> str:
    asked = [("days", ALL)] if days == ALL else []
    asked += [("people", people)] if people == ALL or (number_in(people) or 1) > 1 else []
    return "graphs.html" + (f"?{urlencode(asked)}" if asked else "")


GRAPHS_WATCH = ("memories", "logbook", RELATIONSHIPS.name, DIARY.name, "agents")
TODAY = PageKind("today", "index.html", "today", show_today)
DAYS = PageKind("days", "days/index.html", "days", show_days, ("logbook", "settings"))
DAY = PageKind("day", "days/{day}.html", "days", show_day)
THREADS = PageKind("threads", "threads.html", "threads", show_threads, ("threads", "logbook", "world", "bulletin"))
LOGBOOK = PageKind("logbook", "logbook.html", "logbook", show_logbook, ("logbook",))
CHANGES = PageKind("changes", "changes.html", "changes", show_day_changes)
CHANGES_OF = PageKind(
    "changes_of", "changes/{day}.html", "changes", show_day_changes, is_live=True, template="changes.html"
)
COST = PageKind("cost", "cost.html", "cost", show_cost, ("traces", "asks"), "cost")
GRAPHS = PageKind("graphs", "graphs.html", "graphs", show_graphs, GRAPHS_WATCH)
