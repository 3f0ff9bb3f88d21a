"""What a measure is, and how its intervals are made."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from gm.api.evaluate.material import Material
from gm.api.evaluate.values import Case, Figure, Measured

ALL = "all"
"""``Figure.of`` of all characters together."""
MOST_CASES = 20
Z = 1.959964
"""Standard normal quantile of a 95 % interval."""
RESAMPLES = 1000
SEED = 0
BY_WILSON = "shares: Wilson's score interval, 95 %, which takes cases for independent"
BY_DAY = f"means: percentile bootstrap, 95 %, {RESAMPLES} resamples of whole days, seed {SEED}"

Interval = tuple[float | None, float | None]
"""Lower and upper end; None = no interval can be given."""
Found = tuple[Sequence[Figure], Sequence[Case], str]
"""Figures, cases that a reader should look at, and why there is nothing to count (empty = there is)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure of a world.

    Attributes:
        definition: What is counted, and over what.
        source: Where it comes from.
        compute: Counts; figures without evidence have the value None.
        interval: How the intervals are made.
    """

    name: str
    definition: str
    source: str
    compute: Callable[[Material], Found]
    interval: str = ""


def apply(measure: Measure, material: Material) -> Measured:
    """Return what a measure finds in a world, with at most ``MOST_CASES`` cases."""
    figures, cases, missing = measure.compute(material)
    return Measured(
        name=measure.name,
        definition=measure.definition,
        source=measure.source,
        interval=measure.interval,
        figures=tuple(figures),
        cases=tuple(cases[:MOST_CASES]),
        missing=missing,
    )


def wilson(successes: int, cases: int) -> Interval:
    """Return the 95 % score interval of a share; None without cases.

    Source:
        Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    if not cases:
        return None, None
    share, square = successes / cases, Z * Z / cases
    middle = share + square / 2
    half = Z * sqrt(share * (1 - share) / cases + square / cases / 4)
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def share(of: str, name: str, successes: int, cases: int) -> Figure:
    """Return a share as a figure with its interval; None without cases."""
    low, high = wilson(successes, cases)
    value = successes / cases if cases else None
    return Figure(of=of, name=name, value=value, low=low, high=high, count=cases)


def bootstrap_mean(values: Mapping[Hashable, Sequence[float]], seed: int = SEED) -> Interval:
    """Return the 95 % percentile interval of the mean of all values, whole groups resampled; None below two groups.

    Args:
        values: By group, such as a day; what one group holds is not taken for independent.
    """
    return bootstrap(list(values.values()), lambda drawn: fmean([one for group in drawn for one in group]), seed)


def bootstrap(
    groups: Sequence[Sequence[float]], statistic: Callable[[Sequence[Sequence[float]]], float], seed: int = SEED
) -> Interval:
    """Return the 95 % percentile interval of a statistic of groups, resampled whole; None below two groups.

    Source:
        Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13; groups as in chapter 8.
    """
    groups = [group for group in groups if group]
    if len(groups) < 2:
        return None, None
    dice = random.Random(seed)
    found = sorted(statistic(dice.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    return found[int(0.025 * RESAMPLES)], found[int(0.975 * RESAMPLES) - 1]
