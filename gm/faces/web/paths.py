"""The address of each page and file: one canonical path, the same in the live pages and in the published site.

A path is relative to the site's root and ends in ``.html``. Links between pages are always relative, so that a site
works in any folder of any host, and from ``file://``. A file of the gallery is looked up by its address among the files
that there are; no part of an address ever becomes a path.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath, relpath, split
from string import Formatter
from urllib.parse import quote

from gm.base.casefold import casefold
from gm.files.layout import Layout
from gm.files.pieces import PICTURES, PieceFile, list_pieces

FOLDER = "gallery/files"
LONGEST = 120
_PLAIN_ENDINGS = {".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8"}
_CLOSED = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of a file that is opened by itself: a picture could hold a script."""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_TAKEN = re.compile(r"(?:index|con|prn|aux|nul|com[0-9]|lpt[0-9])\Z")
"""Pages of their own (``agents/index.html``), and what no file may be called on some systems."""
_CODED = re.compile(r"_([0-9a-f]+)_")


def safe_name(text: str) -> str:
    """Return any text as a piece of a path: ``[a-z0-9-]`` stays, everything else is written as ``_hex_``.

    So is the first letter of a name that something else has, such as ``index``.

    Different texts have different names, also on file systems that do not tell upper case from lower.
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
    """Return the text that a piece of a path stands for.

    Raises:
        ValueError: ``safe_name`` never wrote this.
    """
    try:
        text = _CODED.sub(lambda found: chr(int(found[1], 16)), name)
    except OverflowError as error:
        raise ValueError(name) from error
    if safe_name(text) != name:
        raise ValueError(name)
    return text


def fill_path(pattern: str, params: Mapping[str, object]) -> str:
    """Return the path of a page by its pattern and parameters.

    Args:
        pattern: As in ``agents/{agent}.html``.
        params: A value for each name in it.

    Raises:
        KeyError: A value is missing.
    """
    pieces = name_pieces(params)
    return "".join(text + (pieces[name] if name else "") for text, name, _, _ in Formatter().parse(pattern))


def name_pieces(params: Mapping[str, object]) -> dict[str, str]:
    """Return the values of parameters as pieces of a path; a day has three digits."""
    return {
        name: f"{value:03d}" if name == "day" and isinstance(value, int) else safe_name(str(value))
        for name, value in params.items()
    }


def relative(path: str, start: str) -> str:
    """Return the relative link from one page to another; both paths are relative to the site's root."""
    return quote(relpath(path, split(start)[0] or "."), safe="/-_.~")


def anchor_of(identifier: str) -> str:
    """Return the anchor of a memory on the page on which it is listed."""
    return f"mem_{safe_name(casefold(identifier))}"


def piece_key(path: str) -> str:
    """Return the name of a piece in addresses: its path, or a hash where that is too long for a file name."""
    if len(safe_name(path)) <= LONGEST:
        return path
    return "long-" + hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def file_path(piece: PieceFile) -> str:
    """Return the canonical path of a file."""
    ending = piece.ending if piece.ending in PICTURES or piece.ending in _PLAIN_ENDINGS else ".bin"
    return f"{FOLDER}/{safe_name(piece_key(piece.path))}{ending}"


def find_by_key(layout: Layout, key: str) -> PieceFile | None:
    """Return the piece that a name in an address means."""
    return next((piece for piece in list_pieces(layout) if piece_key(piece.path) == key), None)


def find_by_path(layout: Layout, path: str) -> PieceFile | None:
    """Return the piece whose file has a canonical path."""
    return next((piece for piece in list_pieces(layout) if file_path(piece) == path), None)


def beside(piece: PieceFile, written: str) -> str:
    """Resolve a relative path in the text of a piece against the gallery; it may lead outside."""
    return normpath(join(dirname(piece.path), written))


def headers_for(piece: PieceFile) -> dict[str, str]:
    """Return the headers of a file: pictures and text are shown, everything else is downloaded."""
    kind = PICTURES.get(piece.ending) or _PLAIN_ENDINGS.get(piece.ending)
    headers = {"Content-Type": kind or "application/octet-stream", "Content-Security-Policy": _CLOSED}
    return headers if kind else {**headers, "Content-Disposition": "attachment"}
