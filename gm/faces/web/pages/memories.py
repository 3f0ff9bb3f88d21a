"""Pages of one character's memories: lists, single memories, and reflections with their evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from gm.api.answers.speech import Words
from gm.api.views.cast import ShownAgent
from gm.api.views.filtering import ORDERS, Filter, filter_query, read_filter
from gm.api.views.memory import view_forest, view_memory
from gm.api.views.stream import view_stream
from gm.api.views.titles import scene_title
from gm.base.errors import UsageError
from gm.faces.web.fields import number_in
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.paths import anchor_of, fill_path, relative
from gm.faces.web.site import NoPageError, Query, Site
from gm.files.streams.rows import HOMES
from gm.memory.share import MEMORIES as HIDDEN
from gm.model.logged import LogEntry
from gm.model.node import NODE_TYPES

LIST = "agents/{agent}/memories-{page}.html"
FIRST_TREES = "agents/{agent}/reflections.html"
MORE_TREES = "agents/{agent}/reflections-{page}.html"
WATCHES = ("memories", "summaries", "archive", "gifted_folder")
NEAR = 2
"""Pages listed before and after the current one."""
TAGS = 40
CHOICES = {"orders": ORDERS, "types": NODE_TYPES, "homes": HOMES}


def show_list(site: Site, agent: ShownAgent, page: int = 1) -> Shown:
    """Show a page of a character's memories, filtered by the query."""
    wanted = filter_in(site.query)
    view = view_stream(site.memories, agent.id, wanted, page, language=site.frame.language)
    address = partial(_list_address, agent.id, page)
    return {
        "title": site.words("memories.title", name=agent.name),
        "character": agent,
        "view": view,
        "pages": view.pages,
        "anchors": anchor_memories([row.node.id for row in view.rows]),
        "address": address,
        "turn": lambda number: address(number, wanted),
        **view_filtered(site.words, view, wanted, partial(address, 1)),
    }


def view_filtered(words: Words, view: Any, wanted: Filter, address: Callable[[Filter], str]) -> dict[str, Any]:
    """Return the variables of a filtered list."""
    return {
        **CHOICES,
        "wanted": wanted,
        "numbers": page_numbers(view.page, view.pages),
        "chips": [(text, address(less)) for text, less in _chips(words, wanted)],
        "with_tag": lambda tag: address(replace(wanted, tags=(*wanted.tags, tag))),
        "tags": view.facets.tags[:TAGS] if view.facets else (),
    }


def show_memory_page(site: Site, agent: ShownAgent, node: str) -> Shown:
    """Show one memory in full."""
    try:
        view = view_memory(site.memories, node)
    except UsageError as error:
        raise NoPageError(node) from error
    if view.memory.agent != agent.id:
        raise NoPageError(node)
    tokens = sum(sum(question.tokens.values()) for question in view.why.questions)
    scene = view.why.scene
    title = scene_title(LogEntry(view.memory.node.when.day, scene)) if scene else ""
    return {"title": view.memory.node.id, "character": agent, "view": view, "tokens": tokens, "scene_title": title}


def show_trees(site: Site, agent: ShownAgent, page: int = 1) -> Shown:
    """Show a page of a character's reflections with their evidence, down to observations."""
    depth = number_in(site.query.get("depth", [""])[-1])
    view = view_forest(site.memories, agent.id, depth, page)
    return {
        "title": site.words("tree.title", name=agent.name),
        "character": agent,
        "view": view,
        "pages": view.pages,
        "address": partial(_trees_address, agent.id),
        "turn": lambda page: _trees_address(agent.id, page, depth),
        "numbers": page_numbers(view.page, view.pages),
    }


def filter_in(query: Query) -> Filter:
    """Return the filter of a query."""
    return read_filter((name, value) for name, values in query.items() for value in values)


def page_numbers(page: int, pages: int) -> list[int]:
    """Return the page numbers to show: first, last, and those near ``page``; 0 stands for a gap."""
    near = {1, pages, *range(max(1, page - NEAR), min(pages, page + NEAR) + 1)}
    numbers: list[int] = []
    for number in sorted(near):
        if numbers and number - numbers[-1] == 2:
            numbers.append(number - 1)  # a gap of one page is no shorter than its number
        elif numbers and number - numbers[-1] > 1:
            numbers.append(0)
        numbers.append(number)
    return numbers


def anchor_memories(identifiers: Iterable[str]) -> list[str]:
    """Return the anchors of memories on a page; only the first of a repeated id has one."""
    seen: set[str] = set()
    anchors = []
    for identifier in identifiers:
        anchor = anchor_of(identifier)
        anchors.append("" if anchor in seen else anchor)
        seen.add(anchor)
    return anchors


def _chips(words: Words, wanted: Filter) -> list[tuple[str, Filter]]:
    usual = Filter()
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
    return found


def query_of(wanted: Filter, more: Iterable[tuple[str, str]] = ()) -> str:
    """Return the query string of a filter; empty for the default one."""
    pairs = [*filter_query(wanted), *more]
    return f"?{urlencode(pairs)}" if pairs else ""


def _list_address(agent: str, here: int, page: int, wanted: Filter) -> str:
    start = fill_path(LIST, {"agent": agent, "page": here})
    return relative(fill_path(LIST, {"agent": agent, "page": page}), start) + query_of(wanted)


def _trees_address(agent: str, page: int, depth: int | None = None) -> str:
    first, more = (fill_path(pattern, {"agent": agent, "page": page}) for pattern in (FIRST_TREES, MORE_TREES))
    return relative(first if page == 1 else more, first) + ("" if depth is None else f"?depth={depth}")


MEMORIES = PageKind("memories", LIST, "agents", show_list, WATCHES, HIDDEN)
MEMORY = PageKind(
    "memory",
    "agents/{agent}/memory/{node}.html",
    "agents",
    show_memory_page,
    (*WATCHES, "logbook", "traces"),
    HIDDEN,
    is_live=True,
)
TREE = PageKind("tree", FIRST_TREES, "agents", show_trees, WATCHES, HIDDEN, template="reflections.html")
