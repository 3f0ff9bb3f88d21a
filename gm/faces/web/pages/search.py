"""Search people, scenes, days, pieces and memories: by the server, or in the browser of a published site."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from gm.api.views.filtering import NEWEST, Filter, filter_rows, in_order
from gm.api.views.gallery import ListedPiece, view_gallery
from gm.api.views.logbook import Logged, LoggedDay, shown_day
from gm.api.views.stream import known_owner, view_search
from gm.base.casefold import casefold, search_key
from gm.base.markup.clean import js_value
from gm.faces.web.fields import number_in
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.pages.memories import CHOICES, LIST, WATCHES, filter_in, query_of, view_filtered
from gm.faces.web.paths import anchor_of, fill_path, piece_key
from gm.faces.web.site import Site
from gm.files.commits.snapshot import snapshot
from gm.files.editable import EditableFile, editable_files
from gm.files.formats.text import read_data
from gm.files.story.now import load_clock
from gm.files.streams.memories import OwnedRow
from gm.memory.search import Term, find_term_spans, matches, needles_in, needles_of, says_exactly, terms_in
from gm.memory.share import MEMORIES
from gm.model.node import NODE_TYPES

PATH = "search.html"
DATA = "search-data.js"
MOST_PIECES = 12
MOST_DAYS = 6
MOST_FILES = 12
MOST_SCENES = 12
_Found = TypeVar("_Found")
_CLOSING = re.compile(b'"summary"|\\\\u')
"""What the line that closes a day contains, in lower case."""


def show_search(site: Site) -> Shown:
    """Show what was found; the empty form without a query or in a published site."""
    shown = {"title": site.words("search.title"), **CHOICES, "wanted": Filter(), "problems": ()}
    return shown | _search(site) if site.live else shown | {"words": _list_words(site)}


def _search(site: Site) -> dict[str, Any]:
    wanted = filter_in(site.query)
    agents = [known_owner(site.memories, name) for name in site.query.get("agent", []) if name]
    number = number_in(site.query.get("page", ["1"])[-1])
    view = view_search(site.memories, wanted, agents, 1 if number is None else number, language=site.frame.language)
    terms = terms_in(wanted.text, site.frame.language)
    pieces = _find_pieces(site, terms) if view.page == 1 else []
    scenes, days = _find_logged(site, terms) if view.page == 1 else ([], [])
    return {
        "view": view,
        "chosen": agents,
        "hidden": [("agent", agent) for agent in agents],
        "pieces": [(piece, find_term_spans(piece.title, terms)) for piece in pieces],
        "people": [
            character
            for character in site.frame.cast
            if terms and matches(search_key(f"{character.name} {character.id}"), terms)
        ],
        "scenes": _exact_first(scenes, lambda scene: search_key(_searched_words(site, scene)), terms),
        "is_named": lambda name: bool(terms) and matches(search_key(name), terms),
        "days": [
            (day.day, day.summary, find_term_spans(day.summary, terms))
            for day in _exact_first(days, lambda day: search_key(day.summary), terms)
        ],
        "files": _find_files(site, terms),
        "turn": lambda page: _address(agents, page, wanted),
        "of_agent": lambda agent: _address([agent], 1, wanted),
        "of_all": _address([], 1, wanted),
        **view_filtered(site.words, view, wanted, partial(_address, agents, 1)),
    }


def _address(agents: Sequence[str], page: int, wanted: Filter) -> str:
    more = [("agent", agent) for agent in agents]
    return PATH + query_of(wanted, [*more, ("page", str(page))] if page > 1 else more)


def _find_pieces(site: Site, terms: Sequence[Term]) -> list[ListedPiece]:
    if not terms:
        return []
    pieces = view_gallery(site.layout).pieces
    found = [piece for piece in pieces if matches(_key_of_piece(piece), terms)]
    return _exact_first(found, _key_of_piece, terms)[:MOST_PIECES]


def _key_of_piece(piece: ListedPiece) -> str:
    return search_key(f"{piece.title} {piece.file.path}")


def _exact_first(found: Iterable[_Found], key_of: Callable[[_Found], str], terms: Sequence[Term]) -> list[_Found]:
    """Put what says the words as they were typed before what says other forms of them."""
    return sorted(found, key=lambda one: not says_exactly(key_of(one), terms))


def _find_files(site: Site, terms: Sequence[Term]) -> list[EditableFile]:
    if not terms or not site.editable:
        return []
    return [file for file in editable_files(site.layout) if matches(search_key(file.path), terms)][:MOST_FILES]


def _find_logged(site: Site, terms: Sequence[Term]) -> tuple[list[Logged], list[LoggedDay]]:
    """Return the newest scenes and days that match; logbooks whose lines cannot match are not read."""
    scenes, days = list[Logged](), list[LoggedDay]()
    names = "\n".join(map(search_key, (*site.type_names, *(character.name for character in site.frame.cast)))).encode()
    # names of people and types do not stand in a logbook as they are shown
    of_scenes = needles_of(term for term in terms if not any(part in names for part in needles_of([term])))
    of_days = needles_of(terms)
    with snapshot(site.layout):
        clock, _ = load_clock(site.layout)
        for day, path in sorted(site.layout.day_logs().items(), reverse=True) if terms else ():
            text = _read_lowered(path)
            says = _may_say(text, of_days)
            may_match = len(scenes) < MOST_SCENES and (says if of_scenes == of_days else _may_say(text, of_scenes))
            if may_match or (says and len(days) < MOST_DAYS and _may_close(text, of_days)):
                logged = shown_day(site.layout, clock, day, site.hidden)
                found = reversed(logged.scenes)
                scenes += [one for one in found if matches(search_key(_searched_words(site, one)), terms)]
                days += [logged] if matches(search_key(logged.summary), terms) else []
            if len(scenes) >= MOST_SCENES and len(days) >= MOST_DAYS:
                break
    return scenes[:MOST_SCENES], days[:MOST_DAYS]


def _read_lowered(path: Path) -> bytes:
    try:
        return read_data(path).lower()
    except OSError:
        return b""  # reported on the page of its day


def _may_say(text: bytes, needles: Collection[bytes]) -> bool:
    return not needles or any(needle in text for needle in needles_in(text, needles))


def _may_close(text: bytes, needles: Collection[bytes]) -> bool:
    return any(_CLOSING.search(line) and _may_say(line, needles) for line in text.split(b"\n"))


def _searched_words(site: Site, scene: Logged) -> str:
    """Return the words by which a scene is found: what tells it apart, its type, place and people."""
    called = (character.name for name in scene.cast if (character := site.frame.shown_agent(name)))
    return " ".join((scene.title, site.type_name(scene.type), scene.place.replace("-", " "), *called))


def _list_words(site: Site) -> dict[str, str]:
    words = site.words
    keys = ("frame.day", "search.found", "search.found.one", "search.none", "search.more", "memories.scene")
    named = {f"memory_type.{kind}": words.known("memory_type", kind) for kind in NODE_TYPES}
    return {**{key: words.sentences[key] for key in keys}, **named, "language": words.language}


def files(site: Site) -> Iterable[tuple[str, bytes]]:
    """Yield the search data of a published site as a script of one statement."""
    cast = [character.id for character in site.frame.cast]
    logged = site.days
    data = {
        "agents": [
            {"id": character.id, "name": character.name, "number": character.number} for character in site.frame.cast
        ],
        "memories": [row for number, name in enumerate(cast) for row in _find_memories(site, name, number)]
        if MEMORIES not in site.hidden
        else [],
        "pieces": [_piece_row(piece) for piece in view_gallery(site.layout).pieces],
        "people": [
            [character.name, fill_path("agents/{agent}.html", {"agent": character.id})] for character in site.frame.cast
        ],
        "scenes": [_scene_row(site, scene) for day in reversed(logged) for scene in day.scenes],
        "days": [[day.day, _day_path(day.day), day.summary] for day in logged if day.summary],
    }
    yield DATA, f"window.gmFound = {js_value(data)};\n".encode()


def _find_memories(site: Site, name: str, number: int) -> Iterable[list[object]]:
    memories = site.memories
    usual = Filter()
    with memories.shared_lock():
        held = memories.of(name)
        rows = in_order((row for file in held.files.values() for row in filter_rows(file, usual, ())), NEWEST)
        nodes = memories.nodes(OwnedRow(name, row) for row in rows)
    for row, node in zip(rows, nodes, strict=True):
        page = site.page_of(name, row.id)
        if node is not None and page is not None:
            path = fill_path(LIST, {"agent": name, "page": page})
            tags = [casefold(tag) for tag in row.tags]
            address = f"{path}#{anchor_of(row.id)}"
            yield [number, row.id, address, row.day, row.scene, row.type, row.importance, tags, node.description]


def _day_path(day: int) -> str:
    return fill_path("days/{day}.html", {"day": day})


def _scene_row(site: Site, scene: Logged) -> list[object]:
    title = scene.title or site.type_name(scene.type)
    names = ", ".join(character.called for name in scene.cast if (character := site.frame.shown_agent(name)))
    about = " · ".join(filter(None, (site.frame.place_name(scene.place), names)))
    return [scene.day, f"{_day_path(scene.day)}#{scene.anchor}", title, about]


def _piece_row(piece: ListedPiece) -> list[object]:
    path = fill_path("gallery/{piece}.html", {"piece": piece_key(piece.file.path)})
    return [piece.title, path, piece.maker, piece.day, piece.description]


SEARCH = PageKind("search", PATH, "search", show_search, (*WATCHES, "gallery", "logbook"), files=files)
