"""What the world has cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gm.tools.views.cost import view_cost
from gm.web.language import Words
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.pages.telling import telling
from gm.web.site import Site

WHOLE_CENTS = 0.01


def show(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show all sums."""
    view = view_cost(site.layout)
    return {
        "title": site.words("cost.title"),
        "view": view,
        "problems": view.problems,
        "money": money(site.words),
        **telling(site),
    }


def money(words: Words) -> Callable[[float], str]:
    """Make what writes dollars: parts of a cent only where there is less than one."""

    def write(usd: float) -> str:
        return f"{words.number(usd, 2 if not usd or usd >= WHOLE_CENTS else 4)}\N{NO-BREAK SPACE}$"

    return write


KIND = PageKind("cost", "cost.html", "cost.html", "cost", show, only_one, ("traces", "asks"), "cost")
