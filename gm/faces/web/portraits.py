"""The pictures of characters as files of a site."""

from __future__ import annotations

from collections.abc import Iterable

from gm.api.imports.png import without_texts
from gm.faces.web.paths import portrait_path
from gm.faces.web.site import NoPageError, Site
from gm.files.media.portraits import KINDS, find_portraits, picture_ending, read_portrait

HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "no-cache"}


def portrait(site: Site, path: str) -> tuple[bytes, dict[str, str]]:
    """Return a picture and its headers, by its canonical path.

    Raises:
        NoPageError: No character has it.
    """
    for name, data in portraits(site, path):
        return data, {**HEADERS, "Content-Type": KINDS[name.rpartition(".")[2]]}
    raise NoPageError(path)


def portraits(site: Site, wanted: str = "") -> Iterable[tuple[str, bytes]]:
    """Yield path and content of all pictures, or of a single one."""
    found = find_portraits(site.layout)
    for character in site.frame.cast:
        path = portrait_path(character)
        if path and wanted in ("", path) and character.id in found:
            data = read_portrait(found[character.id][0])
            if picture_ending(data) == character.portrait and (shown := _without_hidden_chunks(data)):
                yield path, shown


def _without_hidden_chunks(data: bytes) -> bytes:
    """Return only what is seen of a PNG, which may hold a whole character card; empty if it is damaged."""
    if picture_ending(data) != "png":
        return data
    try:
        return without_texts(data)
    except ValueError:
        return b""
