"""The budget of a run: limits from settings, spending from traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gm.base.config import BudgetSettings, Settings
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader, paid_traces
from gm.llm.base import PURPOSES
from gm.llm.budget import NOT_COUNTED, Budget
from gm.llm.calls import Call, parse_call
from gm.llm.choose import Choice
from gm.llm.prices import Prices
from gm.model.world import World


def make_budget(layout: Layout, world: World, choice: Choice, most_usd: float | None = None) -> Budget | None:
    """Make a run's budget; None when nothing is limited.

    Raises:
        BudgetError: Dollars are limited, and the price of a model is unknown.
    """
    return make_limits(layout, world.settings, choice, models_asked(world, choice), most_usd)


def make_limits(
    layout: Layout, settings: Settings, choice: Choice, models: Iterable[str], most_usd: float | None = None
) -> Budget | None:
    """Make a budget for some models, as ``make_budget``."""
    limits = settings.budget
    if most_usd is not None:
        limits = replace(limits, day_usd=most_usd if limits.day_usd is None else min(limits.day_usd, most_usd))
    if limits == BudgetSettings() or choice.backend.name in NOT_COUNTED:
        return None
    traces = paid_traces(layout, layout.asks)
    budget = Budget(
        limits,
        Prices(settings.prices),
        choice.backend,
        lambda day: read_calls(traces, day),
        hour=settings.llm.cache == "1h",
    )
    budget.require_prices(models)
    return budget


def models_asked(world: World, choice: Choice) -> list[str]:
    """Return all models that a run may ask, sorted."""
    own = {agent.front_values.model for agent in world.agents.values()} or {""}
    return sorted({choice.model_for(purpose, name) or choice.backend.model for purpose in PURPOSES for name in own})


def read_calls(traces: TraceReader, day: int) -> Iterator[Call]:
    """Yield a day's calls, those with rejected answers too."""
    return (parse_call(kept.record) for kept in traces.of_day(day))
