"""The report of a forecast: sums by day, scene and model, and the remaining budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.api.playing.forecast.make import Expected, Forecast, sum_calls
from gm.api.reports.cost import Calibration, CostSum, PriceList, calibration_of, price_list
from gm.llm.budget import Amount
from gm.model.calendar import SceneRef


@dataclass(frozen=True, slots=True, kw_only=True)
class DayForecast:
    """The forecast of a day."""

    sum: CostSum = part(inline=True)
    day: int


@dataclass(frozen=True, slots=True)
class SceneForecast:
    """The forecast of a rehearsed scene."""

    scene: str
    type: str
    cast: tuple[str, ...]
    sum: CostSum = part(inline=True)


@dataclass(frozen=True, slots=True)
class ModelForecast:
    """The forecast for a model and purpose."""

    model: str
    purpose: str
    sum: CostSum = part(inline=True)


@dataclass(frozen=True, slots=True)
class Allowance:
    """A limit of the budget; ``enough`` = the forecast fits into what is left."""

    limit: float
    spent: float
    left: float
    enough: bool


@dataclass(frozen=True, slots=True)
class DayBudget:
    """A day's limits by name; unset ones are left out."""

    day: int
    limits: Mapping[str, Allowance] = part(inline=True)


@dataclass(frozen=True, slots=True)
class ForecastReport:
    """The forecast of a run.

    Attributes:
        cached: Expected share of prompt tokens from the cache, 0–1.
        error: Usual maximum error of the token counters, relative; None = not calibrated.
        answers: Source of their lengths: recorded in this world, in the studio that comes with gm, or rehearsed.
        seconds: By the mean of measured answers of the same models; of scenes played side by side, the longest counts.
            None = there are none, or answers come in a batch.
    """

    backend: str
    model: str
    days: tuple[DayForecast, ...]
    scenes: tuple[SceneForecast, ...]
    models: tuple[ModelForecast, ...]
    totals: CostSum
    cached: float
    error: float | None
    counters: Mapping[str, Calibration | None]
    answers: str
    unpriced_models: tuple[str, ...]
    budget: DayBudget | None
    prices: PriceList
    seconds: float | None


def describe_forecast(forecast: Forecast) -> ForecastReport:
    """Return the report of a forecast."""
    by_scene: dict[SceneRef, list[Expected]] = defaultdict(list)
    by_model: dict[tuple[str, str], list[Expected]] = defaultdict(list)
    by_day: dict[int, list[Expected]] = defaultdict(list)
    for call in forecast.calls:
        by_scene[call.place].append(call)
        by_model[call.model, call.purpose].append(call)
        by_day[call.place.day].append(call)
    days = sorted({scene.ref.day for scene in forecast.scenes})
    return ForecastReport(
        backend=forecast.backend.name,
        model=forecast.backend.model,
        days=tuple(DayForecast(sum=sum_calls(by_day[day]).sum(), day=day) for day in days),
        scenes=tuple(
            SceneForecast(str(item.ref), item.type, item.cast, sum_calls(by_scene[item.ref]).sum())
            for item in forecast.scenes
        ),
        models=tuple(
            ModelForecast(model, purpose, sum_calls(calls).sum())
            for (model, purpose), calls in sorted(by_model.items())
        ),
        totals=forecast.total.sum(),
        cached=round(forecast.total.tokens.share_cached, 4),
        error=None if forecast.error is None else round(forecast.error, 4),
        counters={model: calibration_of(counter) for model, counter in sorted(forecast.counters.items())},
        answers=forecast.answers,
        unpriced_models=tuple(forecast.unpriced),
        budget=_budget(forecast, days[0], by_day[days[0]]) if days else None,
        prices=price_list([forecast.backend.name]),
        seconds=None if forecast.seconds is None else round(forecast.seconds, 1),
    )


def _budget(forecast: Forecast, day: int, calls: list[Expected]) -> DayBudget | None:
    today = sum_calls(calls)
    takes = Amount(today.usd, today.tokens.asked + today.tokens.output, today.calls)
    limits = {}
    for name in Amount.__slots__:
        limit, spent = getattr(forecast.settings.budget, name), getattr(forecast.spent, name)
        if limit is not None:
            limits[name] = Allowance(limit, spent, max(0, limit - spent), spent + getattr(takes, name) <= limit)
    return DayBudget(day, limits) if limits else None
