"""What one character thinks of the others, and they of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.layers.relationships import RELATIONSHIPS
from gm.tools.views.relationships import view_bonds
from gm.web.moments import places_of
from gm.web.pages.agent import everybody
from gm.web.pages.kind import PageKind, Params, Query
from gm.web.site import NoPageError, Site

PRIVATE = "relationships"
STEPS = ((0.8, "blind"), (0.45, "strong"), (0.15, "some"), (-0.149, "open"), (-0.449, "wary"), (-0.799, "distrust"))


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show what is between a character and each of the others."""
    face = site.face(params["agent"])
    if PRIVATE in site.hidden:
        raise NoPageError(params["agent"])
    words = site.words
    return {
        "title": f"{face.name} · {words('agent.relationships')}",
        "bonds": view_bonds(site.layout, site.frame, face.id),
        "place": places_of(site),
        "trust_word": lambda value: words(f"trust.{trust_word(value)}"),
        "signed": lambda value: signed(words.number(value, 2), value),
    }


def trust_word(value: float) -> str:
    """Name how much somebody trusts another one.

    Args:
        value: From -1 to 1.
    """
    return next((word for least, word in STEPS if value >= least), "hostile")


def signed(text: str, value: float) -> str:
    """Write a number with its sign, as ``+0,30``, with a true minus."""
    return f"+{text}" if value > 0 else text.replace("-", "−")


KIND = PageKind(
    "relationships",
    "agents/{agent}/relationships.html",
    "relationships.html",
    "agents",
    show,
    everybody,
    watches=(RELATIONSHIPS.name, "personas", "logbook"),
    private=PRIVATE,
)
