"""The diary of a character: its newest entries, and a page more for each thirty older ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gm.texts import is_digits
from gm.tools.views.diary import view_diary
from gm.web.moments import places_of
from gm.web.pages.agent import everybody
from gm.web.pages.kind import PageKind, Params, Query
from gm.web.prose import render_prose
from gm.web.site import NoPageError, Site

PRIVATE = "diary"
FIRST = 1


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show a page of a diary."""
    face = site.face(params["agent"])
    if PRIVATE in site.hidden:
        raise NoPageError(params["agent"])
    page = view_diary(site.layout, face.id, _number(params), site.hidden)
    if page.page > page.pages:
        raise NoPageError(params["page"])
    return {
        "title": f"{face.name} · {site.words('agent.diary')}",
        "diary": page,
        "place": places_of(site),
        "texts": [render_prose(entry.text) for entry in page.entries],
    }


def older_pages(site: Site) -> Iterable[Mapping[str, object]]:
    """List the pages behind the first one of everybody's diary."""
    for face in site.frame.cast:
        for page in range(FIRST + 1, view_diary(site.layout, face.id, FIRST, site.hidden).pages + 1):
            yield {"agent": face.id, "page": page}


def _number(params: Params) -> int:
    text = params.get("page")
    if text is None:
        return FIRST
    if not is_digits(text, 9) or int(text) <= FIRST or text != str(int(text)):
        raise NoPageError(text)
    return int(text)


WATCHES = ("diary_folder",)
KIND = PageKind(
    "diary", "agents/{agent}/diary.html", "diary.html", "agents", show, everybody, watches=WATCHES, private=PRIVATE
)
OLDER = PageKind(
    "diary_page",
    "agents/{agent}/diary-{page}.html",
    "diary.html",
    "agents",
    show,
    older_pages,
    watches=WATCHES,
    private=PRIVATE,
)
