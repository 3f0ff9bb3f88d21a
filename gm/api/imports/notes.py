"""What a persona was when it was imported: an export changes what differs from it, and leaves the rest of the card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.api.imports.texts import clean_line, clean_text

ENDING = ".note.json"


@dataclass(frozen=True, slots=True)
class ImportNote:
    """Digests of what an import wrote.

    Attributes:
        format: Of the card: ``character card V2``.
        prose: Digest of all of the persona's prose.
        parts: Digests of the sections of the persona's prose, by part.
        entries: Digests of what became of the entries of the card's book, by place.
    """

    format: str
    name: str
    prose: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[int, str] = field(default_factory=dict)


def digest(text: str) -> str:
    """Return a digest of a text as it stands in a persona."""
    return hashlib.sha256(clean_text(text).encode()).hexdigest()[:16]


def digest_line(text: str) -> str:
    """Return a digest of a text as it stands in memories."""
    return hashlib.sha256(clean_line(text).encode()).hexdigest()[:16]


def render_note(note: ImportNote) -> bytes:
    """Return the file of a note."""
    record = {
        "format": note.format,
        "name": note.name,
        "prose": note.prose,
        "parts": dict(note.parts),
        "entries": {str(place): text for place, text in note.entries.items()},
    }
    return (json.dumps(record, ensure_ascii=False, indent=4) + "\n").encode()


def read_note(record: object) -> ImportNote | None:
    """Read the document of a note; None if it is none."""
    if not isinstance(record, Mapping):
        return None
    format_, name, prose, parts, entries = (record.get(key) for key in ("format", "name", "prose", "parts", "entries"))
    if not (isinstance(format_, str) and isinstance(name, str)):
        return None
    return ImportNote(
        format_,
        name,
        prose if isinstance(prose, str) else "",
        _texts(parts),
        {int(place): text for place, text in _texts(entries).items() if place.isascii() and place.isdigit()},
    )


def _texts(value: object) -> dict[str, str]:
    found = value.items() if isinstance(value, Mapping) else ()
    return {str(key): text for key, text in found if isinstance(text, str)}
