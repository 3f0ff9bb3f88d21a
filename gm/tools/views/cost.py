"""What a world has cost, in figures to be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gm.errors import Problem
from gm.llm.prices import FREE_BACKENDS
from gm.model.calendar import parse_ref
from gm.store.layout import Layout
from gm.store.now import load_settings
from gm.store.traces import TraceReader
from gm.tools.cost import describe_cost
from gm.tools.views.logged import logged_day


@dataclass(frozen=True, slots=True)
class Sum:
    """What some calls have taken.

    Attributes:
        name: What they have in common: a day, a character, a type of scene, a model, a purpose.
        calls: How many.
        rejected: How many of them gave an answer of no use.
        input: Tokens of questions that were read anew.
        cached: Tokens of questions that came from the cache.
        written: Tokens of questions that went into the cache.
        output: Tokens of answers.
        usd: What they cost; None = no price is known.
        saved_usd: What the cache saved; None = no price is known.
        unpriced: How many of the calls have no known price.
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
        """All tokens of the questions."""
        return self.input + self.cached + self.written

    @property
    def share_cached(self) -> float:
        """Part of them that came from the cache, from 0 to 1."""
        return self.cached / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a world has cost.

    Attributes:
        total: All of it.
        days: By story day; the name is its number.
        agents: By character.
        kinds: By type of scene; empty name = outside of scenes, as in the evening.
        models: By model.
        purposes: By what the answers were for, of all models.
        free: Whether everything was rehearsed, replayed, or answered by people and assistants: then nothing was paid
            here, and nothing was counted.
        kept: Whether traces are here at all; without them nothing is known.
        unpriced: Models without a known price.
        prices: Day of the published prices.
        problems: What cannot be read.
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
    """Add up what every call has taken, by its traces."""
    settings, problems = load_settings(layout)
    document = describe_cost(TraceReader(layout.traces, layout.asks), settings)
    models = document["models"]
    purposes: dict[str, Sum] = {}
    for model in models.values():
        for name, record in model["purposes"].items():
            purposes[name] = _plus(purposes.get(name), _sum(name, record))
    total = _sum("", document["totals"])
    return Cost(
        total,
        tuple(_sum(_day(name), record) for name, record in document["days"].items()),
        tuple(_sum(name, record) for name, record in document["agents"].items()),
        tuple(_by_kind(layout, document["scenes"])),
        tuple(_sum(name, record) for name, record in models.items()),
        tuple(sorted(purposes.values(), key=lambda item: -item.calls)),
        bool(models) and all(name in FREE_BACKENDS for name in models),
        total.calls > 0,
        tuple(document["unpriced_models"]),
        str(document["prices"]["date"]),
        tuple(problems),
    )


def _by_kind(layout: Layout, scenes: Mapping[str, Any]) -> list[Sum]:
    sums: dict[str, Sum] = {}
    types: dict[int, dict[str, str]] = {}
    for name, record in scenes.items():
        ref = parse_ref(name)
        day = ref.day if ref else 0
        if day not in types:
            types[day] = {scene.anchor: scene.type for scene in logged_day(layout, day).scenes}
        kind = types[day].get(name.rpartition("/")[2], "") if "/" in name else ""
        sums[kind] = _plus(sums.get(kind), _sum(kind, record))
    return sorted(sums.values(), key=lambda item: (not item.name, -item.calls))


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
