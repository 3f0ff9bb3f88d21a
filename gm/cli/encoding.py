"""Terminals and pipes whose encoding lacks a character get the nearest thing they have, instead of an error.

``PYTHONIOENCODING=ascii`` or a Latin-1 terminal: ``»Büro« …`` reads ``"Buero" ...``.
"""

from __future__ import annotations

import codecs
import unicodedata
from typing import TextIO

NAME = "gm.nearest"
NEAREST = {
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "ø": "oe",
    "»": '"',
    "«": '"',
    "„": '"',
    "“": '"',
    "”": '"',
    "›": "'",
    "‹": "'",
    "‚": "'",
    "‘": "'",
    "’": "'",
    "…": "...",
    "–": "-",
    "—": "-",
    "‑": "-",
    "−": "-",
    "·": "-",
    "•": "*",
    "×": "x",
    "→": "->",
    "←": "<-",
    "≠": "!",
    "✓": "v",
    "★": "*",
    "↕": "|",
    "⇣": "v",
    "⇡": "^",
    "█": "#",
    "│": "|",
    "─": "-",
    "€": "EUR",
    "§": "S.",
    **dict(zip("▁▂▃▄▅▆▇", "_.-~=+*", strict=True)),
}


def tolerate(*streams: TextIO | None) -> None:
    """Have streams write the nearest thing to what their encoding lacks."""
    codecs.register_error(NAME, _nearest)
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=NAME)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    if character in NEAREST:
        return NEAREST[character]
    if unicodedata.combining(character):
        return ""
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
