"""Text from outside as it may stand in a world: in composed Unicode, without control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from gm.base.texts import CONTROLS, one_line


def clean_text(text: str) -> str:
    """Return a text of several lines in composed Unicode, with plain line ends and without control characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return unicodedata.normalize("NFC", CONTROLS.sub("", lines)).strip()


def clean_line(text: str) -> str:
    """Return a text on one line, in composed Unicode."""
    return one_line(unicodedata.normalize("NFC", text))


def clean_value(value: object) -> object:
    """Return a value of front matter with clean texts; texts of several lines keep them."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_line(str(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [clean_value(item) for item in value]
    return value
