"""Small operations on texts that every package needs: shorten, quote, recognise digits, remove control characters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
CONTROLS = re.compile(f"[{_CONTROLS}]")
"""Control characters other than tab and line feed, and halves of surrogate pairs."""
UNSAFE_CONTROLS = re.compile(f"[{_CONTROLS}\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""``CONTROLS``, and what changes lines or the direction of writing on a terminal."""


def clip(text: str, width: int = 60) -> str:
    """Shorten a text to a number of characters; an ellipsis stands for what is cut."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def shown(value: object) -> str:
    """Quote a value found in a file, as JSON and on one line of at most 60 characters."""
    return clip(json.dumps(value, ensure_ascii=False, default=str))


def is_digits(text: str, most: int = 18) -> bool:
    """Return whether a text is a whole number in ASCII digits, at most so many of them."""
    return text.isascii() and text.isdigit() and len(text) <= most


def one_line(text: str) -> str:
    """Return a text on one line: runs of white space and unprintable characters become one space."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def meant(name: str, known: Iterable[str]) -> str:
    """Return a hint for a name that is not known: the one that was probably meant, or all that there are."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name[:60], names, n=1)
    return f"did you mean {near[0]}?" if near else "there are: " + ", ".join(names)


def text_at(record: Mapping[str, object], key: str) -> str:
    """Return the text under a key; empty when the key is absent or holds anything else."""
    value = record.get(key)
    return value if isinstance(value, str) else ""
