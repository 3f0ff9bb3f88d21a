"""Pictures of characters: ``state/personas/<id>.png`` (or jpg, jpeg, webp), else the one of an imported card.

A picture is known by its bytes, not by its name, and is never anything that could hold a script.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gm.base.regular import read_regular
from gm.files.formats.look import cached_by_look
from gm.files.layout import Layout

MOST_PORTRAIT_BYTES = 5_000_000
KINDS = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
"""Media types by the ending under which a picture is served."""
_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
_MISTAKEN = (*_ENDINGS, ".gif", ".svg", ".avif", ".bmp", ".heic", ".jxl", ".tif", ".tiff")
"""Endings, in small letters, of files that are meant as pictures."""


def picture_ending(data: bytes) -> str:
    """Return ``png``, ``jpg`` or ``webp`` by the first bytes of a picture; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpg"
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def find_portraits(layout: Layout) -> Mapping[str, tuple[Path, str]]:
    """Return file and ending of the characters' pictures, by the id that stands in the file's name."""
    found: dict[str, tuple[Path, str]] = {}
    for folder in _folders(layout):
        for path in _list_files(folder):
            if path.name.endswith(_ENDINGS) and (ending := _ending_of(path)):
                found[path.stem] = path, ending
    return found


def find_unshown(layout: Layout) -> Iterator[tuple[Path, str]]:
    """Yield the pictures of characters that no page shows, with the reason."""
    for path in (path for folder in _folders(layout) for path in _list_files(folder)):
        if not path.name.lower().endswith(_MISTAKEN):
            continue
        try:
            data = read_regular(path, MOST_PORTRAIT_BYTES)
        except OSError as error:
            yield path, error.strerror or str(error)
            continue
        if not picture_ending(data):
            yield path, "found no PNG, JPEG or WebP"
        elif not path.name.endswith(_ENDINGS):
            yield path, f"found the ending {path.suffix}, expected .{picture_ending(data)}"


def _folders(layout: Layout) -> tuple[Path, Path]:
    return layout.portrait("_").parent, layout.personas


def _list_files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return []
    return [folder / name for name in sorted(names, reverse=True)]  # of several, a PNG comes last and stays


@cached_by_look(1000, lambda path: path)
def _ending_of(path: Path) -> str:
    data = read_portrait(path)
    return picture_ending(data) if data else ""


def read_portrait(path: Path) -> bytes:
    """Return a picture; empty if it cannot be read or is too large."""
    try:
        return read_regular(path, MOST_PORTRAIT_BYTES)
    except OSError:
        return b""
