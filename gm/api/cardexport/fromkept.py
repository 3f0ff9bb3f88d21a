"""The card with which a character came, with what has changed since; everything else goes out as it came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import cast

from gm.api.cardexport.sources import Character
from gm.api.imports.books import raw_entries
from gm.api.imports.cardmodel import FIELDS_V1, V3, fields_of, version_of
from gm.api.imports.notes import ImportNote, digest, digest_line
from gm.api.imports.owncards import own_card
from gm.api.imports.sections import DESCRIPTION, LORE, PERSONALITY, VOICE, split_sections

Object = dict[str, object]
BREAK = "* * *"
"""Between two samples of speech in a persona."""
NO_NOTE = ImportNote("", "")
ADDED: Mapping[str, object] = {
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
    "group_only_greetings": [],
}
"""What V3 wants and an older card may not have."""


def card_of(character: Character) -> Object:
    """Return the kept card as V3.

    Unknown fields and extensions stay as they are. Names, sections of the persona and entries of the book are those of
    the world where they are no longer what was imported.
    """
    kept = cast("Object", character.kept)
    fields = dict(fields_of(kept))
    old = dict(fields)
    if version_of(kept) == "V1":
        fields = {key: fields.get(key, "") for key in FIELDS_V1}
    note = character.note or NO_NOTE
    if character.name != note.name:
        fields["name"] = character.name
    if digest(character.whole_prose) != note.prose:
        fields |= _changed_parts(character, note, fields)
    if isinstance(book := fields.get("character_book"), dict):
        fields["character_book"] = _changed_book(character, note, book)
    top = {key: value for key, value in kept.items() if key not in ("spec", "spec_version", "data")}
    for key in FIELDS_V1:  # copies for older programs
        if key in top and top[key] == old.get(key):
            top[key] = fields.get(key, "")
    version = kept.get("spec_version", "3.0") if version_of(kept) == "V3" else "3.0"
    return {"spec": V3, "spec_version": version, "data": {**fields, **_missing(fields)}, **top}


def is_kept(character: Character) -> bool:
    """Return whether a character came with a card of another program that is still there."""
    return version_of(character.kept) is not None and not own_card(
        fields_of(cast("Object", character.kept)).get("extensions")
    )


def _missing(fields: Object) -> Object:
    return {key: value for key, value in ADDED.items() if key not in fields}


def _changed_parts(character: Character, note: ImportNote, fields: Object) -> Object:
    whole, parts = split_sections(character.whole_prose), split_sections(character.prose)
    changed = {part for part, text in whole.items() if digest(text) != note.parts.get(part, digest(""))}
    new: Object = {}
    for part in (DESCRIPTION, PERSONALITY):
        if part in changed:
            new[part] = parts[part]
    if VOICE in changed:
        talks = [talk.strip() for talk in parts[VOICE].split(BREAK)]
        new |= {"mes_example": "\n".join(f"<START>\n{talk}" for talk in talks if talk), "first_mes": ""}
        new |= {key: [] for key in ("alternate_greetings", "group_only_greetings") if fields.get(key)}
    if LORE in changed:
        new["character_book"] = _with_constant(fields.get("character_book"), parts[LORE])
    return new


def _with_constant(book: object, text: str) -> Object:
    """Put what is always known into the first constant entry, since a persona does not say which one it was."""
    found: Object = dict(book) if isinstance(book, dict) else {"extensions": {}, "entries": []}
    entries: list[object] = []
    for entry in raw_entries(found):
        if isinstance(entry, dict) and entry.get("constant") is True and entry.get("enabled", True) is not False:
            entry = {**entry, "content": text}
            text = ""
            if not entry["content"]:
                continue
        entries.append(entry)
    if text:
        entries.append(
            {"keys": [], "content": text, "extensions": {}, "enabled": True, "insertion_order": 0, "constant": True}
        )
    return {**found, "entries": entries}


def _changed_book(character: Character, note: ImportNote, book: Object) -> Object:
    """Write edited seed memories into their entries; an entry of which all memories were deleted goes with them."""
    now: defaultdict[int, list[str]] = defaultdict(list)
    for node in character.gifted:
        place = node.metadata.get("entry")
        if node.metadata.get("kind") == "imported" and isinstance(place, int):
            now[place].append(node.description)
    entries: list[object] = []
    for place, entry in enumerate(raw_entries(book)):
        text = " ".join(now[place])
        if place in note.entries and isinstance(entry, dict) and digest_line(text) != note.entries[place]:
            if not text:
                continue
            entry = {**entry, "content": text}
        entries.append(entry)
    return book if entries == raw_entries(book) else {**book, "entries": entries}
