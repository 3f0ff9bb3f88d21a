"""Which files of the gallery are pictures that every reader of a book can unpack."""

from __future__ import annotations

import struct
import zlib

import pytest

from gm.faces.book.texts import picture_kind
from tests.faces.book.hostile import png

END = b"\xff\xd9"


def chunks(*parts: tuple[bytes, bytes]) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def header(width: int, height: int, depth: int = 8, colour: int = 0) -> tuple[bytes, bytes]:
    return b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)


def jpeg(width: int, height: int) -> bytes:
    size = b"\xff\xc0" + struct.pack(">HBHH", 11, 8, height, width) + b"\x01\x01\x11\x00"
    return b"\xff\xd8\xff\xe0\x00\x04xy\xff" + size + END


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0, 0, 0) + b"\x3b"


IMAGE, LAST = (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "media"), [(png(), "image/png"), (jpeg(8, 9), "image/jpeg"), (gif(8, 9), "image/gif")]
)
def test_pictures_are_told_by_their_bytes(data: bytes, media: str) -> None:
    found = picture_kind(data)
    assert found
    assert found[0] == media
    assert picture_kind(data[:-2]) is None


@pytest.mark.parametrize(
    "data",
    [
        chunks(LAST),
        chunks(header(1, 1), LAST),
        chunks(header(0, 0), IMAGE, LAST),
        chunks(header(1, 1, 99, 77), IMAGE, LAST),
        chunks((b"tEXt", b"a\0b"), header(1, 1), IMAGE, LAST),
        chunks(header(2**31 - 1, 2**31 - 1), IMAGE, LAST),
        jpeg(65_535, 65_535),
        jpeg(0, 9),
        b"\xff\xd8\xff" + END,
        b"\xff\xd8\xff\xe0\x00\x02" + b"x" * 9 + END,
        b"\xff\xd8\xff" + b"\xff" * 50 + END,
        gif(65_535, 65_535),
        gif(0, 0),
        b"GIF89a\x3b",
    ],
)
def test_what_has_no_size_or_too_large_a_one_is_no_picture(data: bytes) -> None:
    assert picture_kind(data) is None
