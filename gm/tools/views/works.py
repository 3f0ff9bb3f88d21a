"""Pieces of work as a transcript names them: by title, with the file they lie in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gm.scene.names import piece_name
from gm.store.layout import GALLERY, Layout
from gm.store.pieces import parse_piece, read_piece


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work.

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


def works_of(layout: Layout, paths: Iterable[str]) -> dict[str, Work]:
    """Look at some pieces of work; a path that leads out of the gallery is never followed."""
    inside = layout.gallery.resolve()
    return {path: _work(layout, path, _is_file(layout.root / path, inside)) for path in {*paths}}


def _is_file(path: Path, inside: Path) -> bool:
    try:
        return path.is_file() and path.resolve().is_relative_to(inside)
    except (OSError, ValueError):
        return False


def _work(layout: Layout, path: str, is_there: bool) -> Work:
    name = path.removeprefix(f"{GALLERY}/")
    plain = piece_name(name)
    parts = path.split("/")
    visible = parts[0] == GALLERY and not any(part.startswith(".") or not part for part in parts)
    if not (is_there and visible):
        return Work(path, "", plain, "")
    piece = parse_piece(name)
    front = read_piece(layout, piece)[0] if piece.media in ("markdown", "text") else {}
    title, maker = front.get("title"), front.get("agent")
    return Work(
        path, name, title if isinstance(title, str) and title else plain, maker if isinstance(maker, str) else ""
    )
