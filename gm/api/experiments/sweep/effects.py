"""The size of a figure in one condition of a sweep, beside the first condition, and how sure it is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import asin, sqrt
from statistics import fmean, variance

from gm.api.experiments.evaluate.measure import (
    LEAST_GROUPS,
    RESAMPLES,
    SEED,
    Interval,
    bootstrap,
    percentiles,
    tail_share,
)

ENOUGH = 6
"""Runs from which an interval over runs can be a 95 % one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A figure in one condition, and beside the first condition.

    Attributes:
        runs: How many runs have evidence for it.
        mean: Over these runs, each counting the same; None = no run has any.
        low: Lower end of the 95 % interval of ``mean``; None below ``LEAST_GROUPS`` runs, or where all agree.
        difference: ``mean`` minus that of the first condition, over pairs where there are any; None for the first.
        pairs: Pairs that the difference rests on; 0 = the runs of both conditions are taken for independent.
        rests_on: Pairs of the difference, or runs of the condition that has fewer.
        size: Cohen's d (pooled standard deviation), or Cohen's h for shares, of the runs that the difference rests on;
            None with fewer than two.
        size_kind: ``d`` or ``h``.
        note: Why something is missing.
        by_design: Settings that only one of the two conditions has switched off, and from which a difference follows.
    """

    condition: str
    runs: int
    mean: float | None
    low: float | None
    high: float | None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    pairs: int = 0
    rests_on: int = 0
    size: float | None = None
    size_kind: str = ""
    note: str = ""
    by_design: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0, and rests on ``ENOUGH`` runs or pairs."""
        low, high = self.difference_low, self.difference_high
        return self.rests_on >= ENOUGH and low is not None and high is not None and not low <= 0 <= high

    @property
    def is_found(self) -> bool:
        """Whether it ``differs``, and not because of the condition itself."""
        return self.differs and not self.by_design


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFigure:
    """One figure of a measure in all conditions, the first one first."""

    measure: str
    name: str
    unit: str
    effects: tuple[Effect, ...]


def measure_effect(
    condition: str, found: Mapping[str, float], first: Mapping[str, float] | None, unit: str, of: int
) -> Effect:
    """Return a figure's mean in a condition and its difference to the first condition.

    Args:
        found: The condition's values, by pair.
        first: Those of the first condition; None = it is the first.
        unit: The figure's unit; ``share`` has Cohen's h, others d.
        of: Runs of the condition.
    """
    values = list(found.values())
    low, high = bootstrap(values, fmean, SEED)
    mean = fmean(values) if values else None
    note = "" if len(values) == of else f"no evidence in {of - len(values)} of {of} runs"
    if first is None or not values or not first:
        return Effect(condition=condition, runs=len(values), mean=mean, low=low, high=high, note=note)
    paired = [key for key in first if key in found]
    others = list(first.values())
    difference, interval = fmean(values) - fmean(others), _difference(values, others)
    size, kind, lacking = _effect_size(values, others, unit)
    if len(paired) >= 2:
        pairs = [found[key] - first[key] for key in paired]
        difference, interval = fmean(pairs), bootstrap(pairs, fmean, SEED)
        size, kind, lacking = _effect_size([found[key] for key in paired], [first[key] for key in paired], unit)
        if len(paired) < max(len(values), len(others)):
            note = "; ".join(filter(None, (note, f"difference and effect of {len(paired)} pairs")))
    return Effect(
        condition=condition,
        runs=len(values),
        mean=mean,
        low=low,
        high=high,
        difference=difference,
        difference_low=interval[0],
        difference_high=interval[1],
        pairs=len(paired) if len(paired) >= 2 else 0,
        rests_on=len(paired) if len(paired) >= 2 else min(len(values), len(others)),
        size=size,
        size_kind=kind,
        note="; ".join(filter(None, (note, lacking))),
    )


def _difference(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the interval of a difference of means of independent runs; None as in ``bootstrap``."""
    if min(len(values), len(others)) < LEAST_GROUPS:
        return None, None
    dice = random.Random(SEED)
    drawn = (
        fmean(dice.choices(values, k=len(values))) - fmean(dice.choices(others, k=len(others)))
        for _ in range(RESAMPLES)
    )
    return percentiles(drawn, tail_share(min(len(values), len(others)), len(values) + len(others) - 2))


def _effect_size(values: Sequence[float], others: Sequence[float], unit: str) -> tuple[float | None, str, str]:
    """Return an effect size, its kind, and why there is none.

    Source:
        Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences", chapters 2 (d) and 6 (h).
    """
    kind = "h" if unit == "share" else "d"
    if min(len(values), len(others)) < 2:
        return None, kind, "no effect size of fewer than two runs"
    if kind == "h":
        return _angle(values) - _angle(others), kind, ""
    freedom = len(values) + len(others) - 2
    spread = sqrt(((len(values) - 1) * variance(values) + (len(others) - 1) * variance(others)) / freedom)
    if not spread:
        return None, kind, "no effect size: the runs of each condition agree exactly"
    return (fmean(values) - fmean(others)) / spread, kind, ""


def _angle(shares: Sequence[float]) -> float:
    return 2 * asin(sqrt(min(1.0, max(0.0, fmean(shares)))))
