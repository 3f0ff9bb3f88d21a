"""Costs of calls: the published prices of ``prices.yaml``, overridden by a world's ``gm.yaml``.

An unknown price is None, never 0: a sum with an unknown part must not look like a sum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

from gm.base.frontmatter import load_safely
from gm.llm.base import Usage

MILLION = 1_000_000
BATCH = 0.5
WRITE_5M, WRITE_1H, READ = 1.25, 2.0, 0.1
"""Multiples of the input price for cache tokens where a price does not say (the provider's own rule)."""

_DATE = re.compile(r"-20[0-9]{6}\Z")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; ``batch`` is the factor for a call in a batch."""

    input: float
    output: float
    cache_write_5m: float
    cache_write_1h: float
    cache_read: float
    batch: float = BATCH


FREE = Price(0.0, 0.0, 0.0, 0.0, 0.0)
"""Rehearsal, mailbox and replay: no tokens are paid for."""

FREE_BACKENDS = ("rehearsal", "mailbox", "replay")


def cost_usd(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """Return the cost of one call in US dollars, at least 0.

    cost = (input·p_in + write_5m·p_5m + write_1h·p_1h + read·p_read + output·p_out) / 1,000,000, times the batch factor
    """
    write_5m = max(0, usage.cache_write_tokens - usage.cache_write_1h_tokens)
    tokens = (
        usage.input_tokens * price.input
        + write_5m * price.cache_write_5m
        + usage.cache_write_1h_tokens * price.cache_write_1h
        + usage.cache_read_tokens * price.cache_read
        + usage.output_tokens * price.output
    )
    return tokens / MILLION * (price.batch if batch else 1.0)


def uncached_usd(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """Return the cost without a cache: the whole question paid as input."""
    return cost_usd(Usage(usage.prompt_tokens, usage.output_tokens), price, batch=batch)


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a world; ``own`` are those of ``gm.yaml``, by model, and come first."""

    own: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        """Return the price of a model; None when it is not known."""
        names = names_of(model)
        own = next((self.own[name] for name in names if name in self.own), None)
        if own is not None:
            return parse_price(own, published()["batch"])
        return next((price for name in names if (price := _listed().get(name))), None)

    def for_call(self, backend: str, *models: str) -> Price | None:
        """Return the price of a call; of several names of its model, the first one with a known price counts."""
        if backend in FREE_BACKENDS:
            return FREE
        return next((price for model in models if (price := self.of(model))), None)


def names_of(model: str) -> tuple[str, ...]:
    """Return the names of a model in price lists: its own, then the same without a date (``-20250929``).

    No other prefix counts: a model newer than the list must not be paid by the price of an older one.
    """
    family = _DATE.sub("", model)
    return (model,) if family == model else (model, family)


def parse_price(values: Mapping[str, Any], batch: float = BATCH) -> Price:
    """Read a price; missing prices for the cache follow from the input price."""
    full = float(values["input"])
    return Price(
        input=full,
        output=float(values["output"]),
        cache_write_5m=float(values.get("cache_write_5m", WRITE_5M * full)),
        cache_write_1h=float(values.get("cache_write_1h", WRITE_1H * full)),
        cache_read=float(values.get("cache_read", READ * full)),
        batch=float(values.get("batch", batch)),
    )


@lru_cache(maxsize=1)
def published() -> Mapping[str, Any]:
    """Read ``prices.yaml``: date, source, batch factor and models."""
    text = (resources.files(__package__) / "prices.yaml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = load_safely(text)
    return data


@lru_cache(maxsize=1)
def _listed() -> Mapping[str, Price]:
    data = published()
    return {name: parse_price(values, data["batch"]) for name, values in data["models"].items()}
