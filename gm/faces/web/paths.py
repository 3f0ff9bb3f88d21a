"""The canonical path of each page and file, the same live and published.

Paths are relative to the site's root; links are relative, so that a site works in any folder and from ``file://``.
Files of the gallery are looked up among those that exist: no part of an address ever becomes a path.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath, relpath, split
from string import Formatter
from urllib.parse import quote

from gm.api.views.cast import ShownAgent
from gm.base.casefold import casefold
from gm.files.editable import EditableFile, editable_files
from gm.files.layout import Layout
from gm.files.media.pieces import PICTURES, PieceFile, list_pieces

FOLDER = "gallery/files"
PORTRAITS = "agents/portraits"
LONGEST = 120
_PLAIN_ENDINGS = {".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8"}
_CLOSED = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Policy of files that are opened by themselves: a picture could hold a script."""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_TAKEN = re.compile(r"(?:index|con|prn|aux|nul|com[0-9]|lpt[0-9])\Z")
"""Names of other pages (``agents/index.html``), and names that some systems reserve."""
_CODED = re.compile(r"_([0-9a-f]+)_")


def safe_name(text: str) -> str:
    """Return a text as a segment of a path: ``[a-z0-9-]`` stays, other characters become ``_hex_``.

    So does the first letter of a reserved name. Names differ if texts do, even on case-insensitive file systems.
    """
    if _TAKEN.match(text):
        return f"_{ord(text[0]):x}_{text[1:]}"
    if _PLAIN.match(text):
        return text
    return "".join(
        letter if "a" <= letter <= "z" or "0" <= letter <= "9" or (letter == "-" and at) else f"_{ord(letter):x}_"
        for at, letter in enumerate(text)
    )


def plain_name(name: str) -> str:
    """Return the text of a segment: the inverse of ``safe_name``.

    Raises:
        ValueError: ``safe_name`` never returns this.
    """
    try:
        text = _CODED.sub(lambda found: chr(int(found[1], 16)), name)
    except OverflowError as error:
        raise ValueError(name) from error
    if safe_name(text) != name:
        raise ValueError(name)
    return text


def fill_path(pattern: str, params: Mapping[str, object]) -> str:
    """Return the path for a pattern like ``agents/{agent}.html``.

    Raises:
        KeyError: A parameter is missing.
    """
    pieces = name_pieces(params)
    return "".join(text + (pieces[name] if name else "") for text, name, _, _ in Formatter().parse(pattern))


def name_pieces(params: Mapping[str, object]) -> dict[str, str]:
    """Return parameters as segments of a path; a day has three digits."""
    return {
        name: f"{value:03d}" if name == "day" and isinstance(value, int) else safe_name(str(value))
        for name, value in params.items()
    }


def relative(path: str, start: str) -> str:
    """Return the relative link from ``start`` to ``path``, both relative to the site's root."""
    return quote(relpath(path, split(start)[0] or "."), safe="/-_.~")


def anchor_of(identifier: str) -> str:
    """Return the anchor of a memory on the page that lists it."""
    return f"mem_{safe_name(casefold(identifier))}"


def piece_key(path: str) -> str:
    """Return the name of a file in addresses: its path, or a hash if that is too long for a file name."""
    if len(safe_name(path)) <= LONGEST:
        return path
    return "long-" + hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def file_path(piece: PieceFile) -> str:
    """Return the canonical path of a file."""
    ending = piece.ending if piece.ending in PICTURES or piece.ending in _PLAIN_ENDINGS else ".bin"
    return f"{FOLDER}/{safe_name(piece_key(piece.path))}{ending}"


def portrait_path(character: ShownAgent) -> str:
    """Return the canonical path of a character's picture; empty without one."""
    return f"{PORTRAITS}/{safe_name(character.id)}.{character.portrait}" if character.portrait else ""


def find_by_key(layout: Layout, key: str) -> PieceFile | None:
    """Return the piece with this ``piece_key``."""
    return next((piece for piece in list_pieces(layout) if piece_key(piece.path) == key), None)


def find_editable(layout: Layout, key: str) -> EditableFile | None:
    """Return the file that can be edited and has this ``piece_key``."""
    return next((file for file in editable_files(layout) if piece_key(file.path) == key), None)


def find_by_path(layout: Layout, path: str) -> PieceFile | None:
    """Return the piece with this canonical path."""
    return next((piece for piece in list_pieces(layout) if file_path(piece) == path), None)


def beside(piece: PieceFile, written: str) -> str:
    """Resolve a relative path in the text of a piece; the result may be outside the gallery."""
    return normpath(join(dirname(piece.path), written))


def headers_for(piece: PieceFile) -> dict[str, str]:
    """Return the headers of a file: pictures and text are shown, other files are downloaded."""
    kind = PICTURES.get(piece.ending) or _PLAIN_ENDINGS.get(piece.ending)
    headers = {"Content-Type": kind or "application/octet-stream", "Content-Security-Policy": _CLOSED}
    return headers if kind else {**headers, "Content-Disposition": "attachment"}
