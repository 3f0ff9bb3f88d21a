"""Markdown of people and models on a page, under a heading of the page."""

from __future__ import annotations

import re

from markupsafe import Markup

from gm.markup.html import render_html

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]", re.MULTILINE)
LEVEL = 3


def render_prose(text: str) -> Markup:
    """Render a text that stands under a heading of level 2: its own highest headings have level 3.

    Args:
        text: Markdown of any origin; nothing in it can do anything.
    """
    highest = min((len(found) for found in _HEADING.findall(text)), default=1)
    return Markup(render_html(text, base_level=max(0, LEVEL - highest)))
