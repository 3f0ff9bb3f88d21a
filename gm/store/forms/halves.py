"""Half a character in a JSON text: an escaped surrogate without its other half, which no file and no model can take."""

from __future__ import annotations

import re

HINT = "take the escape out, or write the whole character"
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<alone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def may_have_halves(text: str) -> bool:
    """Tell whether a text has escaped surrogates at all; much faster."""
    return "\\ud" in text or "\\uD" in text


def find_half(text: str) -> int:
    """Find the first surrogate that stands alone: its offset in a text that is JSON, -1 when there is none."""
    return next((match.start() for match in _ESCAPE.finditer(text) if match["alone"]), -1)


def half_message(text: str, at: int) -> str:
    """Say what stands at a place that ``find_half`` has found."""
    return f"{text[at : at + 6]} is half a character: it cannot be written"
