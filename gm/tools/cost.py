"""What a world has cost so far, by its traces: days, scenes, characters, models, and what the cache has saved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from gm.config import Settings
from gm.llm.calls import Call, parse_call
from gm.llm.prices import Prices, published
from gm.model.calendar import render_day
from gm.store.traces import TraceReader
from gm.tokens import Counter, calibrate
from gm.tools.spent import Spent


def describe_cost(traces: TraceReader, settings: Settings, day: int | None = None) -> dict[str, Any]:
    """Add up all calls, answers that were rejected included: they were paid.

    Traces are read one by one; only sums are held, and two numbers of each call that a model counted.

    Args:
        traces: Of the world.
        settings: Its ``prices:`` come before the published ones.
        day: Only this day; None = all.

    Returns:
        The document of ``gm cost --json``.
    """
    prices = Prices(settings.prices)
    totals = Spent()
    days, scenes, agents, models = (defaultdict[str, Spent](Spent) for _ in range(4))
    purposes: dict[tuple[str, str], Spent] = defaultdict(Spent)
    unpriced: set[str] = set()
    samples: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number in traces.days() if day is None else [day]:
        for kept in traces.of_day(number):
            call = parse_call(kept.record)
            model = named(call)
            for sums in (
                totals,
                days[render_day(number)],
                scenes[str(kept.place)],
                agents[call.who],
                models[model],
                purposes[model, call.purpose],
            ):
                sums.add(call, prices, rejected=kept.rejected)
            if call.usd(prices) is None:
                unpriced.add(model)
            if call.is_counted:
                samples[model].append((call.characters, call.usage.prompt_tokens))
    return {
        "totals": totals.record(),
        "days": _records(days),
        "scenes": _records(scenes),
        "agents": _records(agents, by_name=True),
        "models": {
            name: {
                **models[name].record(),
                "purposes": {
                    purpose: purposes[model, purpose].record() for model, purpose in purposes if model == name
                },
                "counter": describe_counter(calibrate(samples.get(name, ()))),
            }
            for name in sorted(models)
        },
        "unpriced_models": sorted(unpriced),
        "prices": {"date": str(published()["date"]), "source": published()["source"], "own": sorted(settings.prices)},
    }


def named(call: Call) -> str:
    """Name the model that was asked; a stand-in by its backend, also where older traces say no more."""
    return call.asked or call.model or call.backend or "unknown"


def describe_counter(counter: Counter) -> dict[str, Any] | None:
    """Describe how well a model's tokens are known beforehand; None when that was never measured."""
    if not counter.samples:
        return None
    return {
        "tokens_per_character": round(float(counter.tokens_per_character), 4),
        "error": round(counter.error or 0.0, 4),
        "samples": counter.samples,
    }


def _records(sums: Mapping[str, Spent], *, by_name: bool = False) -> dict[str, Any]:
    names = sorted(sums) if by_name else list(sums)
    return {name: sums[name].record() for name in names}
