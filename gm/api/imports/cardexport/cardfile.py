"""Write the card of a character (``gm export AGENT --card FILE``)."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from gm.api.imports import books, cardmodel, fields, opening, png
from gm.api.imports.archive import read_zip
from gm.api.imports.cardexport import fromkept, fromworld, sources
from gm.base.config.pages import LEAST_IMPORTANCE
from gm.base.errors import GmError, UsageError
from gm.base.untyped import items_of
from gm.files.check.personas import refuse_near_headings
from gm.files.layout import Layout
from gm.files.media.portraits import find_portraits
from gm.layers.privacy import card_words
from gm.memory.share import PRIVATE

ENDINGS = (".png", ".json", ".charx")
COLOUR = "#6b7280"
"""Of the picture of a character who has neither a portrait nor a colour."""
Object = dict[str, object]
ICON = PurePosixPath("assets/icon/images/main.png")
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of all files in an archive: the same character gives the same bytes."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A card as a file.

    Attributes:
        from_card: Whether it is the updated card that the character came with.
    """

    agent: str
    format: str
    from_card: bool
    entries: int
    held_back: tuple[str, ...]


def make_card(
    layout: Layout,
    name: str,
    ending: str,
    shown: Collection[str] = (),
    *,
    importance: int = LEAST_IMPORTANCE,
    despite_headings: bool = False,
) -> tuple[Exported, bytes, list[str]]:
    """Return what a card holds, its file, and notes.

    Args:
        shown: Words of ``card_words`` to include all the same.
        importance: Minimum importance of lived memories that are no reflections.
        despite_headings: Whether text below a heading that only looks private is meant to be read.

    Raises:
        UsageError: No such character, format or word.
        BrokenWorldError: The character has unreadable files, or a heading that only looks private.
    """
    if ending not in ENDINGS:
        raise UsageError(f"a card cannot be a file {ending or 'without an ending'}", "there are: " + ", ".join(ENDINGS))
    character = sources.read_character(layout, name, shown, importance=importance)
    if PRIVATE in character.held_back and not despite_headings:
        refuse_near_headings(layout, [character.agent.id], character.world.settings.publish.headings)
    kept = fromkept.keeps_card(character)
    card = fromkept.kept_card(character) if kept else fromworld.new_card(character)
    data = card["data"]
    assert isinstance(data, dict)
    book = data.get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else []
    exported = Exported(
        character.agent.id,
        ending.removeprefix("."),
        kept,
        len(entries) if isinstance(entries, list | dict) else 0,
        tuple(word for word in card_words() if word in character.held_back),
    )
    notes = [*_note_assets(data.get("assets"), character, ending)]
    if ending != ".json" and not character.portrait and (found := find_portraits(layout).get(character.agent.id)):
        wanted = layout.shown(layout.portrait(character.agent.id))
        notes.append(f"{layout.shown(found[0])} is not in it: a card takes the PNG {wanted}")
    return exported, _render_card(card, character, ending), notes


def json_file(card: Object) -> bytes:
    """Return a card as JSON."""
    return (fields.render_exact(card) + "\n").encode()


def png_file(card: Object, picture: bytes) -> bytes:
    """Return a picture with a card V3, and its V2 twin for older programs."""
    texts = {"chara": base64.b64encode(json_file(as_v2(card))), "ccv3": base64.b64encode(json_file(card))}
    return png.write_texts(picture, texts)


def charx_file(card: Object, picture: bytes, files: Mapping[PurePosixPath, bytes]) -> bytes:
    """Return an archive with a card.

    Args:
        picture: A PNG for the icon, if the card has none.
        files: Of the archive that the character came in.
    """
    data = card["data"]
    assert isinstance(data, dict)
    found = {path: content for path, content in files.items() if path != opening.CARD}
    if picture and (assets := _with_icon(data.get("assets"))):
        card = {**card, "data": {**data, "assets": assets}}
        found[ICON] = picture
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {opening.CARD: json_file(card), **found}.items():
            archive.writestr(zipfile.ZipInfo(str(path), _TIME), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def as_v2(card: Object) -> Object:
    """Return a card V3 for readers of V2, without decorators, which they would show."""
    data = card["data"]
    assert isinstance(data, dict)
    book = data.get("character_book")
    if isinstance(book, dict):
        found = books.raw_entries(book)
        entries = [_without_decorators(entry) for entry in found]
        book = book if entries == found else {**book, "entries": entries}
        data = {**data, "character_book": book}
    return {**card, "spec": cardmodel.V2, "spec_version": "2.0", "data": data}


def _render_card(card: dict[str, object], character: sources.Character, ending: str) -> bytes:
    if ending == ".json":
        return json_file(card)
    if ending == ".png":
        picture = character.portrait or png.plain_picture(character.agent.front_values.color or COLOUR)
        try:
            return png_file(card, picture)
        except ValueError as error:
            raise GmError(f"the portrait of {character.name}: {error}", "replace it by another PNG") from error
    files = read_zip(character.archive, "the archive that was imported") if character.archive else {}
    return charx_file(card, character.portrait, files)


def _note_assets(assets: object, character: sources.Character, ending: str) -> Iterable[str]:
    listed = items_of(assets)
    inside = [
        asset for asset in listed if isinstance(asset, dict) and str(asset.get("uri")).startswith(cardmodel.INSIDE)
    ]
    if inside and (ending != ".charx" or not character.archive):
        yield f"{len(inside)} files belong to this card and are not in it: a CHARX holds them, if it came as one"


def _without_decorators(entry: object) -> object:
    if isinstance(entry, dict) and isinstance(content := entry.get("content"), str) and content.startswith("@@"):
        return {**entry, "content": books.strip_decorators(content)}
    return entry


def _with_icon(assets: object) -> list[object]:
    """Replace a default icon; empty if the card has an icon of its own."""
    listed: list[object] = items_of(assets)
    icons = [asset for asset in listed if isinstance(asset, dict) and asset.get("type") == "icon"]
    if any(asset.get("uri") != cardmodel.DEFAULT for asset in icons):
        return []
    icon = {"type": "icon", "uri": f"embeded://{ICON}", "name": "main", "ext": "png"}
    return [*(asset for asset in listed if asset not in icons), icon]
