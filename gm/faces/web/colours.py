"""Colours that personas declare, made readable on light and on dark paper."""

from __future__ import annotations

from collections.abc import Iterable

from gm.api.views.cast import ShownAgent
from gm.api.views.graphs.base import COLOURS

PATH = "colours.css"
LIGHT, DARK = "#f1eadf", "#25211d"
"""The grounds of ``static/site.css`` on which a colour is hardest to read: ``--sunken`` by day and by night."""
LEAST = 4.6
"""Contrast of text to its ground; WCAG 2 asks for 4.5."""
STEPS = 50

Channels = tuple[float, float, float]


def stylesheet(cast: Iterable[ShownAgent]) -> str:
    """Return the style sheet of the colours that personas declare."""
    rules = []
    for character in cast:
        if not character.colour:
            continue
        value = f"light-dark({make_readable(character.colour, LIGHT)}, {make_readable(character.colour, DARK)})"
        rules.append(f":root {{ --agent-{character.number}: {value}; }}\n")
        if character.number > COLOURS:
            rules.append(f".agent-{character.number} {{ --own: var(--agent-{character.number}); }}\n")
    return "".join(rules)


def make_readable(colour: str, ground: str) -> str:
    """Return a colour, mixed with as little black or white as text on this ground needs."""
    own, behind = _channels(colour), _channels(ground)
    target = 0.0 if _luminance(behind) > 0.18 else 1.0
    for step in range(STEPS + 1):
        part = step / STEPS
        red, green, blue = (channel + (target - channel) * part for channel in own)
        if contrast((red, green, blue), behind) >= LEAST:
            break
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in (red, green, blue))


def contrast(one: Channels, other: Channels) -> float:
    """Return the contrast ratio of two colours, from 1 to 21.

    Source:
        WCAG 2.2, "contrast ratio" and "relative luminance".
    """
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _channels(colour: str) -> Channels:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _luminance(colour: Channels) -> float:
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
