"""The cast: everybody there is, each with a way to their page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.tools.views.cast import view_cast
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.site import Site


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show everybody in a few words."""
    return {"title": site.words("cast.title"), "cast": view_cast(site.layout, site.frame, site.hidden)}


KIND = PageKind(
    "agents",
    "agents/index.html",
    "agents.html",
    "agents",
    show,
    only_one,
    watches=("agents", "personas", "memories", "logbook"),
)
