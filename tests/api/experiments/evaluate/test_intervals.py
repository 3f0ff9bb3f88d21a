"""Intervals against known values."""

from __future__ import annotations

import random
from statistics import fmean, stdev

import pytest

from gm.api.experiments.evaluate.measure import (
    LEAST_GROUPS,
    bootstrap,
    bootstrap_mean,
    share,
    tail_share,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("successes", "cases", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_a_share_has_the_score_interval(successes: int, cases: int, low: float, high: float) -> None:
    """The last one: Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I."""
    assert wilson_interval(successes, cases) == pytest.approx((low, high), abs=5e-5)


def test_without_cases_there_is_neither_share_nor_interval() -> None:
    assert wilson_interval(0, 0) == (None, None)
    assert share("all", "kept", 0, 0).value is None


def test_the_mean_of_groups_of_one_is_as_sure_as_its_standard_error_says() -> None:
    dice = random.Random(3)
    values = [dice.gauss(5, 2) for _ in range(200)]
    low, high = bootstrap_mean({day: [value] for day, value in enumerate(values)})
    half = 1.96 * stdev(values) / len(values) ** 0.5
    assert low == pytest.approx(fmean(values) - half, abs=0.06)
    assert high == pytest.approx(fmean(values) + half, abs=0.06)


@pytest.mark.parametrize(("groups", "share"), [(5, 0.00095), (6, 0.00243), (10, 0.00855), (20, 0.01588)])
def test_an_interval_over_few_groups_is_as_wide_as_students_t_makes_it(groups: int, share: float) -> None:
    assert tail_share(groups, groups - 1) == pytest.approx(share, abs=4e-5)


def test_what_a_group_holds_is_not_taken_for_independent() -> None:
    groups = {day: [float(day)] for day in range(10)}
    assert bootstrap_mean(groups) == bootstrap_mean({day: found * 50 for day, found in groups.items()})


def test_a_seed_gives_the_same_interval_and_few_groups_none() -> None:
    groups = {day: [float(day)] for day in range(LEAST_GROUPS)}
    assert bootstrap_mean(groups) == bootstrap_mean(groups)
    assert bootstrap_mean(groups, 1) != (None, None)
    assert bootstrap_mean({day: groups[day] for day in range(LEAST_GROUPS - 1)}) == (None, None)
    assert bootstrap(list(groups), lambda _: None, 0) == (None, None)


def test_groups_that_agree_leave_nothing_to_resample_and_give_no_interval() -> None:
    assert bootstrap_mean(dict.fromkeys(range(9), (7.0,))) == (None, None)
    rounded = [(tenths / 10 + 0.01) - tenths / 10 for tenths in range(6)]
    assert len(set(rounded)) > 1
    assert bootstrap_mean({day: [value] for day, value in enumerate(rounded)}) == (None, None)
