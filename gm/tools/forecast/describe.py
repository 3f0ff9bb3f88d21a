"""A forecast as a document."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from gm.llm.budget import Amount
from gm.llm.prices import published
from gm.model.calendar import SceneRef
from gm.tools.cost import describe_counter
from gm.tools.forecast.values import Expected, Forecast, sum_up


def describe_forecast(forecast: Forecast) -> dict[str, Any]:
    """Describe a forecast in the form of ``gm advance-day --dry-run --json``."""
    by_scene: dict[SceneRef, list[Expected]] = defaultdict(list)
    by_model: dict[tuple[str, str], list[Expected]] = defaultdict(list)
    for call in forecast.calls:
        by_scene[call.place].append(call)
        by_model[call.model, call.purpose].append(call)
    days = sorted({scene.ref.day for scene in forecast.scenes})
    return {
        "backend": forecast.backend.name,
        "model": forecast.backend.model,
        "days": [
            sum_up(call for call in forecast.calls if call.place.day == day).record() | {"day": day} for day in days
        ],
        "scenes": [
            {"scene": str(item.ref), "type": item.type, "cast": list(item.cast), **sum_up(by_scene[item.ref]).record()}
            for item in forecast.scenes
        ],
        "models": [
            {"model": model, "purpose": purpose, **sum_up(calls).record()}
            for (model, purpose), calls in sorted(by_model.items())
        ],
        "totals": forecast.total.record(),
        "cached": round(forecast.total.cached, 4),
        "error": None if forecast.error is None else round(forecast.error, 4),
        "counters": {model: describe_counter(counter) for model, counter in sorted(forecast.counters.items())},
        "answers": "recorded" if forecast.measured_answers else "rehearsed",
        "unpriced_models": forecast.unpriced,
        "budget": _describe_budget(forecast, days),
        "prices": {"date": str(published()["date"]), "source": published()["source"]},
    }


def _describe_budget(forecast: Forecast, days: list[int]) -> dict[str, Any] | None:
    """Describe what is left of the budget of the first day, and whether the forecast fits into it."""
    limits = {name: getattr(forecast.settings.budget, name) for name in Amount.__slots__}
    if not any(limit is not None for limit in limits.values()) or not days:
        return None
    today = sum_up(call for call in forecast.calls if call.place.day == days[0])
    takes = Amount(today.usd, today.prompt_tokens + today.output_tokens, today.calls)
    return {
        "day": days[0],
        **{
            name: {
                "limit": limit,
                "spent": getattr(forecast.spent, name),
                "left": max(0, limit - getattr(forecast.spent, name)),
                "enough": getattr(forecast.spent, name) + getattr(takes, name) <= limit,
            }
            for name, limit in limits.items()
            if limit is not None
        },
    }
