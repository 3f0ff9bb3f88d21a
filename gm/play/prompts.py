"""Open the prompts of a world: its own templates, then the packaged ones."""

from __future__ import annotations

from gm.ask.prompt.render import Prompts
from gm.files.layout import Layout
from gm.files.shipped import shipped_prompts


def open_prompts(layout: Layout, language: str) -> Prompts:
    """Open the prompts of a world: its own, then the packaged ones of its language."""
    return Prompts(layout.prompts, shipped_prompts(), language)
