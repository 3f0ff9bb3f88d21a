"""Digests of an imported persona: an export changes what differs and leaves the rest of the card."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from gm.api.imports.fields import clean_line, clean_text
from gm.base.texts import is_digits
from gm.base.untyped import text_at, texts_in
from gm.files.formats.document import render_document

ENDING = ".note.json"


@dataclass(frozen=True, slots=True)
class ImportNote:
    """Digests of what an import wrote.

    Attributes:
        format: ``character card V2``.
        prose: Of the whole prose.
        parts: Of the prose's sections, by part.
        entries: Of the book's entries, by place.
        samples: Of the samples of speech, in order.
        user: Name for what the card calls its user; not a digest.
    """

    format: str
    name: str
    prose: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[int, str] = field(default_factory=dict)
    samples: tuple[str, ...] = ()
    user: str = ""


def digest(text: str) -> str:
    """Return the digest of a persona's text."""
    return hashlib.sha256(clean_text(text).encode()).hexdigest()[:16]


def digest_line(text: str) -> str:
    """Return the digest of a memory's text."""
    return hashlib.sha256(clean_line(text).encode()).hexdigest()[:16]


def render_note(note: ImportNote) -> bytes:
    """Return a note's file."""
    return render_document(asdict(note)).encode()


def parse_import_note(record: object) -> ImportNote | None:
    """Read a note's document; None if it is none."""
    if not isinstance(record, Mapping):
        return None
    format_, name = record.get("format"), record.get("name")
    if not (isinstance(format_, str) and isinstance(name, str)):
        return None
    return ImportNote(
        format_,
        name,
        text_at(record, "prose"),
        _texts_by_key(record.get("parts")),
        {int(place): text for place, text in _texts_by_key(record.get("entries")).items() if is_digits(place)},
        texts_in(record.get("samples")),
        text_at(record, "user"),
    )


def _texts_by_key(value: object) -> dict[str, str]:
    found = value.items() if isinstance(value, Mapping) else ()
    return {str(key): text for key, text in found if isinstance(text, str)}
