"""One character, whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gm.layers import LAYERS
from gm.model.fold import fold
from gm.tools.graphs.base import Graph
from gm.tools.graphs.draw import draw_agent
from gm.tools.views.portrait import view_portrait
from gm.web.media import piece_key
from gm.web.moments import places_of
from gm.web.pages.graphs import source
from gm.web.pages.kind import PageKind, Params, Query
from gm.web.prose import render_prose
from gm.web.site import Site

TONES = 12
COURSES = ("accumulators", "importance")


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show who a character is, how it is, and what it remembers."""
    face = site.face(params["agent"])
    portrait = view_portrait(site.memories, site.frame, face.id, site.hidden)
    return {
        "title": face.name,
        "portrait": portrait,
        "prose": render_prose(portrait.persona.prose),
        "place": places_of(site),
        "piece_key": piece_key,
        "tones": tones_of(day.mood for day in portrait.days),
        "courses": _courses(site, face.id) if len(portrait.days) > 1 else (),
    }


def _courses(site: Site, agent: str) -> tuple[Graph, ...]:
    """Draw how it went with a character from day to day; what one day alone would say is in the table."""
    graphs = draw_agent(source(site), agent, kinds=COURSES, hidden=site.hidden)
    return tuple(graph for graph in graphs if graph.data)


def everybody(site: Site) -> Iterable[Mapping[str, object]]:
    """List the cast, for a kind that has a page of each."""
    return tuple({"agent": face.id} for face in site.frame.cast)


def tones_of(words: Iterable[str]) -> dict[str, int]:
    """Give a colour to each word, from 1, the most frequent first; 0 to those for which there is none left."""
    spelled = [word for word in words if word]
    counts = Counter(map(fold, spelled))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    number = {word: place if place <= TONES else 0 for place, word in enumerate(ranked, 1)}
    return {word: number[fold(word)] for word in spelled}


KIND = PageKind(
    "agent",
    "agents/{agent}.html",
    "agent.html",
    "agents",
    show,
    everybody,
    watches=(
        "agents",
        "personas",
        "memories",
        "archive",
        "gifted_folder",
        *(layer.name for layer in LAYERS),
        "threads",
        "logbook",
        "gallery",
    ),
)
