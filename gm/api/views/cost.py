"""What a world has cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gm.api.cost import describe_cost
from gm.api.document import as_json
from gm.api.views.logbook import logged_day
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.files.layout import Layout
from gm.files.now import load_settings
from gm.files.traces import TraceReader
from gm.llm.prices import FREE_BACKENDS, published
from gm.model.calendar import parse_ref, render_day


@dataclass(frozen=True, slots=True)
class Sum:
    """Totals of model calls, in tokens and dollars.

    Attributes:
        name: Common day, character, scene type, model or purpose.
        rejected: Calls with an unusable answer.
        input: Uncached prompt tokens.
        cached: Prompt tokens read from the cache.
        written: Prompt tokens written to the cache.
        usd: None = no known price.
        unpriced: Calls without a known price.
    """

    name: str
    calls: int
    rejected: int
    input: int
    cached: int
    written: int
    output: int
    usd: float | None
    saved_usd: float | None
    unpriced: int

    @property
    def asked(self) -> int:
        """All prompt tokens."""
        return self.input + self.cached + self.written

    @property
    def share_cached(self) -> float:
        """Share of prompt tokens read from the cache, 0 to 1."""
        return self.cached / self.asked if self.asked else 0.0


NOTHING = Sum("", 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0)
MOST_KEPT = 4000
"""Maximum number of cached days."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a world has cost.

    Attributes:
        kinds: By scene type; empty name = outside of scenes.
        free: Whether all calls were rehearsed, replayed, or answered by people or assistants, which is not priced.
        kept: Whether there are traces, the only source.
        unpriced: Models without a known price.
        prices: Date of the published prices.
    """

    total: Sum
    days: tuple[Sum, ...]
    agents: tuple[Sum, ...]
    kinds: tuple[Sum, ...]
    models: tuple[Sum, ...]
    purposes: tuple[Sum, ...]
    free: bool
    kept: bool
    unpriced: tuple[str, ...]
    prices: str
    problems: tuple[Problem, ...]


def view_cost(layout: Layout) -> Cost:
    """Add up all calls; a day's sums are cached until its traces or the prices change."""
    settings, problems = load_settings(layout)
    total: dict[str, Sum] = {}
    days, agents, kinds, models, purposes = (dict[str, Sum]() for _ in range(5))
    unpriced: set[str] = set()
    for day, document in _documents(layout, settings):
        _add(total, "", document["totals"])
        for name, record in document["days"].items():
            _add(days, _day(name), record)
        for name, record in document["agents"].items():
            _add(agents, name, record)
        for name, kind in _kinds(layout, day, document["scenes"]).items():
            _add(kinds, kind, document["scenes"][name])
        for name, record in document["models"].items():
            _add(models, name, record)
            for purpose, part in record["purposes"].items():
                _add(purposes, purpose, part)
        unpriced.update(document["unpriced_models"])
    return Cost(
        total.get("", NOTHING),
        tuple(days.values()),
        tuple(agents[name] for name in sorted(agents)),
        tuple(sorted(kinds.values(), key=lambda item: (not item.name, -item.calls))),
        tuple(models[name] for name in sorted(models)),
        tuple(sorted(purposes.values(), key=lambda item: -item.calls)),
        bool(models) and all(name in FREE_BACKENDS for name in models),
        bool(total),
        tuple(sorted(unpriced)),
        str(published()["date"]),
        tuple(problems),
    )


_known: dict[tuple[Layout, int], tuple[object, Mapping[str, Any]]] = {}


def _documents(layout: Layout, settings: Settings) -> Iterator[tuple[int, Mapping[str, Any]]]:
    traces = TraceReader(layout.traces, layout.asks)
    for day in traces.days():
        look = traces.look(day), str(settings.prices)
        found = _known.get((layout, day))
        if found is None or found[0] != look:
            found = look, as_json(describe_cost(traces, settings, day))
            if len(_known) >= MOST_KEPT:
                _known.clear()
            _known[layout, day] = found
        yield day, found[1]


def _kinds(layout: Layout, day: int, scenes: Iterable[str]) -> dict[str, str]:
    types = {f"{render_day(day)}/{scene.anchor}": scene.type for scene in logged_day(layout, day).scenes}
    return {name: types.get(name, "") for name in scenes}


def _add(sums: dict[str, Sum], name: str, record: Mapping[str, Any]) -> None:
    sums[name] = _plus(sums.get(name), _sum(name, record))


def _day(name: str) -> str:
    ref = parse_ref(name)
    return str(ref.day) if ref else name


def _sum(name: str, record: Mapping[str, Any]) -> Sum:
    tokens = record["tokens"]
    return Sum(
        name,
        record["calls"],
        record["rejected"],
        tokens["input"],
        tokens["cache_read"],
        tokens["cache_write"],
        tokens["output"],
        record["usd"],
        record["saved_usd"],
        record["unpriced_calls"],
    )


def _plus(one: Sum | None, other: Sum) -> Sum:
    if one is None:
        return other
    return Sum(
        one.name,
        one.calls + other.calls,
        one.rejected + other.rejected,
        one.input + other.input,
        one.cached + other.cached,
        one.written + other.written,
        one.output + other.output,
        _added(one.usd, other.usd),
        _added(one.saved_usd, other.saved_usd),
        one.unpriced + other.unpriced,
    )


def _added(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other
