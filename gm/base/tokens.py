"""Token estimates without asking a model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

TENTHS_PER_TOKEN = 32
"""Tenths of a character in an estimated token: 3.2 characters, kept whole so that estimates are exact."""
UNCALIBRATED = Fraction(10, TENTHS_PER_TOKEN)
"""Tokens per character of a model with no recorded prompts."""
USUAL_SHARE = Fraction(9, 10)
"""Share of the recorded prompts for which a counter's error holds."""


def estimate_tokens(text: str) -> int:
    """Return ceil(characters / 3.2), the estimated tokens of a prompt.

    Tends to overestimate mixed German and English prose: for budgets and forecasts, not for bills.
    """
    return tokens_of(len(text))


def tokens_of(characters: int) -> int:
    """As ``estimate_tokens``, for a number of characters."""
    return -(-characters * 10 // TENTHS_PER_TOKEN)


def characters_in(tokens: int) -> int:
    """Return the length of the longest text estimated at this many tokens."""
    return tokens * TENTHS_PER_TOKEN // 10


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts a model's prompt tokens by length, rounded up.

    Attributes:
        samples: Number of recorded prompts; 0 = not calibrated.
        error: 90th percentile of the relative error on them; None = unknown.
    """

    tokens_per_character: Fraction = UNCALIBRATED
    samples: int = 0
    error: float | None = None

    def count(self, characters: int) -> int:
        return math.ceil(characters * self.tokens_per_character)

    def at_worst(self, characters: int) -> int:
        """Add the error; at least the estimate."""
        measured = characters * self.tokens_per_character * Fraction(1 + (self.error or 0.0))
        return max(math.ceil(measured), math.ceil(characters * UNCALIBRATED))


def calibrate(samples: Iterable[tuple[int, int]]) -> TokenCounter:
    """Measure a model's tokens per character on recorded pairs of characters and tokens.

    tokens per character = sum of tokens / sum of characters

    error = 90th percentile (nearest rank) of |tokens - count(characters)| / tokens

    Pairs with a zero are left out; without samples, the counter is uncalibrated.
    """
    pairs = [(characters, tokens) for characters, tokens in samples if characters > 0 and tokens > 0]
    if not pairs:
        return TokenCounter()
    ratio = Fraction(sum(tokens for _, tokens in pairs), sum(characters for characters, _ in pairs))
    off = sorted(abs(tokens - characters * ratio) / tokens for characters, tokens in pairs)
    return TokenCounter(ratio, len(pairs), float(off[math.ceil(len(off) * USUAL_SHARE) - 1]))


def mean_by_key(samples: Iterable[tuple[str, int]]) -> dict[str, float]:
    """Return the mean of each key's positive numbers."""
    sums: dict[str, tuple[int, int]] = {}
    for key, tokens in samples:
        if tokens > 0:
            total, number = sums.get(key, (0, 0))
            sums[key] = (total + tokens, number + 1)
    return {key: total / number for key, (total, number) in sorted(sums.items())}
