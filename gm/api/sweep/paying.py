"""The cost of a sweep: paid models need a budget before a world is played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gm.api.forecast.make import make_forecast
from gm.api.forecast.values import Forecast
from gm.api.models import choose_for
from gm.base.config import BudgetSettings
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.load import load_clock, load_settings
from gm.llm.choose import BACKENDS


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected cost of the runs of one model; ``forecast`` is for one run, all days."""

    model: str
    runs: int
    forecast: Forecast

    @property
    def usd(self) -> float | None:
        """Cost of all runs, extrapolated from one; None = a price is unknown."""
        return None if self.forecast.unpriced else self.forecast.total.usd * self.runs


def find_paid(worlds: Mapping[str, Layout], max_usd: float | None) -> dict[str, list[str]]:
    """Return the runs that ask paid models, by model, except those that cannot be asked from here (they fail later).

    Raises:
        GmError: A run has no budget, and ``max_usd`` is None.
    """
    paid: dict[str, list[str]] = defaultdict(list)
    for name, layout in worlds.items():
        try:
            choice = choose_for(layout, None)
        except GmError:
            continue
        if choice.backend.name in BACKENDS:
            continue
        paid[choice.backend.model].append(name)
        if max_usd is None and load_settings(layout)[0].budget == BudgetSettings():
            raise GmError(
                f"{name} asks {choice.backend.model}, and nothing says how much it may cost",
                "give --max-usd N for the whole sweep, or vary or set budget.day_usd",
            )
    return dict(paid)


def expect(
    worlds: Mapping[str, Layout], paid: Mapping[str, list[str]], last: Mapping[str, int]
) -> Iterable[Expectation]:
    """Forecast the first run of each paid model.

    Args:
        worlds: By run.
        paid: Runs by model.
        last: Last story day by run.
    """
    for model, names in paid.items():
        layout = worlds[names[0]]
        clock, _ = load_clock(layout)
        days = max(1, last[names[0]] - clock.day + clock.day_open)
        yield Expectation(model, len(names), make_forecast(layout, choose_for(layout, None), days))
