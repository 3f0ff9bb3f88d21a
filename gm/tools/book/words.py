"""The book's own words, in the language of the world."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from gm.frontmatter import load_safely

LANGUAGES = ("de", "en")
OTHERWISE = "en"  # for worlds in a language that has no words of ours


@cache
def load_words(language: str) -> Mapping[str, Any]:
    """Read the words of a language; those of English when there are none of its own.

    Returns:
        Texts by key, with ``{names}`` for values; ``scenes``, ``times``, ``works`` and others are mappings.
    """
    known = language if language in LANGUAGES else OTHERWISE
    text = files("gm.tools.book").joinpath("words", f"{known}.yaml").read_text(encoding="utf-8")
    words = load_safely(text)
    assert isinstance(words, dict)
    return words
