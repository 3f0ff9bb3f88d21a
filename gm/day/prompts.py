"""Open the prompts of a world: its own templates, then the packaged ones."""

from __future__ import annotations

from gm.prompt.render import Prompts
from gm.store.layout import Layout
from gm.store.shipped import shipped_prompts


def open_prompts(layout: Layout, language: str) -> Prompts:
    """Open the prompts of a world: its own, then the packaged ones of its language."""
    return Prompts(layout.prompts, shipped_prompts(), language)
