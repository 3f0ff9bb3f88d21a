"""Untrusted text made fit for a world: composed Unicode, no control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice

from gm.base.texts import CONTROLS, one_line

MOST_ITEMS = 500
"""Of a list or a mapping in front matter, a soul, or relationships."""
LARGEST = 10**15
"""A larger whole number becomes a text, which every reader of YAML takes."""


def clean_text(text: str) -> str:
    """Clean a text of several lines; line ends become ``LF``."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return unicodedata.normalize("NFC", CONTROLS.sub("", lines)).strip()


def clean_line(text: str) -> str:
    """Clean a text and put it on one line."""
    return one_line(unicodedata.normalize("NFC", text))


def clean_value(value: object) -> object:
    """Clean all texts of a front matter value, keeping their lines; of lists, at most ``MOST_ITEMS`` items."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_line(str(key)): clean_value(item) for key, item in islice(value.items(), MOST_ITEMS)}
    if isinstance(value, Iterable):
        return [clean_value(item) for item in islice(value, MOST_ITEMS)]
    if isinstance(value, int) and abs(value) > LARGEST:
        return str(value)
    return value
