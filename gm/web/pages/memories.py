"""What one character remembers: in pages, and each memory by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from gm.errors import UsageError
from gm.model.node import NODE_TYPES
from gm.store.streams.rows import HOMES
from gm.texts import is_digits
from gm.tools.views.filtering import ORDERS, Filter, filter_wishes, read_filter
from gm.tools.views.memory import view_memory
from gm.tools.views.stream import pages_of, view_stream
from gm.web.memorylinks import anchor_of
from gm.web.pages.kind import PageKind, Params, Query
from gm.web.paths import fill_path, plain_name, relative
from gm.web.site import NoPageError, Site

LIST = "agents/{agent}/memories-{page}.html"
ONE = "agents/{agent}/memory/{node}.html"
WATCHES = ("memories", "summaries", "archive", "gifted_folder")
NEAR = 2
"""So many pages before and after are named in a row of page numbers."""
TAGS = 40


def show_list(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show a page of a character's memories."""
    face = site.face(params["agent"])
    wanted = read_filter(wishes_in(query)) if site.live else Filter()
    number = page_in(params["page"])
    view = view_stream(site.memories, face.id, wanted, number, language=site.frame.language)
    if number > view.pages:
        raise NoPageError(params["page"])
    address = partial(_address, face.id, number)
    return {
        "title": site.words("memories.title", name=face.name),
        "face": face,
        "view": view,
        "wanted": wanted,
        "known_day": known_days(site),
        "anchors": anchors_of([row.id for row in view.rows]),
        "address": address,
        "turn": lambda number: address(number, wanted),
        "numbers": page_numbers(view.page, view.pages),
        "chips": chips(site, wanted, lambda less: address(1, less)),
        "with_tag": lambda tag: address(1, replace(wanted, tags=(*wanted.tags, tag))),
        "tags": view.facets.tags[:TAGS],
        "orders": ORDERS,
        "types": NODE_TYPES,
        "homes": HOMES,
        "problems": view.problems,
    }


def every_list(site: Site) -> Iterable[Mapping[str, object]]:
    """List the pages of everybody's memories; somebody without any has one page that says so."""
    for face in site.frame.cast:
        pages = max(pages_of(site.memories, face.id).values(), default=1)
        yield from ({"agent": face.id, "page": number} for number in range(1, pages + 1))


def show_one(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show one memory in full."""
    face = site.face(params["agent"])
    try:
        view = view_memory(site.memories, plain_name(params["node"]))
    except (ValueError, UsageError) as error:
        raise NoPageError(params["node"]) from error
    if view.memory.owner != face.id:
        raise NoPageError(params["node"])
    return {
        "title": view.memory.id,
        "face": face,
        "view": view,
        "known_day": known_days(site),
        "tokens": sum(sum(question["tokens"].values()) for question in view.why["questions"]),
    }


def known_days(site: Site) -> Callable[[int], bool]:
    """Tell which days have a page of their own."""
    return frozenset(site.layout.logged_days()).__contains__


def page_in(name: str) -> int:
    """Read the number of a page in a path.

    Raises:
        NoPageError: It is none.
    """
    if not (is_digits(name, 9) and name == str(int(name)) and int(name)):
        raise NoPageError(name)
    return int(name)


def wishes_in(query: Query) -> list[tuple[str, str]]:
    """Take a filter out of what stands behind the ``?``."""
    return [(name, value) for name, values in query.items() for value in values]


def page_numbers(page: int, pages: int) -> list[int]:
    """Choose the pages that are named: the first, the last, those around this one; 0 stands for a gap."""
    near = {1, pages, *range(max(1, page - NEAR), min(pages, page + NEAR) + 1)}
    numbers: list[int] = []
    for number in sorted(near):
        if numbers and number - numbers[-1] == 2:
            numbers.append(number - 1)  # a gap of one page takes as much room as its number
        elif numbers and number - numbers[-1] > 1:
            numbers.append(0)
        numbers.append(number)
    return numbers


def anchors_of(identifiers: Iterable[str]) -> list[str]:
    """Name the place of each memory on a page; of an id that stands there twice, only the first has one."""
    seen: set[str] = set()
    anchors = []
    for identifier in identifiers:
        anchor = anchor_of(identifier)
        anchors.append("" if anchor in seen else anchor)
        seen.add(anchor)
    return anchors


def chips(site: Site, wanted: Filter, address: Callable[[Filter], str]) -> list[tuple[str, str]]:
    """Name each part of a filter, with the address of the page without it."""
    words, usual = site.words, Filter()
    found = [(words("filter.words", text=wanted.text), replace(wanted, text=""))] if wanted.text else []
    for kind in NODE_TYPES:
        if kind in wanted.types:
            found.append((words.known("memory_type", kind), replace(wanted, types=wanted.types - {kind})))
    for tag in wanted.tags:
        found.append((f"#{tag}", replace(wanted, tags=tuple(other for other in wanted.tags if other != tag))))
    if (wanted.least, wanted.most) != (usual.least, usual.most):
        text = words("filter.range", low=wanted.least, high=wanted.most)
        found.append((text, replace(wanted, least=usual.least, most=usual.most)))
    if wanted.first is not None:
        found.append((words("filter.from", day=wanted.first), replace(wanted, first=None)))
    if wanted.last is not None:
        found.append((words("filter.to", day=wanted.last), replace(wanted, last=None)))
    if wanted.depth:
        found.append((words("filter.depth", n=wanted.depth), replace(wanted, depth=0)))
    if wanted.homes != usual.homes:
        names = ", ".join(words(f"homes.{home}") for home in HOMES if home in wanted.homes)
        found.append((words("filter.homes", names=names), replace(wanted, homes=usual.homes)))
    return [(text, address(less)) for text, less in found]


def query_of(wanted: Filter, more: Iterable[tuple[str, str]] = ()) -> str:
    """Write a filter as what stands behind the ``?``; empty where nothing is unusual."""
    wishes = [*filter_wishes(wanted), *more]
    return f"?{urlencode(wishes)}" if wishes else ""


def _address(agent: str, here: int, page: int, wanted: Filter) -> str:
    start = fill_path(LIST, {"agent": agent, "page": here})
    return relative(fill_path(LIST, {"agent": agent, "page": page}), start) + query_of(wanted)


MEMORIES = PageKind("memories", LIST, "memories.html", "agents", show_list, every_list, WATCHES)
MEMORY = PageKind("memory", ONE, "memory.html", "agents", show_one, None, (*WATCHES, "logbook", "traces"))
