"""The card that a character came with, updated; everything unchanged goes out as it came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

from gm.api.imports.books import OWN, own_part, raw_entries, read_book
from gm.api.imports.cardexport.fromworld import layer_entries, memory_entries, number_entries
from gm.api.imports.cardexport.sources import Character
from gm.api.imports.cardmodel import EMPTY_V3, FIELDS_V1, V3, fields_of, version_of
from gm.api.imports.cards import BREAK, DESCRIPTION, LORE, PERSONALITY, VOICE, nickname_of, split_sections, split_talks
from gm.api.imports.macros import Macros
from gm.api.imports.notes import ImportNote, digest, digest_line
from gm.api.imports.owncards import FRONT_KEY, carried_front, carried_layers, is_told_twice, own_card
from gm.base.markup.parse import part_prose
from gm.base.texts import is_digits
from gm.model.node import IMPORTED

Object = dict[str, object]
GREETINGS = ("alternate_greetings", "group_only_greetings")
NO_NOTE = ImportNote("", "")


def kept_card(character: Character) -> Object:
    """Return the kept card as V3.

    Names, sections and entries changed since the import are the world's; unknown fields and extensions stay.
    """
    kept = cast("Object", character.kept)
    fields = dict(fields_of(kept))
    old = dict(fields)
    if version_of(kept) == "V1":
        fields = {key: fields.get(key, "") for key in FIELDS_V1}
    note = character.note or NO_NOTE
    macros = _names(character, note)
    if character.name != note.name:
        fields["name"] = character.name
    called = character.agent.front_values.called
    if called and called != nickname_of(str(fields.get("nickname") or "")):
        fields["nickname"] = called
    parts = {} if digest(character.whole_prose) == note.prose else _changed_parts(character, note)
    fields |= _fields_of(parts, note, fields, macros)
    came = fields.get("character_book")
    book: Object = came if isinstance(came, dict) else {"extensions": {}, "entries": []}
    book = _with_life(character, _changed_book(character, note, book, parts.get(LORE), macros))
    if isinstance(came, dict) or raw_entries(book):
        fields["character_book"] = book
    own, extensions = _carried(character), fields.get("extensions")
    if own or own_part(extensions):
        others = {key: value for key, value in extensions.items() if key != OWN} if isinstance(extensions, dict) else {}
        fields["extensions"] = {**others, **({OWN: own} if own else {})}
    top = {key: value for key, value in kept.items() if key not in ("spec", "spec_version", "data")}
    for key in FIELDS_V1:  # copies for older programs
        if key in top and top[key] == old.get(key):
            top[key] = fields.get(key, "")
    version = kept.get("spec_version", "3.0") if version_of(kept) == "V3" else "3.0"
    return {"spec": V3, "spec_version": version, "data": {**fields, **_missing_fields(fields)}, **top}


def keeps_card(character: Character) -> bool:
    """Return whether a character still has the card of another program."""
    return version_of(character.kept) is not None and not own_card(
        fields_of(cast("Object", character.kept)).get("extensions")
    )


def _missing_fields(fields: Object) -> Object:
    return {key: value for key, value in EMPTY_V3.items() if key not in fields}


def _names(character: Character, note: ImportNote) -> Macros:
    char = character.agent.front_values.called or note.name or character.name
    return Macros(char, note.user or character.world.settings.outside)


def _carried(character: Character) -> Object:
    """Return what a card has no field for, as far as it is not held back."""
    front = carried_front(character.agent, character.held_back)
    layers = carried_layers(character.agent.mind, character.names, character.held_back)
    return {**({FRONT_KEY: front} if front else {}), **layers}


def _changed_parts(character: Character, note: ImportNote) -> dict[str, str]:
    """Return the sections that have changed; what the character tells nobody is of none, and goes to the first."""
    public, secret = part_prose(character.whole_prose, character.world.settings.publish.headings)
    parts = split_sections(public)
    changed = {part: text for part, text in parts.items() if digest(text) != note.parts.get(part, digest(""))}
    if secret and character.prose == character.whole_prose:
        changed[DESCRIPTION] = f"{parts[DESCRIPTION]}\n\n{secret}".strip()
    return changed


def _fields_of(parts: Mapping[str, str], note: ImportNote, fields: Object, macros: Macros) -> Object:
    new: Object = {
        part: macros.restore(parts[part], str(fields.get(part) or ""))
        for part in (DESCRIPTION, PERSONALITY)
        if part in parts
    }
    return new | (_write_samples_back(parts[VOICE], note, fields, macros) if VOICE in parts else {})


def _write_samples_back(text: str, note: ImportNote, fields: Object, macros: Macros) -> Object:
    """Write changed samples of speech back to where they came from; all into one field where their number changed."""
    samples = [sample for part in text.split(BREAK) if (sample := part.strip())]
    talks = split_talks(str(fields.get("mes_example") or ""))
    greetings = {key: listed for key in GREETINGS if isinstance(listed := fields.get(key), list)}
    texts = [*talks, fields.get("first_mes"), *(item for listed in greetings.values() for item in listed)]
    if not len(samples) == len(note.samples) == sum(isinstance(item, str) and bool(item.strip()) for item in texts):
        original = "\n".join(str(item) for item in texts)
        one = {"mes_example": macros.restore(_join_talks(samples), original), "first_mes": ""}
        return {**one, **{key: [] for key in greetings if greetings[key]}}
    now = iter(zip(samples, note.samples, strict=True))

    def next_of(old: object) -> object:
        """Return the text that a sample has now; of empty ones none was made."""
        if not (isinstance(old, str) and old.strip()):
            return old
        sample, before = next(now, ("", ""))
        return old if digest(sample) == before else macros.restore(sample, old)

    changed = [str(next_of(talk)) for talk in talks]
    new: Object = {} if changed == talks else {"mes_example": _join_talks(changed)}
    new["first_mes"] = next_of(fields.get("first_mes", ""))
    return new | {key: [next_of(item) for item in listed] for key, listed in greetings.items()}


def _join_talks(talks: Sequence[str]) -> str:
    return "\n".join(f"<START>\n{talk}" for talk in talks)


def _changed_book(character: Character, note: ImportNote, book: Object, constant: str | None, macros: Macros) -> Object:
    """Write edited seed memories into their entries; an entry without any is dropped.

    Args:
        constant: The text of the persona's section now, for the first constant entry, since it does not say which one
            it was; the others go. None = unchanged.
    """
    now: defaultdict[int, list[str]] = defaultdict(list)
    for node in character.gifted:
        place = node.metadata.get("entry")
        if node.kind == IMPORTED and isinstance(place, int):
            now[place].append(node.description)
    said = {entry.place: entry.content for entry in read_book(book).entries if entry.constant and entry.enabled}
    constant = constant and macros.restore(constant, "\n".join(said.values()))
    entries: list[object] = []
    for place, entry in enumerate(raw_entries(book)):
        text = " ".join(now[place])
        if constant is not None and place in said and isinstance(entry, dict):
            if not constant:
                continue
            entry, constant = {**entry, "content": constant}, ""
        elif place in note.entries and isinstance(entry, dict) and digest_line(text) != note.entries[place]:
            if not text:
                continue
            entry = {**entry, "content": macros.restore(text, str(entry.get("content")))}
        entries.append(entry)
    if constant:
        entries.append(
            {"keys": [], "content": constant, "extensions": {}, "enabled": True, "insertion_order": 0, "constant": True}
        )
    return book if entries == raw_entries(book) else {**book, "entries": entries}


def _with_life(character: Character, book: Object) -> Object:
    """Add what the character came to remember after its card was imported."""
    told_twice = {entry.place for entry in read_book(book).entries if is_told_twice(entry)}
    entries = [entry for place, entry in enumerate(raw_entries(book)) if place not in told_twice]
    gifted = [node for node in character.gifted if not {"gift", "entry"} & node.metadata.keys()]
    life = [*memory_entries(character, gifted, len(entries)), *layer_entries(character)]
    numbers = [int(number) for item in entries if isinstance(item, dict) and is_digits(number := str(item.get("id")))]
    new = number_entries(life, max([len(entries), *numbers]) + 1)
    return {**book, "entries": [*entries, *new]} if new or told_twice else book
