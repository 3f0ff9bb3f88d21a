"""Inputs and outputs of the strategies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gm.base.config import RecallSettings
from gm.memory.recall.columns import Columns
from gm.memory.recall.fading import Fading
from gm.memory.recall.query import Query, Similarity, Turn
from gm.model.calendar import SceneRef

NO_VECTORS = "there are no vectors: relevance is that of the words"


def no_turn(_moment: SceneRef) -> int:
    """Return 0: a ``Turn`` that counts no scenes."""
    return 0


@dataclass(frozen=True, slots=True)
class Means:
    """Inputs of the strategies beside the streams.

    Attributes:
        glossary: Words of the world with synonyms.
        similarity: None without an index of vectors.
        languages: Those of the model of the vectors; empty = all.
        fading: None = memories do not fade.
    """

    settings: RecallSettings = field(default_factory=RecallSettings)
    glossary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    similarity: Similarity | None = None
    turn_of: Turn = no_turn
    fading: Fading | None = None
    languages: tuple[str, ...] = ()

    def vectors_in(self, language: str) -> float:
        """Return the weight of vectors for memories in a language."""
        known = not self.languages or language in self.languages
        return self.settings.vectors if known else min(self.settings.vectors, self.settings.vectors_foreign)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one stream.

    Attributes:
        scores: By place; other places are not chosen, or are among ``others``.
        parts: Returns the parts of the score of a place.
        others: Yields more scores, none above ``bound``; read only where they can matter.
        in_order: Whether ``others`` come best first, ties in order: then only the first are read.
    """

    columns: Columns
    scores: Mapping[int, float]
    parts: Callable[[int], dict[str, float]]
    others: Callable[[], Iterable[tuple[int, float]]] = tuple
    bound: float = -math.inf
    in_order: bool = False

    def score(self, place: int) -> float:
        """Return the score of a memory; 0 when it has none."""
        if place in self.scores:
            return self.scores[place]
        return next((score for other, score in self.others() if other == place), 0.0)


Ranked = tuple[list[Scored], tuple[str, ...]]
"""The scores of each stream, and notices about what was not available."""
Strategy = Callable[[Query, Sequence[Columns], Means], Ranked | None]
"""Returns None when there is nothing to rank by."""
