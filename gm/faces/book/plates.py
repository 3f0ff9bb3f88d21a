"""Plates: the gallery's texts as documents, its pictures as figures."""

from __future__ import annotations

from collections.abc import Iterable

from gm.base.markup.blocks import Block, Heading, Words, parse_blocks
from gm.faces.book.sources import Sources
from gm.faces.book.texts import Pictures, even_levels, picture_kind, said
from gm.faces.book.values import Chapter, Plate
from gm.files.layout import GALLERY
from gm.files.pieces import Contents, list_pieces
from gm.model.calendar import parse_ref
from gm.scene.names import piece_name

MOST_CHARACTERS = 200_000  # of a text


def plate_numbers(sources: Sources, owners: Iterable[str] = (), *, rest: bool = False) -> dict[str, int]:
    """Return the plate numbers, from 1, by path inside the world.

    Pieces of scenes come first, in order, then those of ``owners`` (character ids) and, with ``rest``, all others.
    """
    pieces = [sources.piece(path) for scene in sources.scenes for path in scene.artifacts]
    wanted = set(owners)
    if rest or wanted:
        pieces += [
            piece
            for file in list_pieces(sources.layout)
            if (piece := sources.piece(f"{GALLERY}/{file.path}")) is not None
            and (rest or piece.front.get("agent") in wanted)
        ]
    paths = dict.fromkeys(piece.path for piece in pieces if piece is not None and _is_shown(piece))
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


def piece_title(piece: Contents) -> str:
    """Return the title of a piece, else its file name in words."""
    return said(piece.front.get("title")) or said(piece_name(piece.path)) or said(piece.path)


def _is_shown(piece: Contents) -> bool:
    if piece.text is not None:
        return piece.path.endswith((".md", ".txt", ".markdown")) and len(piece.text) <= MOST_CHARACTERS
    return picture_kind(piece.data) is not None


def _plate(sources: Sources, piece: Contents, number: int, pictures: Pictures) -> Plate:
    agent, created = piece.front.get("agent"), parse_ref(said(piece.front.get("created")))
    kind = said(piece.front.get("kind"))
    caption = [
        sources.say("by", name=sources.named(agent)) if isinstance(agent, str) and agent else "",
        sources.say("day", day=created.day) if created else "",
        sources.words.known("work_kind", kind),
    ]
    blocks: tuple[Block, ...] = ()
    title = piece_title(piece)
    if piece.text is not None:
        parsed = pictures.settle(parse_blocks(piece.text), piece.path.rpartition("/")[0])
        blocks = even_levels(_without_title(parsed, title))
    return Plate(
        number=number,
        title=title,
        caption=" · ".join(filter(None, caption)),
        description=said(piece.front.get("description")),
        blocks=blocks,
        picture=pictures.key(piece) if piece.text is None else "",
    )


def _without_title(blocks: tuple[Block, ...], title: str) -> tuple[Block, ...]:
    first = blocks[0] if blocks else None
    if not isinstance(first, Heading):
        return blocks
    text = "".join(item.text for item in first.inner if isinstance(item, Words)).strip()
    return blocks[1:] if text and title.startswith(text) else blocks
