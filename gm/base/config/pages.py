"""What leaves a world when it is shown to others."""

from __future__ import annotations

from gm.base.config import kinds
from gm.base.config.declare import SettingsSection, setting

PRIVATE = (
    *("thoughts", "reasons", "memories", "private", "diary", "soul", "relationships", "working", "now", "goals"),
    *("prompts", "cost"),
)
"""What can be kept back: thoughts of scenes, the Game Master's reasons, all memories with reflections and plans,
those tagged private or privat with what characters have promised to keep to themselves, diaries, souls, what characters
think of each other, pages of working memory, what occupies them now, goals, questions and raw answers, costs."""

IN_BOOKS = (
    *("cast", "thoughts", "reasons", "numbers", "plates", "closing"),
    *("soul", "now", "diary", "reflections", "relationships", "memories", "private"),
)
"""What a book can leave out; ``private`` are memories and evenings with the tag private or privat."""

BOOK_FORMATS = ("md", "html", "epub", "pdf")
PAPERS = ("a5", "a4", "b5", "us-trade", "us-letter")
"""Papers of a PDF, under the names that typst knows."""

INNER = ("thoughts", "reasons", "memories", "diary", "soul", "relationships", "working", "now", "goals")
"""What is told from inside a mind; it may contain a character's secrets."""

IN_CARDS = ("thoughts", "memories", "private", "diary", "soul", "relationships")
"""What a character card can hold of what a world keeps private."""

ALWAYS_SHOWN = ("personas", "scenes", "agreements", "moods", "gallery", "board")
"""Always published; a secret that a character tells there is told."""

PRIVATE_TAGS = ("private", "privat")
"""Tags of memories that are kept back with ``private``."""


class PublishSettings(SettingsSection):
    """What `gm publish` and `gm export` keep back."""

    private: tuple[str, ...] = setting(
        PRIVATE,
        kinds.some_of(*PRIVATE),
        "What published pages and books never show, any of thoughts, reasons, memories (all of them, with reflections "
        "and plans), private (memories with the tag private or privat, and what characters have promised to keep to "
        "themselves), diary, soul, relationships, working, now, goals, prompts, cost. The default keeps back all of "
        "it: what is left is what anyone in the story could have seen or heard.",
    )
    headings: tuple[str, ...] = setting(
        ("Was du keinem sagst", "What you tell nobody"),
        kinds.texts,
        "Headings in personas; what stands under them is kept back with private.",
    )
