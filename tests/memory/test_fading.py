"""How memories fade, and what keeps them."""

from __future__ import annotations

import pytest

from gm.base.config import DecaySettings
from gm.memory.fading import Strength, half_life, retention

SETTINGS = DecaySettings(half_life_days=10, importance=3, emotional=2, goal=2, recall=0.5, floor=0.1)


def test_a_memory_fades_by_half_in_its_half_life_and_never_below_the_floor() -> None:
    assert retention(0, 10, 0.1) == 1
    assert retention(10, 10, 0.1) == pytest.approx(0.55)
    assert retention(10_000, 10, 0.1) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("importance", "times", "emotional", "goal", "days"),
    [
        (1, 0, False, False, 10),
        (10, 0, False, False, 40),
        (4, 0, False, False, 20),
        (1, 1, False, False, 15),
        (1, 3, False, False, 20),
        (1, 0, True, False, 20),
        (1, 0, False, True, 20),
        (10, 3, True, True, 320),
        (99, 0, False, False, 40),
        (-5, 0, False, False, 10),
    ],
)
def test_what_is_important_recalled_felt_or_wanted_lasts_longer(
    importance: int, times: int, emotional: bool, goal: bool, days: float
) -> None:
    assert half_life(importance, times, SETTINGS, emotional=emotional, goal=goal) == pytest.approx(days)


def test_only_what_happened_before_a_day_counts_on_it() -> None:
    strength = Strength({0: 2, 3: 1}, {3: 4, 5: 1})
    assert strength.before(3) == (2, 0)
    assert strength.before(4) == (7, 3)
    assert strength.before(9) == (8, 5)
    assert strength.reinforcements == 3
    assert Strength().before(9) == (0, 0)
