"""A card as a file: PNG, JSON or CHARX."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from gm.api.imports import png
from gm.api.imports.assets import DEFAULT
from gm.api.imports.books import raw_entries, strip_decorators
from gm.api.imports.cardmodel import V2
from gm.api.imports.jsontext import render_exact
from gm.api.imports.opening import CARD

Object = dict[str, object]
ICON = PurePosixPath("assets/icon/images/main.png")
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of all files in an archive: the same character gives the same bytes."""


def json_file(card: Object) -> bytes:
    """Return the file of a card as JSON."""
    return (render_exact(card) + "\n").encode()


def png_file(card: Object, picture: bytes) -> bytes:
    """Return a picture with a card V3 in it, and its twin V2 for older programs."""
    texts = {"chara": base64.b64encode(json_file(as_v2(card))), "ccv3": base64.b64encode(json_file(card))}
    return png.write_texts(picture, texts)


def charx_file(card: Object, picture: bytes, files: Mapping[PurePosixPath, bytes]) -> bytes:
    """Return an archive with a card.

    Args:
        picture: A PNG that becomes the icon, if the card has none.
        files: What lay in the archive with which the character came.
    """
    data = card["data"]
    assert isinstance(data, dict)
    found = {path: content for path, content in files.items() if path != CARD}
    if picture and (assets := _with_icon(data.get("assets"))):
        card = {**card, "data": {**data, "assets": assets}}
        found[ICON] = picture
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {CARD: json_file(card), **found}.items():
            archive.writestr(zipfile.ZipInfo(str(path), _TIME), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def as_v2(card: Object) -> Object:
    """Return the twin of a card V3 for programs that read V2: decorators, which they would show, are taken out."""
    data = card["data"]
    assert isinstance(data, dict)
    book = data.get("character_book")
    if isinstance(book, dict):
        found = raw_entries(book)
        entries = [_plain(entry) for entry in found]
        book = book if entries == found else {**book, "entries": entries}
        data = {**data, "character_book": book}
    return {**card, "spec": V2, "spec_version": "2.0", "data": data}


def _plain(entry: object) -> object:
    if isinstance(entry, dict) and isinstance(content := entry.get("content"), str) and content.startswith("@@"):
        return {**entry, "content": strip_decorators(content)}
    return entry


def _with_icon(assets: object) -> list[object]:
    """Return assets with the picture as the icon, in place of a default; empty if they name an icon of their own."""
    listed: list[object] = assets if isinstance(assets, list) else []
    icons = [asset for asset in listed if isinstance(asset, dict) and asset.get("type") == "icon"]
    if any(asset.get("uri") != DEFAULT for asset in icons):
        return []
    icon = {"type": "icon", "uri": f"embeded://{ICON}", "name": "main", "ext": "png"}
    return [*(asset for asset in listed if asset not in icons), icon]
