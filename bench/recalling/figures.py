"""Scores of questions, and intervals around their means."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb

DRAWS = 1000
SEED = 1
HOW = (
    f"[…]: 95 %, from {DRAWS:,} draws (seed {SEED}) of questions within each conversation or world. The conversations "
    "stay the same in all draws: how others would do, it does not say"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found for one question.

    Attributes:
        kind: The question's kind or category.
        stratum: The conversation or world that it is about.
        ranks: The rank of each thing asked for, from 1; 0 = not found.
        chances: Size of the streams searched, and how many memories hold each thing asked for.
    """

    kind: str
    stratum: str
    ranks: tuple[int, ...]
    chances: tuple[int, tuple[int, ...]]

    def recall(self, most: int) -> float:
        """Return the share of what was asked for among the first ``most``."""
        return sum(0 < rank <= most for rank in self.ranks) / len(self.ranks)

    @property
    def reciprocal(self) -> float:
        found = [rank for rank in self.ranks if rank]
        return 1 / min(found) if found else 0.0

    def by_chance(self, most: int) -> float:
        """Return the recall that an order by chance would have on average."""
        size, held = self.chances
        missed = (comb(size - one, most) / comb(size, most) if size >= most else 0.0 for one in held)
        return sum(1 - one for one in missed) / len(held)


Score = Callable[[Outcome], float]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean and its interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"

    @property
    def as_difference(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def recall_at(most: int) -> Score:
    """Return the score ``recall@most``."""
    return lambda outcome: outcome.recall(most)


def reciprocal(outcome: Outcome) -> float:
    """Return the score whose mean is the MRR."""
    return outcome.reciprocal


def mean_of(outcomes: Sequence[Outcome], score: Score) -> Figure:
    """Return the mean of a score."""
    return _figure((outcome.stratum, score(outcome)) for outcome in outcomes)


def difference(after: Sequence[Outcome], before: Sequence[Outcome], score: Score) -> Figure:
    """Return the mean of what each question gains; both hold the same questions in the same order."""
    return _figure((one.stratum, score(one) - score(two)) for one, two in zip(after, before, strict=True))


def _figure(values: Iterable[tuple[str, float]]) -> Figure:
    strata: dict[str, list[float]] = {}
    for stratum, value in values:
        strata.setdefault(stratum, []).append(value)
    count = sum(len(one) for one in strata.values())
    if not count:
        return Figure(0.0, 0.0, 0.0)
    dice = random.Random(SEED)
    drawn = sorted(sum(sum(dice.choices(one, k=len(one))) for one in strata.values()) / count for _ in range(DRAWS))
    mean = sum(sum(one) for one in strata.values()) / count
    return Figure(mean, drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1])


def render_columns(lines: Sequence[Sequence[str]]) -> str:
    """Write lines of cells below each other; all but the first column to the right."""
    wide = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, wide, strict=True))
        ).rstrip()
        for line in lines
    )
