"""Files of the gallery: under which address, and what a browser may do with them.

The address is made from the file's path and looked up among the files that there are; no part of an address ever
becomes a path.
"""

from __future__ import annotations

import hashlib
from posixpath import dirname, join, normpath

from gm.store.layout import Layout
from gm.store.pieces import PICTURES, PieceFile, list_pieces
from gm.web.paths import safe_name

FOLDER = "gallery/files"
LONGEST = 120
_PLAIN_ENDINGS = {".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8"}
_CLOSED = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""What a picture that could hold a script may do when somebody opens it by itself: show itself."""


def piece_key(path: str) -> str:
    """Name a piece in addresses: its path, or a hash of it where that would be too long for a file name."""
    if len(safe_name(path)) <= LONGEST:
        return path
    return "long-" + hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def file_path(piece: PieceFile) -> str:
    """Tell the canonical path of the file itself."""
    ending = piece.ending if piece.ending in PICTURES or piece.ending in _PLAIN_ENDINGS else ".bin"
    return f"{FOLDER}/{safe_name(piece_key(piece.path))}{ending}"


def find_by_key(layout: Layout, key: str) -> PieceFile | None:
    """Find the piece that a name in an address means."""
    return next((piece for piece in list_pieces(layout) if piece_key(piece.path) == key), None)


def find_by_path(layout: Layout, path: str) -> PieceFile | None:
    """Find the piece whose file has a canonical path."""
    return next((piece for piece in list_pieces(layout) if file_path(piece) == path), None)


def beside(piece: PieceFile, written: str) -> str:
    """Tell which path inside the gallery a relative path in the text of a piece means; it may lead outside."""
    return normpath(join(dirname(piece.path), written))


def headers_for(piece: PieceFile) -> dict[str, str]:
    """Tell how a file is served: pictures as such, text as text, everything else to be kept and not opened."""
    kind = PICTURES.get(piece.ending) or _PLAIN_ENDINGS.get(piece.ending)
    headers = {"Content-Type": kind or "application/octet-stream", "Content-Security-Policy": _CLOSED}
    return headers if kind else {**headers, "Content-Disposition": "attachment"}
