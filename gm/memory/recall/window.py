"""The memory window chosen by what is on somebody's mind, instead of the newest (``retrieval.strategy``, K1)."""

from __future__ import annotations

from collections.abc import Sequence

from gm.config import RetrievalSettings
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Query
from gm.memory.recall.strategies import Means, rank
from gm.memory.retrieve import Selection, count_fresh, select_recent
from gm.model.node import Node

BY_QUESTION = ("scored", "hybrid")
ON_MIND = 5
"""So many of the newest memories are on somebody's mind when a day opens: they are the question."""


def choose_settled(
    owner: str, settled: Sequence[Node], strategy: str, last: int, means: Means, language: str
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Choose from what somebody remembers when a day opens, by what is on their mind then.

    Nothing that happens during the day changes the choice, so that the beginning of a prompt stays the same from call
    to call, and an interrupted day goes on with the same one.

    Args:
        owner: Id of the character.
        settled: The stream as it was when the day opened.
        strategy: ``scored`` or ``hybrid``.
        last: How many memories to choose; the newest few are always among them.
        means: What the strategies work with.
        language: Language of the world.

    Returns:
        Ids of the chosen ones, and what was done without.
    """
    older, newest = settled[: -min(last, ON_MIND)], settled[-min(last, ON_MIND) :]
    question = " ".join(node.description for node in newest)
    day = max((node.when.day for node in settled), default=0)
    query = Query(question, owner, day, purpose="now")
    most = last - len(newest)
    # what is asked with would answer itself best
    found = rank(strategy, query, [Columns(MemoryLexicon(owner, older, language))], Filters(), most, means)
    return frozenset((*(node.id for node in newest), *(hit.entry.id for hit in found.hits))), found.notices


def select_chosen(
    stream: Sequence[Node], chosen: frozenset[str], settings: RetrievalSettings, open_day: int | None
) -> Selection:
    """Put the window together: what was chosen, every reflection if so configured, and what the day has brought.

    Args:
        stream: The whole stream in file order.
        chosen: Ids of the settled memories that were chosen.
        settings: Settings ``retrieval``.
        open_day: The story day that is being played; None when no day is open.
    """
    settled = len(stream) - count_fresh(stream, open_day)
    window = tuple(
        node
        for place, node in enumerate(stream)
        if place >= settled or node.id in chosen or (settings.all_reflections and node.depth > 0)
    )
    if not window:  # then the open day has brought nothing either
        return select_recent(stream, settings.last, all_reflections=settings.all_reflections)
    return Selection(settings.strategy, (), window)
