"""What a measure is and finds, and how its intervals are made."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, sqrt
from statistics import NormalDist
from typing import Any, TypeVar

from gm.api.answers.document import part
from gm.api.experiments.evaluate.material import Material
from gm.base.texts import one_line

Group = TypeVar("Group")

ALL = "all"
"""``Figure.of`` of all characters together."""
MOST_CASES = 20
Z = 1.959964
"""Standard normal quantile of a 95 % interval."""
POWER = 0.841621
"""Standard normal quantile of a power of 80 %."""
RESAMPLES = 1000
LEAST_GROUPS = 5
"""Groups below which resampling them says nothing."""
SEED = 0
BY_WILSON = "shares: Wilson's score interval, 95 %, which takes cases for independent"
BY_DAY = (
    f"expanded percentile bootstrap, 95 %, {RESAMPLES} resamples of whole days, from {LEAST_GROUPS} on, seed {SEED}, "
    "none where all resamples agree"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of a measure.

    Attributes:
        of: What it is about: the id of a character, a pair (``vera, leo``), a day, or ``all``.
        name: What is counted, such as ``kept``.
        value: None = there is no evidence to count.
        low: Lower end of the 95 % interval; None = no interval can be given.
        count: How many cases it rests on.
        unit: ``share`` (0 to 1), ``count``, ``days``, ``points`` …
    """

    of: str
    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    count: int
    unit: str = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case that a reader should look at, such as a promise that was forgotten.

    Attributes:
        at: The moment or the id of a memory where it stands.
        text: One line.
    """

    agent: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Canary:
    """A planted word, and where it has come; all names are ids of characters.

    Attributes:
        known: Who alone knew it from the beginning.
        heard: Who else was told it until the last day, in a scene, a piece or a memory.
        used: Who else said, did, thought or wrote it on these days.
    """

    word: str
    known: tuple[str, ...]
    heard: tuple[str, ...]
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FirstFigure:
    """A measure's first figure, which is of all characters.

    Attributes:
        figure: Name of the measure's first figure, which the next five keys repeat; empty = it has none.
        n: How many cases it rests on.
    """

    figure: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The result of one measure.

    Attributes:
        definition: What is counted, and over what.
        source: Where the measure comes from.
        interval: How the intervals are made.
        missing: Why there is nothing to count; empty = there is.
        canaries: Only of leaks, with planted words.
    """

    name: str
    definition: str
    source: str
    interval: str = ""
    figures: tuple[Figure, ...] = ()
    cases: tuple[Case, ...] = ()
    missing: str = part(omit="")
    canaries: tuple[Canary, ...] = part(omit=())
    first: FirstFigure = part(inline=True, init=False)

    def __post_init__(self) -> None:
        found = [FirstFigure(one.name, one.value, one.low, one.high, one.count, one.unit) for one in self.figures[:1]]
        object.__setattr__(self, "first", found[0] if found else FirstFigure())


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All measures of a world, for the days ``first`` to ``last``.

    Attributes:
        world: The folder's name.
    """

    world: str
    first: int
    last: int
    measures: tuple[Measured, ...]
    title: str = ""

    @property
    def shown(self) -> str:
        """The world's title and folder."""
        return f"{self.title} ({self.world})" if self.title else self.world

    @property
    def worlds(self) -> tuple[Evaluation, ...]:
        """The evaluations of all worlds that were measured."""
        return (self,)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationAgainst(Evaluation):
    """All measures of a world, and the same of another one."""

    against: Evaluation

    @property
    def worlds(self) -> tuple[Evaluation, ...]:
        """The evaluations of both worlds, this one first."""
        return self, self.against


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
        trace: Follows planted words.
    """

    name: str
    definition: str
    source: str
    compute: Callable[[Material], Found]
    interval: str = ""
    trace: Callable[[Material], Iterable[Canary]] = lambda _material: ()


def apply(measure: Measure, material: Material) -> Measured:
    """Return what a measure finds in a world, with at most ``MOST_CASES`` cases; all texts of it on one line each."""
    figures, cases, missing = measure.compute(material)
    return Measured(
        name=measure.name,
        definition=measure.definition,
        source=measure.source,
        interval=measure.interval,
        figures=tuple(replace(one, of=one_line(one.of), name=one_line(one.name)) for one in figures),
        cases=tuple(
            Case(agent=one_line(case.agent), at=one_line(case.at), text=one_line(case.text))
            for case in cases[:MOST_CASES]
        ),
        missing=missing,
        canaries=tuple(measure.trace(material)) if material.canaries else (),
    )


def wilson_interval(successes: int, cases: int) -> Interval:
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
    low, high = wilson_interval(successes, cases)
    value = successes / cases if cases else None
    return Figure(of=of, name=name, value=value, low=low, high=high, count=cases)


def shares(found: Iterable[tuple[str, str]], names: Sequence[str]) -> list[Figure]:
    """Return how many of the cases are of each name: of all characters, then of each one that has cases.

    Args:
        found: The id of the character and the name, for each case.
    """
    counts: dict[str, Counter[str]] = {ALL: Counter()}
    for agent, name in found:
        counts[ALL][name] += 1
        counts.setdefault(agent, Counter())[name] += 1
    return [share(of, name, counter[name], counter.total()) for of, counter in counts.items() for name in names]


def count_figure(of: str, name: str, value: float) -> Figure:
    """Return a number that was counted, and so has no interval."""
    return Figure(of=of, name=name, value=value, count=int(value), unit="count")


def bootstrap_mean(values: Mapping[Any, Sequence[float]], seed: int = SEED) -> Interval:
    """Return the 95 % interval of the mean of all values, whole groups resampled; None for few groups.

    Args:
        values: By group, such as a day: what one group holds is not taken for independent.
    """
    return bootstrap_ratio([(sum(group), len(group)) for group in values.values() if group], seed)


def bootstrap_ratio(groups: Sequence[tuple[float, int]], seed: int = SEED) -> Interval:
    """Return the interval of a sum over a count, as ``bootstrap_mean``.

    Args:
        groups: The sum and the count of each.
    """
    return bootstrap(groups, lambda drawn: sum(part for part, _ in drawn) / sum(of for _, of in drawn), seed)


def bootstrap(groups: Sequence[Group], statistic: Callable[[Sequence[Group]], float | None], seed: int) -> Interval:
    """Return the 95 % interval of a statistic of resampled groups; None where it says nothing.

    That is below ``LEAST_GROUPS``, and where all resamples agree.

    Args:
        statistic: Returns None where these groups have none; such a resample does not count.

    Source:
        Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapters 8 and 13; ``tail_share`` for the ends.
    """
    if len(groups) < LEAST_GROUPS:
        return None, None
    dice = random.Random(seed)
    drawn = (statistic(dice.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    return percentiles((value for value in drawn if value is not None), tail_share(len(groups), len(groups) - 1))


def tail_share(groups: int, freedom: int) -> float:
    """Return the share of resamples on each side of a 95 % interval over so few groups.

    Resamples of few groups vary too little: the middle 95 % of them holds the truth too seldom. So the interval is as
    wide as Student's t would make it: share = Φ(-t · sqrt(groups / (groups - 1))).

    Source:
        Hesterberg 2015, "What Teachers Should Know About the Bootstrap", The American Statistician 69: the expanded
        percentile interval.
    """
    return NormalDist().cdf(-student_quantile(freedom) * sqrt(groups / (groups - 1)))


def student_quantile(freedom: int) -> float:
    """Return Student's t of a 95 % interval, right to 0.01 from 4 degrees of freedom on.

    Source:
        Abramowitz and Stegun 1964, 26.7.5, three terms.
    """
    terms = (Z**3 + Z) / 4, (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96, (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    return Z + terms[0] / freedom + terms[1] / freedom**2 + terms[2] / freedom**3


def percentiles(resampled: Iterable[float], tail: float) -> Interval:
    """Return what is left of resamples without the tails; None if there are none, or the ends agree but for rounding.

    Groups that are all alike leave a bootstrap nothing to vary: it does not know how uncertain they are.
    """
    found = sorted(resampled)
    if not found:
        return None, None
    cut = int(tail * len(found))
    low, high = found[cut], found[-1 - cut]
    return (None, None) if isclose(low, high, abs_tol=1e-9) else (low, high)
