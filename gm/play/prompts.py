"""Open the prompts of a world."""

from __future__ import annotations

from gm.ask.prompt.render import Prompts
from gm.base.config import Settings
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts


def open_prompts(layout: Layout, settings: Settings) -> Prompts:
    """Return a world's own templates, with the packaged ones of its language and choice behind them."""
    return Prompts(layout.prompts, shipped_prompts(), settings.language, settings.prompts)
