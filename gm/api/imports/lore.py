"""Where the entries of a lorebook go: to the library, into seed memories, or into a persona."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.api.imports.arrival import Arrival, Format, FormatOptions, ImportedPerson, ImportSource, Lore, Memory
from gm.api.imports.books import Lorebook, LoreEntry, book_in, is_book, read_book
from gm.api.imports.fields import clean_line
from gm.api.imports.macros import Macros
from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.memory.recall.words import chunk_text
from gm.model.node import NODE_TYPES

KEPT = ".book.json"
"""Ending of the copy that is kept; a card of the same name has another one."""
LIBRARY, GIFTED = "library", "gifted"
SHOWN_NAMES = 6
"""Names in a sentence about many entries."""
Parts = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sorted:
    """The entries of a book in use, with macros resolved."""

    constant: tuple[LoreEntry, ...]
    keyed: tuple[LoreEntry, ...]
    left: tuple[tuple[str, str], ...]


def sort_entries(book: Lorebook, macros: Macros) -> Sorted:
    """Divide entries into constant and keyed ones; disabled and empty ones are left aside."""
    used = [_resolve_entry(entry, macros) for entry in book.entries if entry.enabled and entry.content.strip()]
    left: Parts = [(f"book: {part}", why) for part, why in book.wrong]
    disabled = [entry.title for entry in book.entries if not entry.enabled]
    left += _list_names(disabled, "switched off")
    left += _list_names([entry.title for entry in book.entries if entry.enabled and not entry.content.strip()], "empty")
    patterns = [f"{entry.title} ({pattern})" for entry in book.entries if entry.enabled for pattern in entry.patterns]
    left += _list_names(patterns, "keys that are patterns are not used; the text itself is", "book: patterns of ")
    decorators = dict.fromkeys(name for entry in book.entries for name in entry.decorators)
    left += _list_names(
        [f"@@{name}" for name in decorators], "texts have no place and no turn here", "book: decorators "
    )
    return Sorted(
        tuple(entry for entry in used if entry.constant),
        tuple(entry for entry in used if not entry.constant),
        tuple(left),
    )


def make_memories(entries: Iterable[LoreEntry]) -> tuple[Memory, ...]:
    """Return entries as memories, long ones in pieces with the same keys.

    An entry exported by gm becomes the memory it was.
    """
    found: list[Memory] = []
    first: dict[object, int] = {}
    for entry in entries:
        first[entry.place] = len(found)
        memory = Memory("", tags=entry.keys, queries=entry.keys, entry=entry.place)
        if entry.own:
            found.append(_as_it_was(entry, memory, first))
        else:
            found += [replace(memory, text=piece) for piece in chunk_text(clean_line(entry.content))]
    return tuple(found)


def _as_it_was(entry: LoreEntry, memory: Memory, first: Mapping[object, int]) -> Memory:
    kind, importance, evidence = (entry.own.get(key) for key in ("type", "importance", "evidence"))
    return replace(
        memory,
        text=clean_line(entry.content),
        type=next((known for known in NODE_TYPES if known == kind), memory.type),
        importance=importance if isinstance(importance, int) else None,
        evidence=tuple(first[place] for place in evidence if isinstance(place, int) and place in first)
        if isinstance(evidence, list)
        else (),
    )


def make_texts(entries: Iterable[LoreEntry]) -> tuple[Lore, ...]:
    """Return entries as library texts."""
    return tuple(Lore(entry.title, entry.content, entry.keys) for entry in entries)


def read_lorebook(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read a standalone lorebook.

    Raises:
        UsageError: It is to be remembered, and names no character.
    """
    data = book_in(source.data)
    assert data is not None
    if options.lore == GIFTED and not options.holder:
        raise UsageError(f"{source.name}: a lorebook needs a character that remembers it", "name one: --for NAME")
    book = read_book(data)
    found = sort_entries(book, Macros(options.holder, options.user, options.seed))
    entries = (*found.constant, *found.keyed)
    name = _format_of(source.data)
    if not options.holder:
        mapped = ((counted(len(entries), "entry"), "library"),)
        return Arrival(name, lore=make_texts(entries), kept={KEPT: source.raw}, mapped=mapped, left=found.left)
    # places are those of the card that the character came with, if any
    person = ImportedPerson(
        options.holder, memories=tuple(replace(memory, entry=None) for memory in make_memories(entries))
    )
    mapped = ((counted(len(entries), "entry"), f"seed memories of {options.holder}"),)
    return Arrival(name, (person,), kept={KEPT: source.raw}, mapped=mapped, left=found.left)


LOREBOOKS = Format("lorebooks (V2, V3) and World Info", lambda source: is_book(source.data), read_lorebook)


def _format_of(data: object) -> str:
    if isinstance(data, dict) and data.get("spec") == "lorebook_v3":
        return "lorebook V3"
    return "World Info" if isinstance(data, dict) and isinstance(data.get("entries"), dict) else "lorebook V2"


def _resolve_entry(entry: LoreEntry, macros: Macros) -> LoreEntry:
    keys = tuple(dict.fromkeys(key for one in entry.keys if (key := clean_line(macros.resolve(one)))))
    title = clean_line(macros.resolve(entry.title)) or f"Entry {entry.place + 1}"
    return LoreEntry(
        entry.place, title, keys, macros.resolve(entry.content).strip(), constant=entry.constant, own=entry.own
    )


def _list_names(names: Sequence[str], why: str, what: str = "book: ") -> Parts:
    if not names:
        return []
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return [(what + ", ".join(name[:80] for name in names[:SHOWN_NAMES]) + more, why)]
