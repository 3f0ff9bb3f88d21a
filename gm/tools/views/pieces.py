"""Pieces of the gallery as pages of scenes name them: by title, with the file they lie in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gm.scene.names import piece_name
from gm.store.layout import GALLERY, Layout
from gm.store.pieces import has_piece, parse_piece, read_piece


@dataclass(frozen=True, slots=True)
class NamedPiece:
    """A piece, in the words in which others name it.

    Attributes:
        path: As the logbook names it.
        inside: Its path inside the gallery; empty when there is no such file there.
        title: As its maker called it, else made from the file's name.
        maker: Who made it; empty when nobody says.
    """

    path: str
    inside: str
    title: str
    maker: str


def named_pieces(layout: Layout, paths: Iterable[str]) -> dict[str, NamedPiece]:
    """Look at some pieces; a path that leads out of the gallery is never followed."""
    return {path: _named(layout, path) for path in {*paths}}


def _named(layout: Layout, path: str) -> NamedPiece:
    name = path.removeprefix(f"{GALLERY}/")
    plain = piece_name(name)
    parts = path.split("/")
    visible = parts[0] == GALLERY and not any(part.startswith(".") or not part for part in parts)
    if not (visible and has_piece(layout, path)):
        return NamedPiece(path, "", plain, "")
    piece = parse_piece(name)
    front = read_piece(layout, piece)[0] if piece.media in ("markdown", "text") else {}
    title, maker = front.get("title"), front.get("agent")
    return NamedPiece(
        path, name, title if isinstance(title, str) and title else plain, maker if isinstance(maker, str) else ""
    )
