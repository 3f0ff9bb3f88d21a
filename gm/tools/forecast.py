"""What the coming day is going to take: it is rehearsed in a copy of the world, and every question is counted.

A real model plays another day than the rehearsal does: other scenes, longer or shorter answers. What is forecast is the
rehearsed day at the chosen models' prices; the error that is stated is the counter's alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gm.config import Settings
from gm.day.directors import AS_SET, Direction
from gm.day.report import Report
from gm.day.run import play_days
from gm.day.spending import read_calls
from gm.llm.base import CAN_WAIT, Backend, CachingBackend, Request, Usage
from gm.llm.budget import Amount, Budget
from gm.llm.calls import calibrate_counters
from gm.llm.choose import Choice
from gm.llm.foresight import Foreseen, Foresight, foresee_usage, waves_of
from gm.llm.prices import FREE_BACKENDS, Prices, cost_usd, published, uncached_usd
from gm.model.calendar import SceneRef, parse_ref
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.scene.evening import PURPOSE as DIARY
from gm.store.layout import Layout
from gm.store.load import load_settings
from gm.store.scratch import scratch
from gm.store.traces import TraceFolder, TraceReader
from gm.tokens import Counter
from gm.tools.cost import describe_counter
from gm.tools.mind.minds import SceneMinds
from gm.tools.spent import Spent

RECENT_DAYS = 5
"""Days whose calls the counters are measured on: the last ones that have traces."""


@dataclass(frozen=True, slots=True)
class Played:
    """One scene of the rehearsal."""

    ref: SceneRef
    type: str
    play: str
    cast: tuple[str, ...]


class _Scenes(Report):
    """Remembers the scenes of a rehearsal."""

    def __init__(self) -> None:
        self.played: dict[str, Played] = {}

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self.played[str(scene.ref)] = Played(scene.ref, scene.type.name, scene.type.play, tuple(scene.cast))


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
        return _sum(self.calls)

    @property
    def unpriced(self) -> list[str]:
        """Models that are going to be asked and have no known price."""
        return sorted({call.model for call in self.calls if call.usd is None})


def make_forecast(
    layout: Layout,
    choice: Choice,
    days: int = 1,
    seed: int | None = None,
    *,
    batch: bool = False,
    direction: Direction = AS_SET,
) -> Forecast:
    """Rehearse what ``gm advance-day`` would play, in a copy that is thrown away. Writes nothing into the world.

    Args:
        layout: The world.
        choice: Who is going to be asked; nobody is asked now.
        days: As ``--days``.
        seed: As ``--seed``.
        batch: As ``--batch``.
        direction: As ``--director`` and ``--script``.

    Raises:
        GmError: The day cannot be played: the run would not begin either.
    """
    foresight = Foresight(
        choice.backend, lambda place, label, identity: TraceFolder(layout.traces, place).find(label, identity)
    )
    heard = _Scenes()
    with scratch(layout) as copy:
        stand_in = Choice(foresight, "a forecast", choice.models, choice.own_models)
        command = "gm advance-day --dry-run"
        play_days(copy, stand_in, heard, days, command=command, seed=seed, direction=direction, minds=SceneMinds)
    settings, _ = load_settings(layout)
    return _count(layout, choice.backend, settings, heard.played, foresight.foreseen, batch=batch)


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
            _sum(call for call in forecast.calls if call.place.day == day).record() | {"day": day} for day in days
        ],
        "scenes": [
            {"scene": str(item.ref), "type": item.type, "cast": list(item.cast), **_sum(by_scene[item.ref]).record()}
            for item in forecast.scenes
        ],
        "models": [
            {"model": model, "purpose": purpose, **_sum(calls).record()}
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


def _count(
    layout: Layout,
    backend: Backend,
    settings: Settings,
    played: Mapping[str, Played],
    foreseen: Iterable[Foreseen],
    *,
    batch: bool,
) -> Forecast:
    foreseen = list(foreseen)
    played = {**played, **_evenings(foreseen)}
    traces = TraceReader(layout.traces, layout.asks)
    recent = (call for day in islice(reversed(traces.days()), RECENT_DAYS) for call in read_calls(traces, day))
    counters, answers = calibrate_counters(recent)
    order = sorted(foreseen, key=lambda item: _at(_place(item.request)))  # stable: within a scene, as they came
    waves = waves_of(order, lambda request: _wave(request, played))
    is_free = backend.name in FREE_BACKENDS
    caches = isinstance(backend, CachingBackend) and backend.caches
    usages = foresee_usage(waves, counters, answers, cached=caches, hour=settings.llm.cache == "1h")
    prices = Prices(settings.prices)
    calls = tuple(
        _expect(item, usage, prices, backend, batch=batch and item.request.purpose in CAN_WAIT)
        for wave, counted in zip(waves, usages, strict=True)
        for item, usage in zip(wave, counted, strict=True)
    )
    first = min((scene.ref.day for scene in played.values()), default=0)
    budget = Budget(settings.budget, prices, backend, lambda day: read_calls(traces, day))
    return Forecast(
        backend=backend,
        scenes=tuple(sorted(played.values(), key=lambda scene: _at(scene.ref))),
        calls=calls,
        counters={call.model: counters.get(call.model, Counter()) for call in calls if not is_free},
        measured_answers=all(call.purpose in answers.get(call.model, {}) for call in calls),
        spent=budget.spent_on(first) if first else Amount(),
        settings=settings,
    )


def _wave(request: Request, played: Mapping[str, Played]) -> object:
    """Name what is asked at the same time: a scene, all reflections of a day, or one turn."""
    if request.purpose == "reflection":
        return "reflection", _place(request).day, request.label == request.who  # insights wait for their questions
    if request.purpose == "director":
        return request.place, request.purpose  # the scene waits for it
    if played[request.place].play == "sequential":
        return request.place, request.label
    # who was asked something answers together with all others who were, when everybody has replied
    return request.place, request.label == request.who


def _place(request: Request) -> SceneRef:
    place = parse_ref(request.place)
    assert place is not None
    return place


def _evenings(foreseen: Iterable[Foreseen]) -> dict[str, Played]:
    """Make of the diaries of a day what is shown behind its scenes."""
    asked: dict[str, list[Request]] = defaultdict(list)
    for item in foreseen:
        if item.request.purpose == DIARY:
            asked[item.request.place].append(item.request)
    return {
        place: Played(_place(requests[0]), DIARY.upper(), "parallel", tuple(sorted(one.who for one in requests)))
        for place, requests in asked.items()
    }


def _at(place: SceneRef) -> tuple[int, bool, SceneRef]:
    """Put the close of a day, which has no number, behind its scenes."""
    return place.day, not place.scene, place


def _expect(item: Foreseen, usage: Usage, prices: Prices, backend: Backend, *, batch: bool) -> Expected:
    price = prices.for_call(backend.name, item.model)
    return Expected(
        place=_place(item.request),
        model=item.model,
        purpose=item.request.purpose,
        usage=usage,
        usd=cost_usd(usage, price, batch=batch) if price else None,
        uncached_usd=uncached_usd(usage, price, batch=batch) if price else None,
    )


def _sum(calls: Iterable[Expected]) -> Spent:
    total = Spent()
    for call in calls:
        total.add_usage(call.usage, call.usd, call.uncached_usd)
    return total


def _describe_budget(forecast: Forecast, days: list[int]) -> dict[str, Any] | None:
    """Describe what is left of the budget of the first day, and whether the forecast fits into it."""
    limits = {name: getattr(forecast.settings.budget, name) for name in Amount.__slots__}
    if not any(limit is not None for limit in limits.values()) or not days:
        return None
    today = _sum(call for call in forecast.calls if call.place.day == days[0])
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
