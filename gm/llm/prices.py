"""What calls cost: the published prices of ``prices.yaml``, and what a world's ``gm.yaml`` says instead.

A price that is not known is None, never 0: a sum with an unknown part must not look like a sum.
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
"""What the cache costs where a price does not say so, as multiples of the input (the provider's own rule)."""

_DATE = re.compile(r"-20[0-9]{6}\Z")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens.

    Attributes:
        input: Tokens of a question that are neither read from the cache nor written to it.
        output: Tokens of an answer.
        cache_write_5m: Tokens written to the cache for five minutes.
        cache_write_1h: Tokens written to the cache for an hour.
        cache_read: Tokens read from the cache.
        batch: What a call in a batch costs, as a part of its price.
    """

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
    """Return what one call costs.

    cost = (input·p_in + write_5m·p_5m + write_1h·p_1h + read·p_read + output·p_out) / 1,000,000, times the batch factor

    Args:
        usage: Its tokens.
        price: Of its model.
        batch: It was asked in a batch.

    Returns:
        US dollars, at least 0.
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
    """Return what a call would have cost without a cache: all of its question paid as input."""
    return cost_usd(Usage(usage.prompt_tokens, usage.output_tokens), price, batch=batch)


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices that hold in a world.

    Attributes:
        own: What ``gm.yaml`` says (``prices:``), by model; comes first.
    """

    own: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        """Find the price of a model; None when it is not known."""
        names = names_of(model)
        own = next((self.own[name] for name in names if name in self.own), None)
        if own is not None:
            return parse_price(own, published()["batch"])
        return next((price for name in names if (price := _listed().get(name))), None)

    def for_call(self, backend: str, *models: str) -> Price | None:
        """Find the price of a call.

        Args:
            backend: Which kind of backend answered.
            models: Which model was asked, then what it calls itself: the first one with a known price counts.
        """
        if backend in FREE_BACKENDS:
            return FREE
        return next((price for model in models if (price := self.of(model))), None)


def names_of(model: str) -> tuple[str, ...]:
    """Name what the price of a model may be listed under: its own name, then its family's.

    A family is the name without a date: ``claude-x-4-5-20250929`` is one of ``claude-x-4-5``. No other prefix counts:
    ``claude-x-4-5`` is not a kind of ``claude-x-4``, and a model that is newer than the list must not be paid by the
    price of an older one.
    """
    family = _DATE.sub("", model)
    return (model,) if family == model else (model, family)


def parse_price(values: Mapping[str, Any], batch: float = BATCH) -> Price:
    """Read a price; what it does not say about the cache follows from the input."""
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
