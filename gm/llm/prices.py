"""Costs of calls: by the provider, else by ``prices.yaml``; ``gm.yaml`` comes first.

An unknown price is None, never 0: a sum with an unknown part must not look like a sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from gm.llm.base import MAILBOX, REHEARSAL, REPLAY, Backend, Usage
from gm.llm.packaged import read_packaged
from gm.llm.providers import find_provider, is_address, providers

MILLION = 1_000_000
BATCH = 0.5
WRITE_5M, WRITE_1H, READ = 1.25, 2.0, 0.1
"""Multiples of the input price for cache tokens where a price does not say (the provider's own rule)."""

_DATE = re.compile(r"-20[0-9]{2}-?[0-9]{2}-?[0-9]{2}\Z")
FREE_BACKENDS = (REHEARSAL, MAILBOX, REPLAY)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; ``batch`` is the factor for batches."""

    input: float
    output: float
    cache_write_5m: float
    cache_write_1h: float
    cache_read: float
    batch: float = BATCH


FREE = Price(0.0, 0.0, 0.0, 0.0, 0.0)
"""No tokens are paid for: rehearsal, mailbox, replay, and a server of one's own."""


def cost_usd(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """Return a call's cost in US dollars, at least 0.

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
    """Return the cost if the whole question is paid as input."""
    return cost_usd(Usage(usage.prompt_tokens, usage.output_tokens), price, batch=batch)


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a world; ``own`` are those of ``gm.yaml``, by model."""

    own: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, model: str, backend: str = "") -> Price | None:
        """Return a model's price; None = unknown.

        Args:
            model: With or without its provider (``openai:gpt-…``).
            backend: Which asks it; empty = the one of its name.
        """
        return self._find_own(model, backend) or _find_published(model, backend)

    def for_call(self, backend: str, *models: str) -> Price | None:
        """Return a call's price, by the first known name of its model."""
        if backend in FREE_BACKENDS:
            return FREE
        found = (look(model, backend) for look in (self._find_own, _find_published) for model in models)
        return next(filter(None, found), None)

    def ahead(self, backend: Backend, model: str) -> Price | None:
        if model == MAILBOX:
            return FREE
        price = backend.price(model) if isinstance(backend, BillingBackend) else None
        return self._find_own(model, backend.name) or price or self.for_call(backend.name, model)

    def _find_own(self, model: str, backend: str) -> Price | None:
        own = next((self.own[name] for name in names_of(model, backend) if name in self.own), None)
        return parse_price(own, read_published()["batch"]) if own is not None else None


@runtime_checkable
class BillingBackend(Protocol):
    """May know what its models cost."""

    def price(self, model: str) -> Price | None:
        """Return a model's price; None = unknown. The server is asked once."""
        ...


def names_of(model: str, backend: str = "") -> tuple[str, ...]:
    """Return a model's names in price lists: its own, with and without provider, then without a date.

    No other prefix counts: a newer model must not be paid by an older one's price.
    """
    provider, bare = _split_provider(model, backend)
    names = (model, f"{provider}:{bare}", bare) if provider else (model,)
    return tuple(dict.fromkeys([*names, *(_DATE.sub("", name) for name in names)]))


def _split_provider(model: str, backend: str) -> tuple[str, str]:
    if backend in providers():
        return backend, model.removeprefix(f"{backend}:")
    found = None if backend or is_address(model) else find_provider(model, {})
    return (found[0].name, found[1]) if found else ("", model)


def _find_published(model: str, backend: str) -> Price | None:
    provider, bare = _split_provider(model, backend)
    if provider and providers()[provider].free:
        return FREE
    listed = _price_table().get(provider, {})
    return listed.get(bare) or listed.get(_DATE.sub("", bare))


def parse_price(values: Mapping[str, Any], batch: float = BATCH) -> Price:
    """Read a price; missing ones for the cache follow from the input price."""
    full = float(values["input"])
    return Price(
        input=full,
        output=float(values["output"]),
        cache_write_5m=float(values.get("cache_write_5m", WRITE_5M * full)),
        cache_write_1h=float(values.get("cache_write_1h", WRITE_1H * full)),
        cache_read=float(values.get("cache_read", READ * full)),
        batch=float(values.get("batch", batch)),
    )


def read_published() -> Mapping[str, Any]:
    """Read ``prices.yaml``: date, source, batch factor and models; others' under ``chat``."""
    return read_packaged("prices.yaml")


def name_price_sources(backends: Iterable[str]) -> tuple[str, str]:
    """Return the oldest price list's date, and the sources; both empty where only free servers answered."""
    asked = list(backends)
    free = [name for name in asked if name in providers() and providers()[name].free]
    if free and all(name in (*free, *FREE_BACKENDS) for name in asked):
        return "", ""
    paid = [name for name in asked if name not in free]
    lists = [read_published()["chat"]] if any(name in providers() for name in paid) else []
    if not lists or any(name not in providers() for name in paid):
        lists.insert(0, read_published())
    return min(str(one["date"]) for one in lists), "; ".join(str(one["source"]) for one in lists)


@lru_cache(maxsize=1)
def _price_table() -> Mapping[str, Mapping[str, Price]]:
    # By provider and model; the provider of the Messages API is "".
    data = read_published()
    found = {"": {name: parse_price(values, data["batch"]) for name, values in data["models"].items()}}
    for provider, models in data["chat"]["models"].items():
        found[provider] = {name: make_price(**values) for name, values in models.items()}
    return found


def make_price(input: float, output: float, **cache: float) -> Price:
    """Return a price of chat completions: no discounts, only the named charges."""
    full = {"cache_read": input, "cache_write_5m": input}
    return parse_price({**full, **cache, "input": input, "output": output, "cache_write_1h": input})
