"""Ask small streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from gm.base.config import RecallSettings
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Query, QueryResult
from gm.memory.recall.scored import RecallInputs
from gm.memory.recall.strategies import rank_memories
from gm.model.node import Node
from tests.build import node

OFF: Mapping[str, float] = {
    "matching.PAIRS": 0,
    "matching.COVERAGE": 0,
    "matching.COMPOUND": 0,
    "matching.BEGINNING": 0,
    "question.SYNONYM": 0,
    "hybrid.SPEAKER": 1,
    "hybrid.AROUND": 0,
    "signals.NAMED": 1,
    "signals.QUESTION": 1,
    "signals.BEFORE": 0,
    "signals.BEFORE_ASKS": 0,
    "signals.TWO_BEFORE": 0,
    "signals.AFTER": 0,
    "signals.OTHERS": 1,
    "signals.SESSION": 0,
    "signals.DATE": 0,
    "signals.ANSWERS": 1,
    "columns.LENGTH": 0,
    "columns.LENGTH_SHARE": 0.3,
    "signals.DATE_TAU_DAYS": 7.0,
}
"""Constants of ``gm.memory.recall`` at which a signal says nothing; the last two stay unless a test names them."""


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
) -> QueryResult:
    """Ask Vera's stream. Signals are off but for those that are named, unless none is named."""
    chosen = settings or RecallSettings()
    text = query if isinstance(query, Query) else Query(query)
    columns = Columns(MemoryLexicon("vera", nodes, language))
    with ExitStack() as stack:
        if signals is not None:
            named = {name: name.partition(".")[2].lower() for name in OFF}
            assert set(signals) <= set(named.values())
            for name, value in OFF.items():
                stack.enter_context(patch(f"gm.memory.recall.{name}", signals.get(named[name], value)))
        return rank_memories(strategy, text, [columns], filters or Filters(), most, RecallInputs(chosen, **means))


def numbers(found: QueryResult) -> list[int]:
    """Return the numbers of the memories that were found, best first."""
    return [int(hit.entry.id.rpartition("-")[2]) for hit in found.hits]
