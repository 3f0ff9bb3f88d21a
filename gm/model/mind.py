"""What a character has beside its persona and its memory stream, a file for each: the layers of its mind (DESIGN 1)."""

from __future__ import annotations

from dataclasses import dataclass

from gm.model.page import NO_PAGE, Page, PageChange
from gm.model.soul import NO_SOUL, Soul, SoulChange


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character; a layer without a file is empty.

    Attributes:
        soul: What it is and stays.
        page: Its working memory.
    """

    soul: Soul = NO_SOUL
    page: Page = NO_PAGE


@dataclass(frozen=True, slots=True)
class MindChange:
    """What one step changes in the layers of one character; None = nothing in that layer.

    Attributes:
        soul: What is added to the soul and taken out of it.
        page: What changes on the page of working memory.
    """

    soul: SoulChange | None = None
    page: PageChange | None = None


NO_MIND = Mind()
