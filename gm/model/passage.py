"""Paragraphs of texts in the world's library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph that characters can look up; lines from 1, ``last`` inclusive.

    Attributes:
        source: Path inside the world: ``library/knochen.md``.
        title: Of the whole text.
        author: May be empty.
        tags: Of the whole text; words under which it is found.
    """

    source: str
    first: int
    last: int
    title: str
    text: str
    author: str = ""
    tags: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Its place as memories cite it: ``library/knochen.md:12-18``."""
        return f"{self.source}:{self.first}-{self.last}"
