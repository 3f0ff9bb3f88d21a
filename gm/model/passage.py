"""Passages: a paragraph of a text in the world's library, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """One paragraph of a text that characters can look something up in.

    Attributes:
        source: Path of the text inside the world: ``library/knochen.md``.
        first: Its first line in the file, from 1.
        last: Its last line.
        title: Title of the text.
        text: The paragraph, as it stands.
        author: Who wrote the text; may be empty.
    """

    source: str
    first: int
    last: int
    title: str
    text: str
    author: str = ""

    @property
    def place(self) -> str:
        """Where it stands, in the form in which memories cite it: ``library/knochen.md:12-18``."""
        return f"{self.source}:{self.first}-{self.last}"
