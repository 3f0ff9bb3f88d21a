"""Texts of the world as blocks of a book, the pictures in them, and the gallery as plates."""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Callable, Iterable
from dataclasses import replace

from gm.api.imports.png import MOST_PIXELS, read_chunks
from gm.base.config.kinds import is_number
from gm.base.markup import blocks as markup
from gm.base.markup.clean import neutral_line, neutralise
from gm.faces.book.sources import Sources
from gm.faces.book.values import Chapter, Image, Plate
from gm.files.layout import GALLERY
from gm.files.media.pieces import LoadedPiece, list_pieces
from gm.model.calendar import parse_ref
from gm.scene.pieces.names import piece_name

PNG, JPEG, GIF = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", (b"GIF87a", b"GIF89a")
MOST_CHARACTERS = 200_000  # of a text


def picture_kind(data: bytes) -> tuple[str, str] | None:
    """Return the media type and file ending of a picture (``image/png``, ``png``), by its bytes.

    None for other formats, truncated files, and sizes of none or too many pixels.
    """
    if data.startswith(PNG):
        kind, size = ("image/png", "png"), _size_of_png(data)
    elif data.startswith(JPEG) and data.rstrip(b"\x00").endswith(b"\xff\xd9"):
        kind, size = ("image/jpeg", "jpg"), _size_of_jpeg(data)
    elif data.startswith(GIF) and len(data) > 10 and data.rstrip(b"\x00").endswith(b"\x3b"):
        kind, size = ("image/gif", "gif"), struct.unpack_from("<HH", data, 6)
    else:
        return None
    return kind if 0 < size[0] * size[1] <= MOST_PIXELS else None


def _size_of_png(data: bytes) -> tuple[int, int]:
    try:
        (_, header), *others = read_chunks(data)
    except ValueError:
        return 0, 0
    width, height, depth, colour = struct.unpack_from(">IIBB", header)
    is_known = depth in (1, 2, 4, 8, 16) and colour in (0, 2, 3, 4, 6)
    return (width, height) if is_known and any(kind == b"IDAT" for kind, _ in others) else (0, 0)


def _size_of_jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        kind, length, height, width = struct.unpack_from(">xBHxHH", data, at)
        if kind in range(0xC0, 0xD0) and kind not in (0xC4, 0xC8, 0xCC):
            return width, height
        at += 1 if kind == 0xFF else 2 if kind in range(0xD0, 0xDA) or kind == 1 else 2 + max(2, length)
    return 0, 0


class Pictures:
    """The pictures of one book, each included once."""

    def __init__(self, find: Callable[[str], LoadedPiece | None]) -> None:
        self._find = find
        self._keys: dict[str, str] = {}
        self.images: list[Image] = []

    def key(self, piece: LoadedPiece) -> str:
        """Add a picture and return its key; empty when its format is not supported."""
        if piece.path not in self._keys:
            known = picture_kind(piece.data)
            self._keys[piece.path] = ""
            if known is not None:
                key = f"picture-{len(self.images) + 1:03d}.{known[1]}"
                self._keys[piece.path] = key
                self.images.append(Image(key, known[0], piece.data))
        return self._keys[piece.path]

    def settle(self, blocks: tuple[markup.Block, ...], folder: str) -> tuple[markup.Block, ...]:
        """Return blocks with pictures by key; unknown ones become their alternative text."""
        return tuple(self._settle(block, folder) for block in blocks)

    def _settle(self, block: markup.Block, folder: str) -> markup.Block:
        match block:
            case markup.Paragraph() | markup.Heading():
                return replace(block, inner=self._spans(block.inner, folder))
            case markup.Listing():
                return replace(block, items=tuple(self.settle(item, folder) for item in block.items))
            case markup.BlockQuote():
                return replace(block, blocks=self.settle(block.blocks, folder))
            case markup.Table():
                head, *rows = (tuple(self._spans(cell, folder) for cell in row) for row in (block.head, *block.rows))
                return replace(block, head=head, rows=tuple(rows))
        return block

    def _spans(self, inner: tuple[markup.Inline, ...], folder: str) -> tuple[markup.Inline, ...]:
        return tuple(self._settle_span(span, folder) for span in inner)

    def _settle_span(self, span: markup.Inline, folder: str) -> markup.Inline:
        if isinstance(span, markup.Emphasis | markup.Strong | markup.Struck | markup.Link):
            return replace(span, inner=self._spans(span.inner, folder))
        if not isinstance(span, markup.Picture):
            return span
        piece = self._find(posixpath.normpath(posixpath.join(folder, span.path))) if span.path else None
        key = self.key(piece) if piece else ""
        return markup.Picture(key, span.alt) if key else markup.TextRun(span.alt)


