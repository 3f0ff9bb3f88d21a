"""The first page: how the world stands today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.tools.status import describe_status
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.site import Site


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show the cast as it stands."""
    status, problems = describe_status(site.layout)
    return {"title": site.words("today.title"), "status": status, "problems": problems}


KIND = PageKind("today", "index.html", "today.html", "today", show, only_one)
