"""What is remembered of a run so that the same command finishes it: how far it goes, and that a day was ended."""

from __future__ import annotations

import pytest

from gm.files.commits.runnote import (
    forget_end,
    forget_run,
    is_ended,
    last_day_of,
    note_end,
    note_seed,
    noted_seed,
    noted_seeds,
)
from gm.files.layout import Layout
from gm.model.clock import Clock


def test_an_interrupted_run_goes_as_far_as_it_was_meant_to_go(dinner: Layout) -> None:
    assert last_day_of(dinner, 3, 0, 3) == 3
    assert last_day_of(dinner, 3, 2, 5) == 3
    forget_run(dinner)
    assert last_day_of(dinner, 3, 2, 5) == 5


def test_the_end_of_a_day_is_remembered_for_that_day_until_it_is_forgotten(dinner: Layout) -> None:
    assert not is_ended(dinner, 1)
    note_end(dinner, 1)
    assert is_ended(dinner, 1)
    assert not is_ended(dinner, 2)
    forget_end(dinner)
    forget_end(dinner)
    assert not is_ended(dinner, 1)


@pytest.mark.parametrize("text", ["", '{"da', "[1]", '{"day": "1"}', "null"])
def test_a_note_that_is_of_no_use_ends_no_day(dinner: Layout, text: str) -> None:
    note_end(dinner, 1)
    dinner.end_note.write_text(text, encoding="utf-8")
    assert not is_ended(dinner, 1)


def test_a_seed_is_noted_for_one_open_day(dinner: Layout) -> None:
    note_seed(dinner, 2, 7)
    found = [
        noted_seed(dinner, Clock(day=day, day_open=is_open)) for day, is_open in ((2, True), (2, False), (3, True))
    ]
    assert found == [7, None, None]
    dinner.seed_note.write_text('{"day": 2, "seed": "7"}', encoding="utf-8")
    assert noted_seed(dinner, Clock(day=2, day_open=True)) is None
    note_seed(dinner, 2, None)
    assert not dinner.seed_note.exists()


def test_the_seeds_of_earlier_days_stay_noted_and_those_of_later_ones_do_not(dinner: Layout) -> None:
    for day, seed in ((1, 7), (2, None), (3, 9)):
        note_seed(dinner, day, seed)
    assert noted_seeds(dinner) == {1: 7, 3: 9}
    assert noted_seed(dinner, Clock(day=1, day_open=True)) == 7
    note_seed(dinner, 3, None)
    assert noted_seeds(dinner) == {1: 7}
    dinner.seed_note.write_text('{"day": 4, "seed": 5, "days": 1}', encoding="utf-8")
    assert noted_seeds(dinner) == {4: 5}, "as an earlier version notes it"
