"""The counters of what was needed: one file, beside the streams."""

from __future__ import annotations

import pytest

from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.streams.strength import (
    LOOSE_BYTES,
    StrengthFile,
    count_recalled,
    fold_strengths,
    read_strengths,
    strength_step,
)
from gm.memory.recall.scored import Strength


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
    dinner.reinforced_whole.write_text('{"alex-001": 2, "alex-002": 0, "alex-003": "x"}', encoding="utf-8")
    assert read_strengths(dinner) == {"alex-001": Strength({0: 2})}
    count(dinner, 4, ("alex-001",))
    assert read_strengths(dinner)["alex-001"].reinforcements == 3


@pytest.mark.parametrize(
    "text", ["", "[", "[1]\n", '{"id": "alex-001", "reinforced": {"one": 1, "2": -1}}\n', '{"day": -1}\n', "\x00"]
)
def test_broken_counters_count_as_none_and_can_be_written_again(dinner: Layout, text: str) -> None:
    dinner.derived.mkdir(exist_ok=True)
    dinner.reinforced.write_text(text, encoding="utf-8")
    assert read_strengths(dinner) == {}
    count(dinner, 1, ("alex-001",))
    assert read_strengths(dinner) == {"alex-001": Strength({1: 1})}


def test_what_is_written_for_a_scene_does_not_grow_with_the_world(dinner: Layout) -> None:
    sizes = [0]
    with writing(dinner, "test") as writer:
        for number in range(1, 300):
            writer.commit([strength_step(dinner, 1, (), (f"alex-{number:03d}", "jordan-001"))])
            sizes.append(dinner.journal.stat().st_size)
        step = strength_step(dinner, 2, (), ("alex-001", "jordan-001"))
        writer.commit([step])
        sizes.append(dinner.journal.stat().st_size)
    assert abs((sizes[-1] - sizes[-2]) - (sizes[3] - sizes[2])) < 50  # longer numbers
    assert len(step.text) < 100
    assert read_strengths(dinner)["jordan-001"] == Strength({}, {1: 299, 2: 1})


def test_what_is_added_later_is_read_on_top_of_what_is_known(dinner: Layout) -> None:
    counters = StrengthFile(dinner)
    assert counters.read() == {}
    for day in (1, 2, 2):
        count(dinner, day, ("alex-001",), ("alex-002",))
        assert counters.read() == read_strengths(dinner)
    dinner.reinforced.write_text("", encoding="utf-8")
    assert counters.read() == {}
    dinner.reinforced.unlink()
    assert counters.read() == {}


def test_a_line_that_is_just_being_written_is_read_when_it_is_whole(dinner: Layout) -> None:
    count(dinner, 1, ("alex-001",))
    counters = StrengthFile(dinner)
    line = strength_step(dinner, 2, ("alex-001",), ()).text.encode()
    for part, known in ((line[:9], {1: 1}), (line[9:], {1: 1, 2: 1})):
        with dinner.reinforced.open("ab") as file:
            file.write(part)
        assert counters.read()["alex-001"].reinforced == known


def test_many_counts_are_folded_to_one_line_for_each_memory(dinner: Layout) -> None:
    ids = tuple(f"alex-{number:03d}" for number in range(1, 40))
    day = 0
    while not dinner.reinforced.exists() or dinner.reinforced.stat().st_size <= LOOSE_BYTES:
        day += 1
        count(dinner, day, ids[:2], ids)
    before, counters = read_strengths(dinner), StrengthFile(dinner)
    assert counters.read() == before
    fold_strengths(dinner)
    assert len(dinner.reinforced.read_bytes().splitlines()) == len(ids) + 1
    after = read_strengths(dinner)
    assert counters.read() == after
    for key in ids:
        assert after[key].before(day + 1) == before[key].before(day + 1)
        assert after[key].before(day) == before[key].before(day)
        assert after[key].reinforcements == before[key].reinforcements
    folded = dinner.reinforced.read_bytes()
    count(dinner, day + 1, (), ids[:1])
    fold_strengths(dinner)
    assert dinner.reinforced.read_bytes().startswith(folded), "it is folded again when it is worth it"


def test_what_was_counted_from_outside_meanwhile_is_not_lost(dinner: Layout) -> None:
    with writing(dinner, "test") as writer:
        planned = strength_step(dinner, 1, ("alex-001",), ())
        count_recalled(dinner, 1, ("alex-002",))
        writer.commit([planned])
    assert read_strengths(dinner) == {"alex-001": Strength({1: 1}), "alex-002": Strength({}, {1: 1})}
