"""What leaves a world when it is shown to others."""

from __future__ import annotations

from gm.base.config import kinds
from gm.base.config.declare import SettingsSection, setting

BOOK_FORMATS = ("md", "html", "epub", "pdf")
PAPERS = ("a5", "a4", "b5", "us-trade", "us-letter")
"""Papers of a PDF, under the names that typst knows."""

LEAST_IMPORTANCE = 7
"""Of memories in the book of a mind, if no other is named."""

ALWAYS_SHOWN = ("personas", "scenes", "agreements", "moods", "gallery", "board")
"""Always published; a secret that a character tells there is told."""

PRIVATE_TAGS = ("private", "privat")
"""Tags of memories that are kept back with ``private``."""


class PublishSettings(SettingsSection):
    """What `gm publish` and `gm export` keep back."""

    private: tuple[str, ...] | None = setting(
        None,
        kinds.or_none(kinds.texts),
        "What published pages and books never show: any of the words that `gm publish --help` lists, the layers of a "
        "mind by their names among them, and characters (ids or names), whose minds are then kept back whole. memories "
        "= all of them, with reflections and plans; private = memories with the tag private or privat, what rests on "
        "them, and what characters have promised to keep to themselves. null keeps back all of it: what is left is "
        "what anyone in the story could have seen or heard.",
    )
    headings: tuple[str, ...] = setting(
        ("Was du keinem sagst", "What you tell nobody"),
        kinds.texts,
        "Headings in personas; what stands under them is kept back with private.",
    )
