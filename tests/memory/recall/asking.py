"""Ask small streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gm.config import RecallSettings, SignalSettings
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Found, Query
from gm.memory.recall.strategies import Means, rank
from gm.model.node import Node
from tests.build import node

OFF = SignalSettings(
    pairs=0,
    coverage=0,
    compounds=0,
    synonyms=0,
    speaker=1,
    named=1,
    question=1,
    before=0,
    before_asks=0,
    two_before=0,
    after=0,
    others=1,
    session=0,
    date=0,
    length=0,
    answers=1,
    around=0,
    beginnings=0,
)


def stream(*texts: str, day: int = 1, tags: Sequence[str] = ()) -> tuple[Node, ...]:
    """Make memories of Vera's, one a scene of the same day."""
    return tuple(
        node(number, description=text, created=f"day-{day:03d}/scene-{number:02d}", tags=tags)
        for number, text in enumerate(texts, 1)
    )


def asked(
    nodes: Sequence[Node],
    query: Query | str,
    strategy: str = "hybrid",
    *,
    signals: Mapping[str, Any] | None = None,
    settings: RecallSettings | None = None,
    filters: Filters | None = None,
    most: int = 10,
    language: str = "de",
    **means: Any,
) -> Found:
    """Ask Vera's stream. Signals are off but for those that are named, unless none is named."""
    chosen = settings or RecallSettings()
    if signals is not None:
        chosen = replace(chosen, signals=replace(OFF, **signals))
    text = query if isinstance(query, Query) else Query(query)
    columns = Columns(MemoryLexicon("vera", nodes, language))
    return rank(strategy, text, [columns], filters or Filters(), most, Means(chosen, **means))


def numbers(found: Found) -> list[int]:
    """Give the numbers of the memories that were found, best first."""
    return [int(hit.entry.id.rpartition("-")[2]) for hit in found.hits]
