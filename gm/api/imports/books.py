"""Lorebooks as values: V2 and V3, within a card or alone, and World Info of SillyTavern.

Source:
    Character Card V2 (character_book), V3 (lorebook, decorators); World Info as SillyTavern writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gm.base.untyped import items_of, text_at

OWN = "gm"
"""Key in ``extensions``."""
MOST_ENTRIES = 2000
MOST_KEYS = 100
"""Of one entry."""
MOST_CHARACTERS = 200_000
"""Of one text of a card or a book."""
_DECORATOR = re.compile(r"@@@?([a-z_]+)[ \t]*([^\n]*)\Z", re.I)
_ENCLOSED = re.compile(r"/(.*)/[a-z]*\Z", re.S)
_WORDS = re.compile(r"[\w\s'’\-]+\Z")
_SIGNS = frozenset("\\^$*+?()[]{}|")
"""What makes a text more than words in a regular expression."""


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """An entry of a lorebook.

    Attributes:
        place: In the source, from 0.
        keys: Words that bring it up.
        content: Without decorators.
        patterns: Keys that are regular expressions; they never run.
        own: What an export of gm has written into it.
    """

    place: int
    title: str
    keys: tuple[str, ...]
    content: str
    enabled: bool = True
    constant: bool = False
    patterns: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    own: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lorebook:
    """A lorebook.

    Attributes:
        wrong: Places of unreadable entries, and why.
    """

    name: str
    entries: tuple[LoreEntry, ...]
    wrong: tuple[tuple[str, str], ...] = ()


def is_book(data: object) -> bool:
    """Return whether a document is a lorebook or World Info, judged by its keys."""
    book = book_in(data)
    if book is None:
        return False
    found = raw_entries(book)
    return not found or any(isinstance(item, Mapping) and {"keys", "key", "content"} & item.keys() for item in found)


def book_in(data: object) -> Mapping[str, object] | None:
    """Return the object that holds the entries of a lorebook; None without one."""
    if not isinstance(data, Mapping):
        return None
    inner = data.get("data") if data.get("spec") == "lorebook_v3" else data
    return inner if isinstance(inner, Mapping) and isinstance(inner.get("entries"), Mapping | list) else None


def raw_entries(book: Mapping[str, object]) -> list[object]:
    """Return the unparsed entries of a lorebook in their order."""
    entries = book.get("entries")
    if isinstance(entries, Mapping):
        return list(entries.values())
    return list(entries) if isinstance(entries, Sequence) and not isinstance(entries, str) else []


def read_book(book: Mapping[str, object]) -> Lorebook:
    """Read a lorebook; unreadable entries are left out and named."""
    entries: list[LoreEntry] = []
    wrong: list[tuple[str, str]] = []
    found = raw_entries(book)
    if len(found) > MOST_ENTRIES:
        wrong.append((f"{len(found) - MOST_ENTRIES} entries", f"more than {MOST_ENTRIES} are not read"))
    for place, item in enumerate(found[:MOST_ENTRIES]):
        if not isinstance(item, Mapping):
            wrong.append((f"entry {place + 1}", "it is not an object"))
            continue
        content = item.get("content")
        if not isinstance(content, str) or len(content) > MOST_CHARACTERS:
            wrong.append((f"entry {place + 1}", f"its content is not a text of at most {MOST_CHARACTERS:,} characters"))
            continue
        entries.append(_make_entry(place, item, content))
    title = text_at(book, "name")
    return Lorebook(title if title.strip() else "", tuple(entries), tuple(wrong))


def own_part(extensions: object) -> Mapping[str, object]:
    """Return what gm has written into a card or an entry; may be empty."""
    found = extensions.get(OWN) if isinstance(extensions, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def strip_decorators(content: str) -> str:
    """Return the content of an entry without decorators (V3 only)."""
    return _without_decorators(content)[0]


def _make_entry(place: int, item: Mapping[str, object], content: str) -> LoreEntry:
    content, decorators = _without_decorators(content)
    keys = [*_split_keys(item.get("keys", item.get("key")))]
    more = [*_split_keys(item.get("secondary_keys", item.get("keysecondary")))]
    regex = item.get("use_regex") is True
    words = dict.fromkeys(word for key in (*keys, *more) if (word := _key_words(key, regex)))
    patterns = tuple(key for key in (*keys, *more) if not _key_words(key, regex))
    title = next((text for key in ("name", "comment") if isinstance(text := item.get(key), str) and text.strip()), "")
    return LoreEntry(
        place,
        title.strip() or next(iter(words), "") or f"Entry {place + 1}",
        tuple(words),
        content,
        enabled=item.get("enabled", True) is not False
        and item.get("disable") is not True
        and "dont_activate" not in decorators,
        constant=item.get("constant") is True or "activate" in decorators,
        patterns=patterns,
        decorators=decorators,
        own=own_part(item.get("extensions")),
    )


def _without_decorators(content: str) -> tuple[str, tuple[str, ...]]:
    lines = content.replace("\r\n", "\n").split("\n")
    names: list[str] = []
    while lines and (found := _DECORATOR.match(lines[0].strip())):
        names.append(found[1].lower())
        del lines[0]
    return "\n".join(lines).strip(), tuple(dict.fromkeys(names))


def _split_keys(value: object) -> Iterator[str]:
    """Keys are a list, or one text with commas."""
    listed = value.split(",", MOST_KEYS) if isinstance(value, str) else items_of(value)
    yield from (item.strip() for item in listed[:MOST_KEYS] if isinstance(item, str) and item.strip())


def _key_words(key: str, regex: bool) -> str:
    """Return a key as words; empty for a pattern, which is never compiled."""
    enclosed = _ENCLOSED.match(key)
    if enclosed:
        return enclosed[1].strip() if _WORDS.match(enclosed[1]) else ""
    return "" if regex and _SIGNS & set(key) else key
