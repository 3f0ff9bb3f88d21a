"""What the strategies work with, and what each of them gives."""

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
    """Return 0, where the scenes of the world are not counted."""
    return 0


@dataclass(frozen=True, slots=True)
class Means:
    """What the strategies work with beside the streams.

    Attributes:
        settings: Settings ``recall``.
        glossary: Words of the world and others that mean the same.
        similarity: Similarity of vectors; None when there is no index of them.
        languages: Those that the model of these vectors was made for; empty = all.
        turn_of: Counts scenes over the world.
        fading: How memories fade; None = they do not.
    """

    settings: RecallSettings = field(default_factory=RecallSettings)
    glossary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    similarity: Similarity | None = None
    turn_of: Turn = no_turn
    fading: Fading | None = None
    languages: tuple[str, ...] = ()

    def vectors_in(self, language: str) -> float:
        """Return the weight of vectors of memories in a language."""
        known = not self.languages or language in self.languages
        return self.settings.vectors if known else min(self.settings.vectors, self.settings.vectors_foreign)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one stream.

    Attributes:
        columns: The stream.
        scores: By place; what is not in it is not chosen, or is among ``others``.
        parts: What the score of a place is made of.
        others: Scores of more memories, none of them above ``bound``; looked at only where they can matter.
        bound: See above.
        in_order: Whether ``others`` come best first, equal ones in their order: then only the first are looked at.
    """

    columns: Columns
    scores: Mapping[int, float]
    parts: Callable[[int], dict[str, float]]
    others: Callable[[], Iterable[tuple[int, float]]] = tuple
    bound: float = -math.inf
    in_order: bool = False

    def score(self, place: int) -> float:
        """Return the score of one memory; 0 when it has none."""
        if place in self.scores:
            return self.scores[place]
        return next((score for other, score in self.others() if other == place), 0.0)


Ranked = tuple[list[Scored], tuple[str, ...]]
"""The scores of each stream, and what was done without."""
Strategy = Callable[[Query, Sequence[Columns], Means], Ranked | None]
"""None = there is nothing to rank by."""
