"""Text chunks of PNG and APNG pictures, as pure functions over bytes.

Source:
    Portable Network Graphics, third edition: 5.3 (chunks), 11.3.3 (text).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_CHUNKS = 20_000
"""An animation has two chunks for each frame."""
MOST_PIXELS = 40_000_000
"""Maximum size of a portrait, which every reader of a page or a book unpacks."""
MOST_TEXTS = 500
MOST_TEXT_BYTES = 30_000_000
"""Maximum size of all texts of a picture together, unpacked."""
DRAWN = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs acTL fcTL fdAT cICP mDCV cLLI".split())
"""Chunks that say what is seen."""


def read_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and content of each chunk up to IEND.

    Raises:
        ValueError: It is not a PNG, or damaged.
    """
    if not data.startswith(SIGNATURE):
        raise ValueError("no PNG")
    at = len(SIGNATURE)
    for number in range(MOST_CHUNKS):
        if at + 12 > len(data):
            raise ValueError("the picture breaks off")
        (size,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 8 + size
        if end + 4 > len(data):
            raise ValueError("a chunk is longer than the picture")
        if number == 0 and (kind != b"IHDR" or size != 13):
            raise ValueError("the picture has no header")
        if struct.unpack_from(">I", data, end)[0] != zlib.crc32(data[at + 4 : end]):
            raise ValueError("a chunk has a wrong check sum")
        yield kind, data[at + 8 : end]
        at = end + 4
        if kind == b"IEND":
            return
    raise ValueError(f"more than {MOST_CHUNKS} chunks")


def read_text_chunks(data: bytes) -> dict[str, bytes]:
    """Return texts by lower-case keyword; the first of each counts.

    Raises:
        ValueError: As ``read_chunks``; or there are too many texts, or too many bytes unpacked.
    """
    found: dict[str, bytes] = {}
    count, left = 0, MOST_TEXT_BYTES
    for kind, content in read_chunks(data):
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            continue
        count += 1
        if count > MOST_TEXTS:
            raise ValueError(f"more than {MOST_TEXTS} texts")
        keyword, _, rest = content.partition(b"\0")
        text = _read_text_chunk(kind, rest, left)
        left -= len(text)
        found.setdefault(keyword.decode("latin-1").lower(), text)
    return found


def write_texts(data: bytes, texts: Mapping[str, bytes]) -> bytes:
    """Return a picture with these texts only.

    Raises:
        ValueError: As ``read_chunks``.
    """
    chunks = list(read_chunks(without_texts(data)))
    added = [(b"tEXt", keyword.encode("latin-1") + b"\0" + text) for keyword, text in texts.items()]
    return _render_png([*chunks[:-1], *added, chunks[-1]])


def without_texts(data: bytes) -> bytes:
    """Return only what is seen of a picture: no texts, no camera data, nothing behind its end.

    Raises:
        ValueError: As ``read_chunks``; or nothing is seen.
    """
    chunks = [(kind, content) for kind, content in read_chunks(data) if kind in DRAWN]
    width, height = struct.unpack_from(">II", chunks[0][1])
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"found {width} × {height} pixels, expected at most {MOST_PIXELS:,}")
    if not any(kind == b"IDAT" for kind, _ in chunks):
        raise ValueError("there is no picture in it")
    return _render_png(chunks)


def plain_picture(colour: str, width: int = 400, height: int = 600) -> bytes:
    """Return a picture of one colour (``#2f6b5e``); sizes in pixels."""
    row = b"\0" + bytes.fromhex(colour.removeprefix("#")) * width
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return _render_png([(b"IHDR", header), (b"IDAT", zlib.compress(row * height, 9)), (b"IEND", b"")])


def _read_text_chunk(kind: bytes, rest: bytes, most: int) -> bytes:
    if kind == b"tEXt":
        return _check_size(rest, most)
    if kind == b"zTXt":
        return _inflate(rest[1:], most)
    packed = rest[:1] == b"\x01"
    _, _, rest = rest[2:].partition(b"\0")  # the language
    _, _, text = rest.partition(b"\0")  # the translated keyword
    return _inflate(text, most) if packed else _check_size(text, most)


def _inflate(data: bytes, most: int) -> bytes:
    try:
        return _check_size(zlib.decompressobj().decompress(data, most + 1), most)
    except zlib.error as error:
        raise ValueError(f"a text cannot be unpacked: {error}") from error


def _check_size(data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise ValueError(f"more than {MOST_TEXT_BYTES:,} bytes of text")
    return data


def _render_png(chunks: list[tuple[bytes, bytes]]) -> bytes:
    return SIGNATURE + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )
