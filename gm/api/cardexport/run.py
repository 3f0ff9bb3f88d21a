"""Write the card of a character (``gm export AGENT --card FILE``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gm.api.cardexport import fromkept, fromworld
from gm.api.cardexport.containers import charx_file, json_file, png_file
from gm.api.cardexport.sources import HELD_BACK, Character, read_character
from gm.api.imports import png
from gm.api.imports.archive import read_archive
from gm.api.imports.assets import INSIDE
from gm.base.errors import GmError, UsageError
from gm.files.layout import Layout

ENDINGS = (".png", ".json", ".charx")
COLOUR = "#6b7280"
"""Of the picture of a character who has neither a portrait nor a colour."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A card as a file.

    Attributes:
        format: ``png``, ``json`` or ``charx``.
        from_card: Whether it is the card with which the character came, with what has changed since.
        entries: Of its book.
        held_back: What the world keeps private and is not in it.
    """

    agent: str
    format: str
    from_card: bool
    entries: int
    held_back: tuple[str, ...]


def make_card(layout: Layout, name: str, ending: str, shown: Collection[str] = ()) -> tuple[Exported, bytes, list[str]]:
    """Return what a card holds, its file, and notes.

    Args:
        name: Id or name of the character.
        ending: One of ``ENDINGS``.
        shown: Words of ``HELD_BACK`` that are not held back.

    Raises:
        UsageError: No such character or format, or an unknown word.
        BrokenWorldError: Files of the character cannot be read.
    """
    if ending not in ENDINGS:
        raise UsageError(f"no card is a file {ending or 'without an ending'}", "there are: " + ", ".join(ENDINGS))
    character = read_character(layout, name, shown)
    kept = fromkept.is_kept(character)
    card = fromkept.card_of(character) if kept else fromworld.card_of(character)
    data = card["data"]
    assert isinstance(data, dict)
    book = data.get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else []
    told = Exported(
        character.agent.id,
        ending.removeprefix("."),
        kept,
        len(entries) if isinstance(entries, list | dict) else 0,
        tuple(word for word in HELD_BACK if word in character.held_back),
    )
    return told, _file(card, character, ending), list(_notes(data.get("assets"), character, ending))


def _file(card: dict[str, object], character: Character, ending: str) -> bytes:
    if ending == ".json":
        return json_file(card)
    if ending == ".png":
        picture = character.portrait or png.plain_picture(character.agent.told.color or COLOUR)
        try:
            return png_file(card, picture)
        except ValueError as error:
            raise GmError(f"the portrait of {character.name}: {error}", "put another PNG in its place") from error
    files = read_archive(character.archive, "the archive that was imported") if character.archive else {}
    return charx_file(card, character.portrait, files)


def _notes(assets: object, character: Character, ending: str) -> Iterable[str]:
    listed = assets if isinstance(assets, list) else []
    inside = [asset for asset in listed if isinstance(asset, dict) and str(asset.get("uri")).startswith(INSIDE)]
    if inside and (ending != ".charx" or not character.archive):
        yield f"{len(inside)} files belong to this card and are not in it: a CHARX holds them, if it came as one"
