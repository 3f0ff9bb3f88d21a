"""The declaration of a kind of page, used for routes, publishing and links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gm.faces.web.fields import number_in
from gm.faces.web.paths import name_pieces, piece_key, plain_name
from gm.faces.web.site import NoPageError, Query, Site
from gm.files.media.pieces import list_pieces

Params = Mapping[str, str]
"""Segments of a path by parameter, as they stand in the path."""
Shown = Mapping[str, Any]
"""Variables of a template."""
_NAMED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PageKind:
    """One kind of page.

    Attributes:
        pattern: Its path, like ``agents/{agent}.html``; parameters: ``agent``, ``other``, ``day``, ``node``,
            ``page``, ``piece``, ``thread``.
        read: Returns the template's variables from the site and the parameters by name: ``agent`` and ``other`` as
            an ``ShownAgent``, ``day`` and ``page`` as numbers. Raises ``NoPageError``.
        watches: Dependencies, as paths of ``Layout`` and names of layers; empty = all.
        private: Name in ``publish.private`` that hides the kind; empty = none.
        files: Paths and contents that a published site needs besides its pages.
        template: Empty = as the kind is called.
    """

    name: str
    pattern: str
    section: str
    read: Callable[..., Shown]
    watches: tuple[str, ...] = ()
    private: str = ""
    files: Callable[[Site], Iterable[tuple[str, bytes]]] | None = None
    is_live: bool = False
    first: int = 1
    template: str = ""

    @property
    def file(self) -> str:
        """The name of its template."""
        return self.template or f"{self.name}.html"

    def further(self, name: str, pattern: str) -> PageKind:
        """Declare the pages after the first one; ``read`` takes ``page`` and returns the number of ``pages``."""
        return replace(self, name=name, pattern=pattern, first=2, template=self.file)

    def show(self, site: Site, params: Params, query: Query) -> dict[str, Any]:
        """Return the variables of one page; ``problems`` are those of its view.

        Raises:
            NoPageError: No such page, or it is hidden.
        """
        if self.private in site.hidden:
            raise NoPageError(self.name)
        read = read_params(site, params)
        if read.get("page", self.first) < self.first:
            raise NoPageError(params["page"])
        shown = dict(self.read(replace(site, query=query) if query else site, **read))
        if "pages" in shown and read.get("page", 1) > shown["pages"]:
            raise NoPageError(params["page"])
        if hasattr(shown.get("view"), "problems"):
            shown["problems"] = shown["view"].problems
        return shown

    def every(self, site: Site) -> Iterator[dict[str, object]]:
        """Yield the parameters of all published pages, as values, not as segments of a path."""
        names = _NAMED.findall(self.pattern)
        found: list[dict[str, object]] = [{}]
        for name in names if not self.is_live else ():
            found = [{**params, name: value} for params in found for value in self._list_values(site, name, params)]
        yield from () if self.is_live else found

    def _list_values(self, site: Site, name: str, params: Mapping[str, object]) -> Iterable[object]:
        if name == "agent":
            return (character.id for character in site.frame.cast)
        if name == "other":
            return sorted(other for one, other in site.pairs if one == params["agent"])
        if name == "thread":
            return site.arcs
        if name == "day":
            return sorted(site.logged)
        if name == "piece":
            return (piece_key(piece.path) for piece in list_pieces(site.layout))
        return range(self.first, replace(self, first=1).show(site, name_pieces(params), {})["pages"] + 1)


def read_params(site: Site, params: Params) -> dict[str, Any]:
    """Return segments as values: ``agent`` as an ``ShownAgent``, numbers as such, others as text.

    Raises:
        NoPageError: A segment names nothing.
    """
    return {name: _READERS.get(name, _parse_name)(site, text) for name, text in params.items()}


def _parse_day(_site: Site, text: str) -> int:
    number = number_in(text)
    if number is None or text != f"{number:03d}":
        raise NoPageError(text)
    return number


def _parse_page(_site: Site, text: str) -> int:
    number = number_in(text)
    if not number or text != str(number):
        raise NoPageError(text)
    return number


def _parse_name(_site: Site, text: str) -> str:
    try:
        return plain_name(text)
    except ValueError as error:
        raise NoPageError(text) from error


_READERS: Mapping[str, Callable[[Site, str], Any]] = {
    "agent": Site.shown_agent,
    "other": Site.shown_agent,
    "day": _parse_day,
    "page": _parse_page,
    "number": _parse_page,
}
