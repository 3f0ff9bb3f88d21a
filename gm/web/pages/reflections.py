"""What a character has made of its memories: each reflection with what it rests on, down to what was lived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from gm.texts import is_digits
from gm.tools.views.tree import forest_pages, view_forest
from gm.web.pages.kind import PageKind, Params, Query
from gm.web.pages.memories import WATCHES, known_days, page_in, page_numbers
from gm.web.paths import fill_path, relative
from gm.web.site import NoPageError, Site

FIRST = "agents/{agent}/reflections.html"
MORE = "agents/{agent}/reflections-{page}.html"


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show a page of a character's reflections."""
    face = site.face(params["agent"])
    number = page_in(params.get("page", "1"))
    wanted = query.get("depth", [""])[-1]
    depth = int(wanted) if is_digits(wanted, 3) else None
    view = view_forest(site.memories, face.id, depth, number)
    if number > view.pages or (number == 1 and "page" in params):
        raise NoPageError(str(number))
    return {
        "title": site.words("tree.title", name=face.name),
        "face": face,
        "view": view,
        "known_day": known_days(site),
        "address": partial(_address, face.id),
        "turn": lambda page: _address(face.id, page, depth),
        "numbers": page_numbers(view.page, view.pages),
        "problems": view.problems,
    }


def _address(agent: str, page: int, depth: int | None = None) -> str:
    """Write the address of a page of the reflections from any other one of them."""
    path = _path(agent, page)
    return relative(path, _path(agent, 1)) + ("" if depth is None else f"?depth={depth}")


def _path(agent: str, page: int) -> str:
    return fill_path(FIRST if page == 1 else MORE, {"agent": agent, "page": page})


def every_first(site: Site) -> Iterable[Mapping[str, object]]:
    """List the first page of everybody."""
    return ({"agent": face.id} for face in site.frame.cast)


def every_further(site: Site) -> Iterable[Mapping[str, object]]:
    """List the further pages of whoever has more reflections than fit one."""
    for face in site.frame.cast:
        pages = forest_pages(site.memories, face.id)
        yield from ({"agent": face.id, "page": number} for number in range(2, pages + 1))


TREE = PageKind("tree", FIRST, "reflections.html", "agents", show, every_first, WATCHES)
TREES = PageKind("trees", MORE, "reflections.html", "agents", show, every_further, WATCHES)
