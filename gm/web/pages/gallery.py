"""The gallery, and each piece of work in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import Any

from markupsafe import Markup

from gm.markup.html import render_html
from gm.markup.parse import render_plain
from gm.model.calendar import SceneRef
from gm.store.pieces import PieceFile, list_pieces, read_bytes
from gm.tools.views.gallery import FIRST_LINES, Piece, PieceView, view_gallery, view_piece
from gm.web.media import beside, file_path, find_by_key, piece_key
from gm.web.moments import places_of
from gm.web.pages.kind import PageKind, Params, Query, only_one
from gm.web.paths import fill_path, plain_name, relative
from gm.web.site import NoPageError, Site

PIECE = "gallery/{piece}.html"
WATCHES = ("gallery", "bulletin")


def show_gallery(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show all pieces, day by day."""
    pieces, problems = view_gallery(site.layout)
    days = [(day, list(found)) for day, found in groupby(pieces, key=lambda piece: piece.day)]
    return {
        "title": site.words("gallery.title"),
        "days": days,
        "count": len(pieces),
        "problems": problems,
        "logged": frozenset(site.layout.logged_days()),
        "key": piece_key,
        "address": file_path,
        "opening": _opening,
    }


def _opening(piece: Piece) -> str:
    """Give the first lines of a text, without its title and without a word that is cut through."""
    lines = render_plain(piece.beginning).splitlines()
    if lines and (piece.title.startswith(lines[0]) or lines[0].startswith(piece.title)):
        del lines[0]
    if lines and lines[-1].startswith("|"):  # a table of which only the head was read
        del lines[-1]
    text = "\n".join(lines)
    return text if len(piece.beginning) < FIRST_LINES else re.sub(r"\S*$", "…", text, count=1)


def show_piece(site: Site, params: Params, query: Query) -> Mapping[str, Any]:
    """Show one piece."""
    try:
        file = find_by_key(site.layout, plain_name(params["piece"]))
    except ValueError as error:
        raise NoPageError(params["piece"]) from error
    view = view_piece(site.layout, file.path) if file else None
    if view is None:
        raise NoPageError(params["piece"])
    return {
        "title": view.piece.title,
        "view": view,
        "made_at": places_of(site)(SceneRef(view.piece.day or 0, view.piece.scene or 0)),
        "body": _rendered(site, view),
        "problems": view.problems,
        "key": piece_key,
        "address": file_path,
    }


def _rendered(site: Site, view: PieceView) -> Markup | None:
    """Render the text of a piece of Markdown; None for what is none."""
    piece = view.piece.file
    if piece.media != "markdown":
        return None
    here = fill_path(PIECE, {"piece": piece_key(piece.path)})
    known = {item.path: item for item in list_pieces(site.layout)}
    html = render_html(
        view.body,
        base_level=1,
        pictures=partial(_picture, known, piece, here),
        links=partial(_page, known, piece, here),
    )
    return Markup(html)  # sanitised by gm.markup


def _picture(known: Mapping[str, PieceFile], piece: PieceFile, here: str, written: str) -> str | None:
    found = known.get(beside(piece, written))
    return relative(file_path(found), here) if found and found.media == "picture" else None


def _page(known: Mapping[str, PieceFile], piece: PieceFile, here: str, written: str) -> str | None:
    found = known.get(beside(piece, written))
    return relative(fill_path(PIECE, {"piece": piece_key(found.path)}), here) if found else None


def every_piece(site: Site) -> Iterable[Mapping[str, object]]:
    """List all pieces."""
    return ({"piece": piece_key(piece.path)} for piece in list_pieces(site.layout))


def files(site: Site) -> Iterable[tuple[str, bytes]]:
    """Read the files themselves."""
    return ((file_path(piece), read_bytes(site.layout, piece)) for piece in list_pieces(site.layout))


GALLERY = PageKind(
    "gallery", "gallery/index.html", "gallery.html", "gallery", show_gallery, only_one, WATCHES, files=files
)
PIECES = PageKind("piece", PIECE, "piece.html", "gallery", show_piece, every_piece, WATCHES)
