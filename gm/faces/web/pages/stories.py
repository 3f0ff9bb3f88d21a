"""Pages that read like a book: threads from promise to end, one character's days, what is between two."""

from __future__ import annotations

from collections.abc import Sequence

from gm.api.views.arcs import view_arc, view_arcs
from gm.api.views.cast import ShownAgent
from gm.api.views.gallery import named_pieces
from gm.api.views.lives import PairStory, view_life, view_pair
from gm.faces.web.pages.cast import trust_word
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.site import NoPageError, Site
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS

WATCHES = ("threads", "logbook", "world")
WIDTH, HEIGHT = 640, 120
"""Units of the drawing of trust."""


def show_arcs(site: Site, page: int = 1) -> Shown:
    """Show all threads as stories, and where those of people begin."""
    view = view_arcs(site.threads, page)
    return {"title": site.words("arcs.title"), "view": view, "pages": view.pages}


def show_arc(site: Site, thread: str) -> Shown:
    """Show one thread from its first words to its end."""
    arc = view_arc(site.layout, site.threads, thread)
    if arc is None:
        raise NoPageError(thread)
    kind = site.words.known("thread_kind", arc.thread.kind)
    return {"title": f"{kind} · {arc.thread.id}", "arc": arc, "problems": arc.problems}


def show_life(site: Site, agent: ShownAgent, page: int = 1) -> Shown:
    """Show a character's days, in story order."""
    life = view_life(site.layout, site.frame, agent.id, page, site.hidden)
    pieces = named_pieces(site.layout, (path for day in life.days for path in day.artifacts))
    title = f"{agent.name} · {site.words('agent.life')}"
    return {"title": title, "life": life, "pages": life.pages, "pieces": pieces}


def show_pair(site: Site, agent: ShownAgent, other: ShownAgent) -> Shown:
    """Show what was between two characters, in story order."""
    if (agent.id, other.id) not in site.pairs:
        raise NoPageError(other.id)
    pair = view_pair(site.layout, site.frame, agent.id, other.id, site.hidden, site.published_days)
    return {
        "title": site.words("arcs.pair_title", one=agent.name, other=other.name),
        "pair": pair,
        "problems": pair.problems,
        "courses": [
            (who, _draw_points(pair, course)) for who, course in zip(pair.agents, pair.trust, strict=True) if course
        ],
        "size": (WIDTH, HEIGHT),
        "trust_word": lambda value: site.words(f"trust.{trust_word(value)}"),
    }


def _draw_points(pair: PairStory, course: Sequence[tuple[int, float]]) -> str:
    """Return the points of a line of trust: it steps on the day of a change, and goes on to the last day."""
    first, last = pair.span
    points: list[tuple[float, float]] = []
    for day, trust in course:
        at = WIDTH * (day - first) / max(last - first, 1)
        points += [(at, points[-1][1])] if points else []
        points.append((at, HEIGHT * (1 - trust) / 2))
    points.append((WIDTH, points[-1][1]))
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


ARCS = PageKind("arcs", "arcs.html", "threads", show_arcs, WATCHES)
ARC = PageKind("arc", "arcs/{thread}.html", "threads", show_arc, WATCHES)
LIFE = PageKind("life", "agents/{agent}/days.html", "agents", show_life, (*WATCHES, "gallery", "agents", DIARY.name))
PAIR = PageKind("pair", "agents/{agent}/with/{other}.html", "agents", show_pair, (*WATCHES, RELATIONSHIPS.name))
