"""Which files are pictures that every medium can show: whole PNG, JPEG and GIF files."""

from __future__ import annotations

import struct
import zlib

PNG, JPEG, GIF = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", (b"GIF87a", b"GIF89a")


def picture_kind(data: bytes) -> tuple[str, str] | None:
    """Tell what kind of picture a file is, by its bytes alone.

    Returns:
        Media type and ending (``image/png``, ``png``); None when it is none of them, or when it is cut off.
    """
    if data.startswith(PNG):
        return ("image/png", "png") if _is_whole_png(data) else None
    if data.startswith(JPEG):
        return ("image/jpeg", "jpg") if data.rstrip(b"\x00").endswith(b"\xff\xd9") else None
    if data.startswith(GIF):
        return ("image/gif", "gif") if data.rstrip(b"\x00").endswith(b"\x3b") else None
    return None


def _is_whole_png(data: bytes) -> bool:
    """Walk through the chunks of a PNG: lengths and check sums must be right, and the last one must be there."""
    at = len(PNG)
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        end = at + 12 + length
        if end > len(data) or zlib.crc32(data[at + 4 : end - 4]) != struct.unpack_from(">I", data, end - 4)[0]:
            return False
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at = end
    return False
