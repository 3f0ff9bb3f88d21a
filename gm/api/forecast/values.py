"""The values of a forecast, call by call."""

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
    """A rehearsed scene."""

    ref: SceneRef
    type: str
    play: str
    cast: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected call; dollars are None if unknown."""

    place: SceneRef
    model: str
    purpose: str
    usage: Usage
    usd: float | None
    uncached_usd: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a run.

    Attributes:
        scenes: As rehearsed; those already answered have no calls.
        counters: By model; empty for estimating backends.
        measured_answers: Whether all answer lengths come from recorded calls.
        spent: By the first day so far.
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
        """Usual maximum error of the counters, relative; None if one is not calibrated."""
        errors = [counter.error for counter in self.counters.values()]
        known = [error for error in errors if error is not None]
        return max(known) if known and len(known) == len(errors) else None

    @property
    def total(self) -> Spent:
        """The sum of all calls."""
        return sum_up(self.calls)

    @property
    def unpriced(self) -> list[str]:
        """Models without a known price."""
        return sorted({call.model for call in self.calls if call.usd is None})


def sum_up(calls: Iterable[Expected]) -> Spent:
    """Sum up calls."""
    total = Spent()
    for call in calls:
        total.add_usage(call.usage, call.usd, call.uncached_usd)
    return total
