"""Sums over calls: how many, how many tokens, how many dollars, and what the cache has saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gm.llm.base import Usage
from gm.llm.calls import Call
from gm.llm.prices import Prices

CENTS = 6  # digits after the point: a call may cost a part of a cent


@dataclass(slots=True)
class Spent:
    """What some calls have taken.

    Attributes:
        calls: How many.
        rejected: How many of them gave an answer of no use.
        usd: What the calls with a known price cost.
        uncached_usd: What these would have cost without a cache.
        unpriced: How many calls have no known price; their dollars are in no sum.
    """

    calls: int = 0
    rejected: int = 0
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    uncached_usd: float = 0.0
    unpriced: int = 0

    def add(self, call: Call, prices: Prices, *, rejected: bool = False) -> None:
        """Take a call into the sum."""
        self.add_usage(call.usage, call.usd(prices), call.uncached_usd(prices))
        self.rejected += rejected

    def add_usage(self, usage: Usage, usd: float | None, uncached_usd: float | None) -> None:
        """Take the usage of a call into the sum, and its price, None when it is not known."""
        self.calls += 1
        self.input_tokens += usage.input_tokens
        self.cache_read_tokens += usage.cache_read_tokens
        self.cache_write_tokens += usage.cache_write_tokens
        self.output_tokens += usage.output_tokens
        self.usd += usd or 0.0
        self.uncached_usd += uncached_usd or 0.0
        self.unpriced += usd is None

    @property
    def prompt_tokens(self) -> int:
        """All tokens of the questions."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def cached(self) -> float:
        """Part of the questions' tokens that were read from the cache."""
        return self.cache_read_tokens / self.prompt_tokens if self.prompt_tokens else 0.0

    def record(self) -> dict[str, Any]:
        """Write the sum as plain data; dollars are null when no price at all is known."""
        known = self.calls > self.unpriced or not self.calls
        return {
            "calls": self.calls,
            "rejected": self.rejected,
            "tokens": {
                "input": self.input_tokens,
                "cache_read": self.cache_read_tokens,
                "cache_write": self.cache_write_tokens,
                "output": self.output_tokens,
            },
            "usd": round(self.usd, CENTS) if known else None,
            "saved_usd": round(self.uncached_usd - self.usd, CENTS) if known else None,
            "unpriced_calls": self.unpriced,
        }
