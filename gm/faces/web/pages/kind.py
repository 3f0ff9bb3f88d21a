"""What makes a kind of page: a declaration, from which its routes, its published pages and its links follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gm.faces.web.paths import name_pieces, piece_key, plain_name
from gm.faces.web.site import NoPageError, Query, Site
from gm.files.pieces import list_pieces

Params = Mapping[str, str]
"""The pieces of a path that its pattern names, as they stand in the path."""
Shown = Mapping[str, Any]
"""Variables of a template."""
LONGEST = 9
"""No number in a path has more digits."""
_NAMED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PageKind:
    """One kind of page.

    Attributes:
        name: What links call it.
            pattern: Its path, with ``{names}`` of its parameters: ``agents/{agent}.html``; they are ``agent``, ``day``,
            ``node``, ``page`` and ``piece``.
        section: The entry of the navigation that it belongs to; empty = none.
        read: Returns the variables of its template. It takes the site and the parameters by name: ``agent`` as a
            ``Face``, ``day`` and ``page`` as numbers. Raises ``NoPageError`` when there is no such page.
        watches: What it depends on, as properties of ``Layout`` and names of layers; empty = all.
            private: The name in ``publish.private`` with which the whole kind is kept back; empty = none.
        files: Paths and contents that a published site needs besides its pages.
        is_live: Whether it exists only where a server answers.
        first: The number of its first page, where it is one of several.
    """

    name: str
    pattern: str
    template: str
    section: str
    read: Callable[..., Shown]
    watches: tuple[str, ...] = ()
    private: str = ""
    files: Callable[[Site], Iterable[tuple[str, bytes]]] | None = None
    is_live: bool = False
    first: int = 1

    def further(self, name: str, pattern: str) -> PageKind:
        """Declare the pages after the first one; ``read`` takes a ``page``, and returns the number of ``pages``."""
        return replace(self, name=name, pattern=pattern, first=2)

    def show(self, site: Site, params: Params, query: Query) -> dict[str, Any]:
        """Return the variables of one page; ``problems`` are those of its view.

        Args:
            params: The pieces of its path.
            query: What stands behind the ``?``; empty in a published site.

        Raises:
            NoPageError: There is no such page, or it is kept back.
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
        """List the parameters of all published pages, as values (not yet as pieces of a path)."""
        names = _NAMED.findall(self.pattern)
        found: list[dict[str, object]] = [{}]
        for name in names if not self.is_live else ():
            found = [{**params, name: value} for params in found for value in self._values(site, name, params)]
        yield from () if self.is_live else found

    def _values(self, site: Site, name: str, params: Mapping[str, object]) -> Iterable[object]:
        if name == "agent":
            return (face.id for face in site.frame.cast)
        if name == "day":
            return sorted(site.logged)
        if name == "piece":
            return (piece_key(piece.path) for piece in list_pieces(site.layout))
        return range(self.first, replace(self, first=1).show(site, name_pieces(params), {})["pages"] + 1)


def number_in(text: str) -> int | None:
    """Return the number that a text is; None when it is none, or too long for one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST else None


def read_params(site: Site, params: Params) -> dict[str, Any]:
    """Return the pieces of a path as values: ``agent`` as a ``Face``, numbers as such, the rest as text.

    Raises:
        NoPageError: One of them names nothing.
    """
    return {name: _READERS.get(name, _text)(site, text) for name, text in params.items()}


def _day(_site: Site, text: str) -> int:
    number = number_in(text)
    if number is None or text != f"{number:03d}":
        raise NoPageError(text)
    return number


def _page(_site: Site, text: str) -> int:
    number = number_in(text)
    if not number or text != str(number):
        raise NoPageError(text)
    return number


def _text(_site: Site, text: str) -> str:
    try:
        return plain_name(text)
    except ValueError as error:
        raise NoPageError(text) from error


_READERS: Mapping[str, Callable[[Site, str], Any]] = {"agent": Site.face, "day": _day, "page": _page, "number": _page}
