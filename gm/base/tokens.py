"""Estimate the number of tokens of a text without asking a model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

CHARACTERS_PER_TOKEN = 3.2
UNCALIBRATED = Fraction(10, int(CHARACTERS_PER_TOKEN * 10))
USUAL_SHARE = Fraction(9, 10)


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a prompt: ceil(characters / 3.2), 0 only for the empty text.

    Tends to overestimate mixed German and English prose. Used for budgets and forecasts; bills use what the provider
    reports.
    """
    return tokens_of(len(text))


def tokens_of(characters: int) -> int:
    """Estimate the tokens of a text of this many characters; see ``estimate_tokens``."""
    return -(-characters * 10 // int(CHARACTERS_PER_TOKEN * 10))


def characters_in(tokens: int) -> int:
    """Return the longest text, in characters, that is estimated at no more than this many tokens."""
    return tokens * int(CHARACTERS_PER_TOKEN * 10) // 10


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts the tokens of a model's prompts by their length.

    Attributes:
        tokens_per_character: Measured, or the estimate of ``estimate_tokens``.
        samples: Number of recorded prompts it was measured on; 0 = not calibrated.
        error: 90th percentile of the relative error on recorded prompts; None = unknown.
    """

    tokens_per_character: Fraction = UNCALIBRATED
    samples: int = 0
    error: float | None = None

    def count(self, characters: int) -> int:
        """Return the tokens of a text of this many characters, rounded up."""
        return math.ceil(characters * self.tokens_per_character)

    def at_worst(self, characters: int) -> int:
        """Return a count that is rarely exceeded: the error added, and never below the estimate."""
        measured = characters * self.tokens_per_character * Fraction(1 + (self.error or 0.0))
        return max(math.ceil(measured), math.ceil(characters * UNCALIBRATED))


def calibrate(samples: Iterable[tuple[int, int]]) -> Counter:
    """Measure tokens per character on recorded prompts.

    tokens per character = sum of tokens / sum of characters

    error = 90th percentile (nearest rank) of |tokens - count(characters)| / tokens

    Args:
        samples: Characters and tokens of each prompt, counted by the same model; pairs with a zero are left out.

    Returns:
        The uncalibrated counter when there are no samples.
    """
    pairs = [(characters, tokens) for characters, tokens in samples if characters > 0 and tokens > 0]
    if not pairs:
        return Counter()
    ratio = Fraction(sum(tokens for _, tokens in pairs), sum(characters for characters, _ in pairs))
    off = sorted(abs(tokens - characters * ratio) / tokens for characters, tokens in pairs)
    return Counter(ratio, len(pairs), float(off[math.ceil(len(off) * USUAL_SHARE) - 1]))


def mean_by_key(samples: Iterable[tuple[str, int]]) -> dict[str, float]:
    """Return the mean of the positive numbers under each key."""
    sums: dict[str, tuple[int, int]] = {}
    for key, tokens in samples:
        if tokens > 0:
            total, number = sums.get(key, (0, 0))
            sums[key] = (total + tokens, number + 1)
    return {key: total / number for key, (total, number) in sorted(sums.items())}
