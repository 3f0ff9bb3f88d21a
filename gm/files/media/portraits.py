"""Pictures of characters: ``state/personas/<id>.png`` (or jpg, jpeg, webp), else the one of an imported card.

A picture is known by its bytes, not by its name, and is never anything that could hold a script.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gm.base.regular import read_regular
from gm.files.formats.look import cached_by_look
from gm.files.layout import Layout

MOST_PORTRAIT_BYTES = 5_000_000
KINDS = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
"""Media types by the ending under which a picture is served."""
_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
_OTHERS = (".gif", ".svg", ".avif", ".bmp", ".heic", ".jxl", ".tif", ".tiff")
_MISTAKEN = (*_ENDINGS, *_OTHERS, *map(str.upper, _ENDINGS + _OTHERS))
"""Endings of files that are meant as pictures."""


def picture_ending(data: bytes) -> str:
    """Return ``png``, ``jpg`` or ``webp`` by the first bytes of a picture; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpg"
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def find_portraits(layout: Layout) -> Mapping[str, tuple[Path, str]]:
    """Return file and ending of the characters' pictures, by the id that stands in the file's name."""
    endings = ((path, _ending_of(path)) for path in _list_files(layout, _ENDINGS))
    return {path.stem: (path, ending) for path, ending in endings if ending}


def find_unshown(layout: Layout) -> Iterator[tuple[Path, str]]:
    """Yield the pictures of characters that no page shows, with the reason."""
    for path in _list_files(layout, _MISTAKEN):
        try:
            ending = picture_ending(read_regular(path, MOST_PORTRAIT_BYTES))
        except OSError as error:
            yield path, error.strerror or str(error)
            continue
        if not ending:
            yield path, "found no PNG, JPEG or WebP"
        elif not path.name.endswith(_ENDINGS):
            yield path, f"found the ending {path.suffix}, expected .{ending}"


def _list_files(layout: Layout, endings: tuple[str, ...]) -> Iterator[Path]:
    for folder in (layout.portrait("_").parent, layout.personas):
        with suppress(OSError):
            # of several, a PNG comes last and stays
            yield from (folder / name for name in sorted(os.listdir(folder), reverse=True) if name.endswith(endings))


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
