"""How somebody wants days to be played, beside what the settings of the world say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from gm.day.directors import Direction
from gm.day.review import Review
from gm.day.tool_protocol import Minds
from gm.day.vector_search import VectorSearch
from gm.store.layout import Layout

MindsOf = Callable[[Layout, Callable[[str], None], VectorSearch | None], Minds]
"""Takes a world's files, what is told of what was done without, and what compares vectors; None = one for each call."""


class PlayOptions(TypedDict, total=False):
    """What may be wanted; what is absent is as the settings say, or not wanted.

    Attributes:
        seed: Dice; None = the world's own.
        batch: Send what can wait in batches.
        direction: Who decides what comes next, and about whom.
        review: Decides about scenes before they land, and between them.
        minds: Opens what characters can ask that discover who they are.
        most_usd: Dollars that a story day may take at most.
        embeds: Whether an embedder may be asked, where the world has an index; it may unless this says False.
    """

    seed: int | None
    batch: bool
    direction: Direction
    review: Review | None
    minds: MindsOf | None
    most_usd: float | None
    embeds: bool
