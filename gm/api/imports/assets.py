"""The picture of a card among its assets. No address is ever fetched."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from gm.api.imports import png
from gm.api.imports.cardmodel import Asset

ICON = "icon"
INSIDE = ("embeded://", "embedded://", "__asset:")
"""Beginnings of a URI that names a file of the archive; the first one is what V3 says."""
DEFAULT = "ccdefault:"
_DATA = "data:image/png;base64,"


def find_portrait(assets: Sequence[Asset], files: Mapping[PurePosixPath, bytes]) -> tuple[bytes, list[tuple[str, str]]]:
    """Return the picture of a card without texts in it, empty for none; and which assets were left aside, and why."""
    left: list[tuple[str, str]] = []
    picture = b""
    for asset in sorted(assets, key=lambda asset: asset.name != "main"):
        shown = f"asset {asset.name[:60] or asset.type[:60]}"
        if asset.uri.startswith(DEFAULT):
            continue
        if asset.uri.lower().startswith(("http:", "https:")):
            left.append((shown, "it lies on the network, from where nothing is fetched"))
        elif asset.type != ICON or picture:
            left.append((shown, f"of the type {asset.type[:60]}, one picture is taken, the icon"))
        else:
            picture, why = _picture(asset, files)
            left += [(shown, why)] if why else []
    return picture, left


def _picture(asset: Asset, files: Mapping[PurePosixPath, bytes]) -> tuple[bytes, str]:
    data = _data_of(asset.uri, files)
    if data is None:
        return b"", "there is no such file in it"
    try:
        return png.without_texts(data), ""
    except ValueError as error:
        return b"", f"it cannot be taken as a picture: {error}"


def _data_of(uri: str, files: Mapping[PurePosixPath, bytes]) -> bytes | None:
    if uri.startswith(_DATA):
        try:
            return base64.b64decode(uri.removeprefix(_DATA), validate=True)
        except (binascii.Error, ValueError):
            return None
    beginning = next((mark for mark in INSIDE if uri.startswith(mark)), None)
    return files.get(PurePosixPath(uri.removeprefix(beginning))) if beginning else None
