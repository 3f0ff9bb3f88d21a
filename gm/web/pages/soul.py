"""The soul of a character."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.layers.soul import SOUL
from gm.tools.views.persona import view_soul
from gm.web.pages.agent import everybody
from gm.web.pages.kind import PageKind, Params, Query
from gm.web.site import NoPageError, Site

PRIVATE = "soul"


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show what a character is through and through."""
    face = site.face(params["agent"])
    if PRIVATE in site.hidden:
        raise NoPageError(params["agent"])
    return {"title": f"{face.name} · {site.words('agent.soul')}", "soul": view_soul(site.layout, face.id)}


KIND = PageKind(
    "soul",
    "agents/{agent}/soul.html",
    "soul.html",
    "agents",
    show,
    everybody,
    watches=(SOUL.name,),
    private=PRIVATE,
)
