"""The graphs of a world, and of each character."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS
from gm.tools.graphs.draw import Source, draw_agent, draw_world, source_of
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.site import Site

WATCHES = ("memories", "logbook", RELATIONSHIPS.name, DIARY.name, "agents")


def source(site: Site) -> Source:
    """Find what graphs are drawn from: sums count what is kept back as well, so a published site reads it by itself."""
    return source_of(site.layout, None if site.hidden else site.memories)


def show_world(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show the graphs of the whole world."""
    graphs = draw_world(source(site), hidden=site.hidden)
    return {"title": site.words("graphs.title"), "graphs": graphs}


def show_agent(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show the graphs of one character."""
    face = site.face(params["agent"])
    graphs = draw_agent(source(site), face.id, hidden=site.hidden)
    return {"title": site.words("graphs.of", who=face.name), "graphs": graphs, "face": face}


def every_agent(site: Site) -> Iterable[Mapping[str, object]]:
    """List all characters."""
    return ({"agent": face.id} for face in site.frame.cast)


WORLD = PageKind("graphs", "graphs.html", "graphs.html", "graphs", show_world, only_one, WATCHES)
AGENT = PageKind(
    "agent_graphs", "agents/{agent}/graphs.html", "agent_graphs.html", "agents", show_agent, every_agent, WATCHES
)
