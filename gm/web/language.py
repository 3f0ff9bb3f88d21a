"""The words of the interface, in the language of the world."""

from __future__ import annotations

from gm.tools.words.speech import Words
from gm.tools.words.speech import load_words as load

__all__ = ["Words", "load_words"]


def load_words(language: str) -> Words:
    """Load what pages say; in a language that they do not speak, English."""
    return load(language, "gm.web")
