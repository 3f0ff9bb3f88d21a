"""The gallery, and each piece of work in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import groupby

from markupsafe import Markup

from gm.api.views.gallery import FIRST_LINES, ListedPiece, PieceView, view_gallery, view_piece
from gm.base.markup.html import render_html
from gm.base.markup.parse import render_plain
from gm.base.markup.svg import clean_svg
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.paths import beside, file_path, fill_path, find_by_key, piece_key, relative
from gm.faces.web.site import NoPageError, Site
from gm.files.media.pieces import PieceFile, list_pieces, read_bytes
from gm.model.calendar import SceneRef

PIECE_PATH = "gallery/{piece}.html"
WATCHES = ("gallery", "bulletin")


def show_gallery(site: Site) -> Shown:
    """Show all pieces by day."""
    view = view_gallery(site.layout)
    days = [(day, list(found)) for day, found in groupby(view.pieces, key=lambda piece: piece.day)]
    return {"title": site.words("gallery.title"), "view": view, "days": days, "opening": _shorten_beginning}


def _shorten_beginning(piece: ListedPiece) -> str:
    lines = render_plain(piece.beginning).splitlines()
    if lines and (piece.title.startswith(lines[0]) or lines[0].startswith(piece.title)):
        del lines[0]
    if lines and lines[-1].startswith("|"):  # a table, cut after its head
        del lines[-1]
    text = "\n".join(lines)
    return text if len(piece.beginning) < FIRST_LINES else re.sub(r"\S*$", "…", text, count=1)


def show_piece(site: Site, piece: str) -> Shown:
    """Show the piece with this ``piece_key``."""
    file = find_by_key(site.layout, piece)
    view = view_piece(site.layout, file.path) if file else None
    if view is None:
        raise NoPageError(piece)
    return {
        "title": view.piece.title,
        "view": view,
        "made_at": site.place(SceneRef(view.piece.day or 0, view.piece.scene or 0)),
        "body": _render_markdown(site, view),
    }


def _render_markdown(site: Site, view: PieceView) -> Markup | None:
    piece = view.piece.file
    if piece.media != "markdown":
        return None
    here = fill_path(PIECE_PATH, {"piece": piece_key(piece.path)})
    known = {item.path: item for item in list_pieces(site.layout)}
    html = render_html(
        view.body,
        base_level=1,
        pictures=partial(_picture, known, piece, here),
        links=partial(_link_target, known, piece, here),
    )
    return Markup(html)  # sanitised by gm.base.markup


def _picture(known: Mapping[str, PieceFile], piece: PieceFile, here: str, written: str) -> str | None:
    found = known.get(beside(piece, written))
    return relative(file_path(found), here) if found and found.media == "picture" else None


def _link_target(known: Mapping[str, PieceFile], piece: PieceFile, here: str, written: str) -> str | None:
    found = known.get(beside(piece, written))
    return relative(fill_path(PIECE_PATH, {"piece": piece_key(found.path)}), here) if found else None


def files(site: Site) -> Iterable[tuple[str, bytes]]:
    """Yield path and content of each file of the gallery; a host that serves it sends no policy against scripts."""
    for piece in list_pieces(site.layout):
        data = read_bytes(site.layout, piece)
        yield file_path(piece), clean_svg(data) if piece.ending == ".svg" else data


GALLERY = PageKind("gallery", "gallery/index.html", "gallery", show_gallery, WATCHES, files=files)
PIECE = PageKind("piece", PIECE_PATH, "gallery", show_piece, WATCHES)
