"""What makes a kind of page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gm.web.site import Site

Params = Mapping[str, str]
"""The pieces of a path that its pattern names, as they stand in the path."""
Query = Mapping[str, list[str]]
"""What was asked for behind the ``?``; empty in a published site."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """One kind of page.

    Attributes:
        name: What links call it.
        pattern: Its path, with ``{names}`` of its parameters: ``agents/{agent}.html``.
        template: Its template.
        section: Which entry of the navigation it belongs to; empty = none.
        show: Reads what it shows: variables of its template. Raises ``NoPageError`` when there is no such page.
        every: Lists the values of its parameters for which there is a page, as texts (not yet as pieces of a path).
            None = it exists only live.
        watches: What makes it new when it changes, as properties of ``Layout`` and names of layers; empty = all.
        private: The name in ``publish.private`` with which the whole kind is kept back; empty = none.
        files: What a published site needs for it besides its pages: paths and contents.
    """

    name: str
    pattern: str
    template: str
    section: str
    show: Callable[[Site, Params, Query], Mapping[str, Any]]
    every: Callable[[Site], Iterable[Mapping[str, object]]] | None
    watches: tuple[str, ...] = ()
    private: str = ""
    files: Callable[[Site], Iterable[tuple[str, bytes]]] | None = None


def only_one(site: Site) -> Iterable[Mapping[str, object]]:
    """List the parameters of a kind that has one page."""
    return ({},)
