"""What a run is going to take, call by call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gm.api.cost import Spent
from gm.base.config import Settings
from gm.base.tokens import Counter
from gm.llm.base import Backend, Usage
from gm.llm.budget import Amount
from gm.model.calendar import SceneRef


@dataclass(frozen=True, slots=True)
class Played:
    """One scene of the rehearsal."""

    ref: SceneRef
    type: str
    play: str
    cast: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """One call that is expected: the question, what it takes, and what that costs (None = not known)."""

    place: SceneRef
    model: str
    purpose: str
    usage: Usage
    usd: float | None
    uncached_usd: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run is going to take.

    Attributes:
        backend: Who is going to be asked.
        scenes: What the rehearsal played, in order; scenes that were answered already take no calls.
        calls: Every question that is going to be asked, in order.
        counters: How the models count that are going to be asked; none for a backend that counts by the estimate.
        measured_answers: Whether all answers are as long as recorded ones were; else some are the rehearsal's.
        spent: What the first day has taken already.
        settings: Of the world.
    """

    backend: Backend
    scenes: tuple[Played, ...]
    calls: tuple[Expected, ...]
    counters: Mapping[str, Counter]
    measured_answers: bool
    spent: Amount
    settings: Settings

    @property
    def error(self) -> float | None:
        """How far the counters are off at most, as a rule; None when one of them is not calibrated yet."""
        errors = [counter.error for counter in self.counters.values()]
        known = [error for error in errors if error is not None]
        return max(known) if known and len(known) == len(errors) else None

    @property
    def total(self) -> Spent:
        """All calls together."""
        return sum_up(self.calls)

    @property
    def unpriced(self) -> list[str]:
        """Models that are going to be asked and have no known price."""
        return sorted({call.model for call in self.calls if call.usd is None})


def sum_up(calls: Iterable[Expected]) -> Spent:
    """Add calls together."""
    total = Spent()
    for call in calls:
        total.add_usage(call.usage, call.usd, call.uncached_usd)
    return total
