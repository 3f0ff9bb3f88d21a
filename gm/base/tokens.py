"""How many tokens a text is likely to be, without asking a model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

CHARACTERS_PER_TOKEN = 3.2
UNCALIBRATED = Fraction(10, int(CHARACTERS_PER_TOKEN * 10))
USUAL_SHARE = Fraction(9, 10)


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a prompt.

    tokens = ceil(characters / 3.2)

    An estimate for mixed German and English prose, meant to err on the high side. It is used for budgets
    and forecasts, never for bills: those use what the provider reports.

    Returns:
        At least 0; 0 only for the empty text.
    """
    return tokens_of(len(text))


def tokens_of(characters: int) -> int:
    """Estimate the tokens of a text of so many characters; see ``estimate_tokens``."""
    return -(-characters * 10 // int(CHARACTERS_PER_TOKEN * 10))


def characters_in(tokens: int) -> int:
    """Return how long a text may be that is estimated at so many tokens at most."""
    return tokens * int(CHARACTERS_PER_TOKEN * 10) // 10


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts the tokens of one model's questions by their length.

    Attributes:
        tokens_per_character: Measured, or the estimate of ``estimate_tokens``.
        samples: How many recorded questions it was measured on; 0 = not calibrated yet.
        error: How far nine of ten recorded questions were off at most, as a part of their tokens; None = not known.
    """

    tokens_per_character: Fraction = UNCALIBRATED
    samples: int = 0
    error: float | None = None

    def count(self, characters: int) -> int:
        """Count a text of so many characters; rounded up."""
        return math.ceil(characters * self.tokens_per_character)

    def at_worst(self, characters: int) -> int:
        """Count a text so that it is seldom more: with the error added, and never less than the estimate."""
        measured = characters * self.tokens_per_character * Fraction(1 + (self.error or 0.0))
        return max(math.ceil(measured), math.ceil(characters * UNCALIBRATED))


def calibrate(samples: Iterable[tuple[int, int]]) -> Counter:
    """Measure the tokens of a character on what was recorded.

    tokens per character = sum of tokens / sum of characters

    error = 90th percentile (nearest rank) of |tokens - count(characters)| / tokens

    Args:
        samples: Characters and tokens of each question, counted by the same model; pairs without either are left out.

    Returns:
        The uncalibrated counter when there is nothing to measure on.
    """
    pairs = [(characters, tokens) for characters, tokens in samples if characters > 0 and tokens > 0]
    if not pairs:
        return Counter()
    ratio = Fraction(sum(tokens for _, tokens in pairs), sum(characters for characters, _ in pairs))
    off = sorted(abs(tokens - characters * ratio) / tokens for characters, tokens in pairs)
    return Counter(ratio, len(pairs), float(off[math.ceil(len(off) * USUAL_SHARE) - 1]))


def mean_by_key(samples: Iterable[tuple[str, int]]) -> dict[str, float]:
    """Average numbers under their keys: the tokens of answers by what they were for. Zeros are left out."""
    sums: dict[str, tuple[int, int]] = {}
    for key, tokens in samples:
        if tokens > 0:
            total, number = sums.get(key, (0, 0))
            sums[key] = (total + tokens, number + 1)
    return {key: total / number for key, (total, number) in sorted(sums.items())}