def align_levels(blocks: tuple[markup.Block, ...]) -> tuple[markup.Block, ...]:
    """Return blocks without empty headings, and with heading levels that begin at 1 and skip none."""
    open_levels: list[int] = []  # levels, as written, of the open headings

    def align(block: markup.Block) -> markup.Block:
        if isinstance(block, markup.Heading):
            if not has_words(block.inner):
                return markup.Paragraph(block.inner)
            while open_levels and open_levels[-1] >= block.level:
                open_levels.pop()
            open_levels.append(block.level)
            return replace(block, level=len(open_levels))
        if isinstance(block, markup.BlockQuote):
            return replace(block, blocks=tuple(map(align, block.blocks)))
        if isinstance(block, markup.Listing):
            return replace(block, items=tuple(tuple(map(align, item)) for item in block.items))
        return block

    return tuple(map(align, blocks))


def has_words(inner: tuple[markup.Inline, ...]) -> bool:
    """Return whether a line has any visible text."""
    return any(
        has_words(item.inner)
        if isinstance(item, markup.Emphasis | markup.Strong | markup.Struck | markup.Link)
        else isinstance(item, markup.TextRun | markup.Code) and bool(item.text.strip())
        for item in inner
    )


def paragraphs(text: str) -> tuple[str, ...]:
    """Split a text at empty lines; each paragraph becomes one line."""
    return tuple(filter(None, (neutral_line(part) for part in neutralise(text).split("\n\n"))))


def plain_blocks(text: str) -> tuple[markup.Block, ...]:
    """Return a plain text as paragraphs."""
    return tuple(markup.Paragraph((markup.TextRun(part),)) for part in paragraphs(text))


def marked_blocks(text: str) -> tuple[markup.Block, ...]:
    """Return a Markdown text as blocks; pictures become their alternative text."""
    return align_levels(Pictures(lambda _: None).settle(markup.parse_blocks(text), ""))


def to_line(value: object) -> str:
    """Return a text, number or list of these as one line; empty for other values."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(to_line, value)))
    return neutral_line(str(value)) if isinstance(value, str) or is_number(value) else ""


def join_with_commas(*texts: str) -> str:
    """Return texts that are not empty as a list on one line."""
    return ", ".join(filter(None, texts))


def plate_numbers(sources: Sources, owners: Iterable[str] = (), *, rest: bool = False) -> dict[str, int]:
    """Return the plate numbers, from 1, by path inside the world."""
    pieces = [sources.piece(path) for day in sources.views.values() for path in day.artifacts]
    wanted = set(owners)
    if rest or wanted:
        pieces += [
            piece
            for file in list_pieces(sources.layout)
            if (piece := sources.piece(f"{GALLERY}/{file.path}")) is not None
            and (rest or piece.front.get("agent") in wanted)
        ]
    paths = dict.fromkeys(piece.path for piece in pieces if piece is not None and is_shown(piece))
    return {path: number for number, path in enumerate(paths, 1)}


def plates_chapter(sources: Sources, pictures: Pictures) -> Chapter | None:
    """Return the chapter of all plates, if any."""
    plates = [
        _plate(sources, piece, number, pictures)
        for path, number in sources.plates.items()
        if (piece := sources.piece(path)) is not None
    ]
    if not plates:
        return None
    return Chapter("plates", "", sources.say("plates"), sources.say("plates_lead"), tuple(plates))


def piece_title(piece: LoadedPiece) -> str:
    """Return the title of a piece, else its file name in words."""
    return to_line(piece.front.get("title")) or to_line(piece_name(piece.path)) or to_line(piece.path)


def is_shown(piece: LoadedPiece) -> bool:
    """Return whether a book shows a piece: a text that is not too long, or a picture."""
    if piece.text is not None:
        return piece.path.endswith((".md", ".txt", ".markdown")) and len(piece.text) <= MOST_CHARACTERS
    return picture_kind(piece.data) is not None


def _plate(sources: Sources, piece: LoadedPiece, number: int, pictures: Pictures) -> Plate:
    agent, created = piece.front.get("agent"), parse_ref(to_line(piece.front.get("created")))
    kind = to_line(piece.front.get("kind"))
    caption = [
        sources.say("by", name=sources.named(agent)) if isinstance(agent, str) and agent else "",
        sources.say("day", day=created.day) if created else "",
        sources.words.known("work_kind", kind),
    ]
    blocks: tuple[markup.Block, ...] = ()
    title = piece_title(piece)
    if piece.text is not None:
        parsed = pictures.settle(markup.parse_blocks(piece.text), piece.path.rpartition("/")[0])
        blocks = align_levels(without_title(parsed, title))
    return Plate(
        number=number,
        title=title,
        caption=" · ".join(filter(None, caption)),
        description=to_line(piece.front.get("description")),
        blocks=blocks,
        picture=pictures.key(piece) if piece.text is None else "",
    )


def without_title(blocks: tuple[markup.Block, ...], title: str) -> tuple[markup.Block, ...]:
    """Return blocks without a first heading that says the title again."""
    first = blocks[0] if blocks else None
    if not isinstance(first, markup.Heading):
        return blocks
    text = "".join(item.text for item in first.inner if isinstance(item, markup.TextRun)).strip()
    return blocks[1:] if text and title.startswith(text) else blocks
