"""What a world has cost so far, by its traces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.base.config import Settings
from gm.base.tokens import TokenCounter, calibrate
from gm.files.questions.traces import TraceReader
from gm.llm.base import Usage
from gm.llm.calls import ASK_PURPOSE, Call, parse_call
from gm.llm.prices import Prices, name_price_sources
from gm.model.calendar import render_day

CENTS = 6  # decimal places of dollars: a call may cost a fraction of a cent
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
"""Columns of the table of calls that count tokens."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of prompts, by use of the cache, and of answers."""

    input: int
    cache_read: int
    cache_write: int
    output: int

    @property
    def asked(self) -> int:
        """Tokens of all prompts, cached ones included."""
        return self.input + self.cache_read + self.cache_write

    @property
    def share_cached(self) -> float:
        """Share of prompt tokens read from the cache, 0–1."""
        return self.cache_read / self.asked if self.asked else 0.0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
        )


NO_TOKENS = Tokens(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class CostSum:
    """The cost of some calls.

    Attributes:
        rejected: Calls whose answer was never of use, also paid.
        asked_again: Calls that asked once more, since the answer before had problems.
        usd: Of calls with known prices, or None.
    """

    calls: int
    rejected: int
    tokens: Tokens
    usd: float | None
    saved_usd: float | None
    unpriced_calls: int
    asked_again: int = 0

    def __add__(self, other: CostSum) -> CostSum:
        return CostSum(
            self.calls + other.calls,
            self.rejected + other.rejected,
            self.tokens + other.tokens,
            _plus(self.usd, other.usd),
            _plus(self.saved_usd, other.saved_usd),
            self.unpriced_calls + other.unpriced_calls,
            self.asked_again + other.asked_again,
        )


def _plus(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other


@dataclass(slots=True)
class Spent:
    """A running sum over calls; see ``CostSum``.

    Attributes:
        uncached_usd: Cost without a cache.
    """

    calls: int = 0
    rejected: int = 0
    tokens: Tokens = NO_TOKENS
    usd: float = 0.0
    uncached_usd: float = 0.0
    unpriced: int = 0
    asked_again: int = 0

    def add(self, call: Call, prices: Prices, *, rejected: bool = False) -> None:
        """Add a call from the traces."""
        self.add_usage(call.usage, call.usd(prices), call.uncached_usd(prices))
        self.rejected += rejected
        self.asked_again += call.asks_again

    def add_usage(self, usage: Usage, usd: float | None, uncached_usd: float | None) -> None:
        """Add a call by its tokens and US dollars; None = no known price."""
        self.calls += 1
        self.tokens += Tokens(
            usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens
        )
        self.usd += usd or 0.0
        self.uncached_usd += uncached_usd or 0.0
        self.unpriced += usd is None

    def sum(self) -> CostSum:
        """Return the sum; dollars are None without known prices."""
        known = self.calls > self.unpriced or not self.calls
        return CostSum(
            self.calls,
            self.rejected,
            self.tokens,
            round(self.usd, CENTS) if known else None,
            round(self.uncached_usd - self.usd, CENTS) if known else None,
            self.unpriced,
            self.asked_again,
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well a model's tokens are estimated; ``error`` is relative."""

    tokens_per_character: float
    error: float
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCost:
    """The cost of a model; ``counter`` is None if never measured."""

    sum: CostSum = part(inline=True)
    purposes: Mapping[str, CostSum]
    counter: Calibration | None


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices used; ``own`` names the models priced in ``gm.yaml``."""

    date: str
    source: str
    own: tuple[str, ...] | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a world, in total and by day, scene, character and model."""

    totals: CostSum
    days: Mapping[str, CostSum]
    scenes: Mapping[str, CostSum]
    agents: Mapping[str, CostSum]
    models: Mapping[str, ModelCost]
    unpriced_models: tuple[str, ...]
    prices: PriceList


def describe_cost(traces: TraceReader, settings: Settings, day: int | None = None) -> Cost:
    """Sum up all calls, including rejected answers.

    Args:
        settings: Their ``prices:`` precede the published ones.
        day: None = all.
    """
    prices = Prices(settings.prices)
    totals = Spent()
    days, scenes, agents, models = (defaultdict[str, Spent](Spent) for _ in range(4))
    purposes: dict[str, dict[str, Spent]] = defaultdict(lambda: defaultdict(Spent))
    unpriced: set[str] = set()
    backends: set[str] = set()
    samples: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number in traces.days() if day is None else [day]:
        for kept in traces.of_day(number):
            call = parse_call(kept.record)
            model = name_asked_model(call)
            backends.add(call.backend)
            for sums in (
                totals,
                days[render_day(number)],
                scenes[render_day(number) if call.purpose == ASK_PURPOSE else str(kept.place)],
                agents[call.who],
                models[model],
                purposes[model][call.purpose],
            ):
                sums.add(call, prices, rejected=kept.rejected)
            if call.usd(prices) is None:
                unpriced.add(model)
            if call.is_counted:
                samples[model].append((call.characters, call.usage.prompt_tokens))
    by_model = {
        name: ModelCost(
            sum=models[name].sum(),
            purposes=_sums(purposes[name]),
            counter=calibration_of(calibrate(samples.get(name, ()))),
        )
        for name in sorted(models)
    }
    return Cost(
        totals.sum(),
        _sums(days),
        _sums(scenes),
        _sums({name: agents[name] for name in sorted(agents)}),
        by_model,
        tuple(sorted(unpriced)),
        price_list(backends, tuple(sorted(settings.prices))),
    )


def price_list(backends: Iterable[str], own: tuple[str, ...] | None = None) -> PriceList:
    """Return the prices in use for calls of some backends."""
    return PriceList(*name_price_sources(backends), own)


def name_asked_model(call: Call) -> str:
    """Return the model that was asked; for a stand-in, the backend."""
    return call.asked or call.model or call.backend or "unknown"


def calibration_of(counter: TokenCounter) -> Calibration | None:
    """Return the calibration of a counter; None if never measured."""
    if not counter.samples:
        return None
    return Calibration(round(float(counter.tokens_per_character), 4), round(counter.error or 0.0, 4), counter.samples)


def _sums(sums: Mapping[str, Spent]) -> dict[str, CostSum]:
    return {name: spent.sum() for name, spent in sums.items()}
