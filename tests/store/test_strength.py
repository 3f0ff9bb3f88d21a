"""The counters of what was needed: one file, beside the streams."""

from __future__ import annotations

import pytest

from gm.memory.fading import Strength
from gm.store.layout import Layout
from gm.store.strength import read_strengths, strength_step
from gm.store.writer import writing


def count(layout: Layout, day: int, reinforced: tuple[str, ...] = (), recalled: tuple[str, ...] = ()) -> None:
    with writing(layout, "test") as writer:
        assert writer.commit([strength_step(layout, day, reinforced, recalled)]) == []


def test_what_is_counted_adds_up_by_day(dinner: Layout) -> None:
    count(dinner, 1, ("alex-001", "alex-001"), ("alex-002",))
    count(dinner, 3, (), ("alex-002", "alex-001"))
    assert read_strengths(dinner) == {
        "alex-001": Strength({1: 2}, {3: 1}),
        "alex-002": Strength({}, {1: 1, 3: 1}),
    }


def test_counters_of_older_worlds_are_read_and_kept(dinner: Layout) -> None:
    dinner.derived.mkdir(exist_ok=True)
    dinner.reinforced.write_text('{"alex-001": 2, "alex-002": 0, "alex-003": "x"}', encoding="utf-8")
    assert read_strengths(dinner) == {"alex-001": Strength({0: 2})}
    count(dinner, 4, ("alex-001",))
    assert read_strengths(dinner)["alex-001"].reinforcements == 3


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"alex-001": {"reinforced": {"one": 1, "2": -1}}}', "\x00"])
def test_broken_counters_count_as_none_and_can_be_written_again(dinner: Layout, text: str) -> None:
    dinner.derived.mkdir(exist_ok=True)
    dinner.reinforced.write_text(text, encoding="utf-8")
    assert read_strengths(dinner) == {}
    count(dinner, 1, ("alex-001",))
    assert read_strengths(dinner) == {"alex-001": Strength({1: 1})}
