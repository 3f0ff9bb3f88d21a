"""Pages of the cast and of each character: portrait, layers of its mind, graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from gm.api.views.cast import ShownAgent, view_cast
from gm.api.views.graphs.draw import draw_agent, recent_days
from gm.api.views.persona import view_diary, view_layer
from gm.api.views.portrait import view_portrait
from gm.api.views.relationships import view_bonds
from gm.base.casefold import casefold
from gm.faces.web import colours
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.pages.world import ALL, GRAPHS_WATCH
from gm.faces.web.portraits import portraits
from gm.faces.web.site import Site
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS

TONES = 12
COURSES = ("accumulators", "importance")
STEPS = ((0.8, "blind"), (0.45, "strong"), (0.15, "some"), (-0.149, "open"), (-0.449, "wary"), (-0.799, "distrust"))


def show_cast(site: Site) -> Shown:
    """Show the cast."""
    return {"title": site.words("cast.title"), "cast": view_cast(site.layout, site.frame, site.hidden)}


def show_agent(site: Site, agent: ShownAgent) -> Shown:
    """Show a character's portrait; live, its graphs are drawn of the last days (``days=all``: of all of them)."""
    portrait = view_portrait(site.memories, site.frame, agent.id, site.hidden)
    recent = recent_days(site.layout, 1) if site.live else 0
    days = 0 if site.query.get("days") == [ALL] else recent
    drawn = draw_agent(site.source, agent.id, kinds=COURSES, hidden=site.hidden, days=days) if portrait.days[1:] else ()
    return {
        "title": agent.name,
        "portrait": portrait,
        "tones": tones_of(day.mood for day in portrait.days),
        "courses": tuple(graph for graph in drawn if graph.data),
        "recent": recent,
        "drawn_days": days,
    }


def files(site: Site) -> Iterable[tuple[str, bytes]]:
    """Yield the pictures of a published site, and its colours."""
    yield colours.PATH, colours.stylesheet(site.frame.cast).encode()
    yield from portraits(site)


def tones_of(words: Iterable[str]) -> dict[str, int]:
    """Return a colour number for each word, from 1 by frequency; 0 when all are used up."""
    spelled = [word for word in words if word]
    counts = Counter(map(casefold, spelled))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    number = {word: place if place <= TONES else 0 for place, word in enumerate(ranked, 1)}
    return {word: number[casefold(word)] for word in spelled}


def show_relationships(site: Site, agent: ShownAgent) -> Shown:
    """Show a character's relationships."""
    words = site.words
    return {
        "title": f"{agent.name} · {words('agent.relationships')}",
        "bonds": view_bonds(site.layout, site.frame, agent.id),
        "trust_word": lambda value: words(f"trust.{trust_word(value)}"),
    }


def trust_word(value: float) -> str:
    """Return the word for a trust level, -1 to 1."""
    return next((word for least, word in STEPS if value >= least), "hostile")


def show_diary(site: Site, agent: ShownAgent, page: int = 1) -> Shown:
    """Show a page of a diary, newest entries first."""
    diary = view_diary(site.layout, agent.id, page, site.hidden)
    return {"title": f"{agent.name} · {site.words('agent.diary')}", "diary": diary, "pages": diary.pages}


def show_layer(layer: AnyLayer, site: Site, agent: ShownAgent) -> Shown:
    """Show a layer of a character's mind as lists of words."""
    title = f"{agent.name} · {site.words(f'agent.{layer.page}')}"
    return {"title": title, layer.page: view_layer(site.layout, layer, agent.id)}


def show_agent_graphs(site: Site, agent: ShownAgent) -> Shown:
    """Show a character's graphs."""
    graphs = draw_agent(site.source, agent.id, hidden=site.hidden)
    return {"title": site.words("graphs.of", who=agent.name), "graphs": graphs, "character": agent}


def _layer_pages() -> Iterator[PageKind]:
    for layer in LAYERS:
        name = layer.page
        if name in ("", "agent"):
            continue
        read, *watches = READERS.get(layer.name, (partial(show_layer, layer),))
        pattern = f"agents/{{agent}}/{name}.html"
        kind = PageKind(name, pattern, "agents", read, (layer.name, *watches), layer.name)
        yield kind
        if read is show_diary:
            yield kind.further(f"{name}_page", f"agents/{{agent}}/{name}-{{page}}.html")


AGENTS = PageKind(
    "agents", "agents/index.html", "agents", show_cast, ("agents", "personas", "memories", "logbook"), files=files
)
AGENT = PageKind(
    "agent",
    "agents/{agent}.html",
    "agents",
    show_agent,
    (
        *("agents", "personas", "memories", "archive", "gifted_folder", "threads"),
        *("logbook", "gallery", *(layer.name for layer in LAYERS)),
    ),
)
READERS: Mapping[str, tuple[Any, ...]] = {
    RELATIONSHIPS.name: (show_relationships, "personas", "logbook"),
    DIARY.name: (show_diary,),
}
"""What reads the page of a layer that is more than lists of words, and what else it watches."""
LAYER_PAGES = tuple(_layer_pages())
GRAPHS = PageKind("agent_graphs", "agents/{agent}/graphs.html", "agents", show_agent_graphs, GRAPHS_WATCH)
