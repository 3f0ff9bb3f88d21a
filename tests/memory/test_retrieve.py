from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.casefold import casefold_tag
from gm.base.config import RetrievalSettings
from gm.memory.retrieve import (
    Selection,
    fit_budget,
    fit_growing,
    select_memories,
    select_recent,
    select_tagged,
    select_until,
)
from gm.model.node import Node
from tests.build import node, ref

# what happened, oldest first: depth of each node, and whether a new day began before it
happenings = st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=90)


def stream_of(happened: list[tuple[int, bool]], first_day: int = 1) -> tuple[Node, ...]:
    day = first_day
    found = []
    for number, (depth, begins) in enumerate(happened, 1):
        day += begins
        found.append(node(number, created=f"day-{day:03d}/scene-01", depth=depth))
    return tuple(found)


def lived(count: int, first: int = 1, day: int = 1) -> tuple[Node, ...]:
    return tuple(node(number, created=f"day-{day:03d}/scene-01") for number in range(first, first + count))


def numbers(nodes: tuple[Node, ...]) -> list[int]:
    return [int(one.id.rpartition("-")[2]) for one in nodes]


def test_the_window_is_the_last_fifty() -> None:
    chosen = select_recent(lived(120))
    assert numbers(chosen.window) == list(range(71, 121))
    assert chosen.background == ()


def test_a_short_stream_is_all_there_is() -> None:
    assert select_recent(lived(3)).window == lived(3)
    assert select_recent(()).nodes == ()


def test_older_reflections_come_along_and_newer_ones_are_not_doubled() -> None:
    stream = (node(1), node(2, depth=1), node(3), node(4, depth=2), node(5))
    chosen = select_recent(stream, 2)
    assert (numbers(chosen.background), numbers(chosen.window)) == ([2], [4, 5])


def test_older_reflections_may_be_left_behind() -> None:
    stream = (node(1, depth=1), node(2), node(3))
    assert numbers(select_recent(stream, 2, all_reflections=False).nodes) == [2, 3]


@given(happenings, st.integers(1, 60))
def test_the_selection_is_the_last_nodes_and_every_older_reflection(
    happened: list[tuple[int, bool]], last: int
) -> None:
    stream = stream_of(happened)
    chosen = select_recent(stream, last)
    border = max(0, len(stream) - last)
    expected = [one for place, one in enumerate(stream) if place >= border or one.depth > 0]
    assert list(chosen.nodes) == expected
    assert chosen.window == stream[border:]


@given(happenings, st.lists(st.integers(0, 2), max_size=70), st.integers(1, 60), st.data())
def test_while_a_day_is_open_the_selection_only_grows(
    happened: list[tuple[int, bool]], today: list[int], last: int, data: st.DataObject
) -> None:
    before = stream_of(happened)
    day = (before[-1].when.day if before else 0) + 1
    fresh = [node(len(before) + n, created=f"day-{day:03d}/scene-01", depth=depth) for n, depth in enumerate(today, 1)]
    early = data.draw(st.integers(0, len(fresh)))
    earlier = select_recent((*before, *fresh[:early]), last, open_day=day)
    later = select_recent((*before, *fresh), last, open_day=day)
    assert later.nodes[: len(earlier.nodes)] == earlier.nodes
    assert later.background == earlier.background
    assert numbers(later.nodes[len(earlier.nodes) :]) == numbers(tuple(fresh[early:]))


def test_the_window_of_an_open_day_begins_where_it_was_when_the_day_opened() -> None:
    stream = (*lived(60), *lived(7, first=61, day=2))
    assert numbers(select_recent(stream, open_day=2).window) == list(range(11, 68))
    assert numbers(select_recent(stream).window) == list(range(18, 68))


def test_tags_match_across_case_and_unicode_forms() -> None:
    stream = (
        node(1, tags=["Völuspá"]),
        node(2, tags=[unicodedata.normalize("NFD", "völuspá")]),
        node(3, tags=["r&d"]),
        node(4),
        node(5, tags=["STRASSE"]),
    )
    assert numbers(select_tagged(stream, ["vÖluspá "]).window) == [1, 2]
    assert numbers(select_tagged(stream, ["R&D", "straße"]).window) == [3, 5]
    assert select_tagged(stream, ["völu"]).window == ()


@given(st.text())
def test_a_tag_is_the_same_in_every_unicode_form(text: str) -> None:
    assert casefold_tag(unicodedata.normalize("NFD", text)) == casefold_tag(unicodedata.normalize("NFC", text))


def test_tagged_selection_leaves_reflections_behind_unless_told() -> None:
    stream = (node(1, depth=1), node(2, tags=["asche"]))
    assert numbers(select_tagged(stream, ["asche"]).nodes) == [2]
    assert numbers(select_tagged(stream, ["asche"], keep_reflections=True).nodes) == [1, 2]


def test_reflections_that_carry_the_tag_come_along_in_stream_order() -> None:
    tags: tuple[list[str], ...] = (["Asche"], ["asche"], [], [], ["asche"])
    stream = tuple(node(number, depth=number % 2 == 0, tags=own) for number, own in enumerate(tags, 1))
    assert numbers(select_tagged(stream, ["ASCHE"]).nodes) == [1, 2, 5]


def test_reflections_without_the_tag_do_not_stand_in_for_memories_that_carry_it() -> None:
    stream = (node(1, depth=1), *lived(60, first=2))
    chosen = select_memories(stream, RetrievalSettings(tags_keep_reflections=True), tags=["asche"])
    assert (chosen.strategy, len(chosen.window)) == ("recent", 50)
    assert select_tagged(stream, ["asche"], keep_reflections=True).nodes == ()


def test_a_tag_matches_with_spaces_as_with_hyphens() -> None:
    stream = (node(1, tags=["bone towers"]), node(2, tags=["bone-towers"]), node(3, tags=["bone"]))
    assert numbers(select_tagged(stream, ["Bone Towers"]).nodes) == [1, 2]


def test_tags_that_nothing_carries_fall_back_to_the_recent_window_and_say_so() -> None:
    stream = lived(60)
    chosen = select_memories(stream, RetrievalSettings(), tags=["asche"])
    assert (chosen.strategy, len(chosen.window)) == ("recent", 50)


def test_tags_replace_the_window() -> None:
    stream = (*lived(60), node(61, tags=["asche"]), *lived(3, first=62))
    chosen = select_memories(stream, RetrievalSettings(), tags=["Asche"])
    assert (chosen.strategy, numbers(chosen.nodes)) == ("tags", [61])


def test_the_configured_window_may_be_overruled() -> None:
    stream = (node(1, depth=1), *lived(60, first=2))
    assert len(select_memories(stream, RetrievalSettings(last=10)).window) == 10
    assert numbers(select_memories(stream, RetrievalSettings(last=10), last=2).nodes) == [1, 60, 61]
    assert numbers(select_memories(stream, RetrievalSettings(last=2, all_reflections=False)).nodes) == [60, 61]


def test_a_memory_belongs_to_the_past_up_to_its_scene() -> None:
    times = ["day-001/scene-01", "day-001/scene-01b", "day-001/scene-02", "day-002/scene-01"]
    stream = tuple(node(number, created=time) for number, time in enumerate(times, 1))
    assert numbers(select_until(stream, ref("day-001/scene-01b"))) == [1, 2]
    assert numbers(select_until(stream, ref("day-001"))) == [1, 2, 3]
    assert numbers(select_until(stream, ref("day-000"))) == []


def test_what_fits_stays_as_it_is() -> None:
    chosen = select_recent(lived(3))
    assert fit_budget(chosen, 30, [10, 10, 10]) is chosen


def test_the_oldest_lived_memories_are_dropped_first_then_the_shallowest_reflections() -> None:
    stream = (node(1, depth=2), node(2, depth=1), node(3), node(4, depth=1), node(5), node(6))
    chosen = select_recent(stream, 3)
    cost = [10] * len(chosen.nodes)
    assert numbers(chosen.nodes) == [1, 2, 4, 5, 6]
    kept = [numbers(fit_budget(chosen, budget, cost).nodes) for budget in (40, 30, 20, 10, 9)]
    assert kept == [[1, 2, 4, 6], [1, 2, 4], [1, 4], [1], []]


def test_what_was_dropped_is_counted_over_several_budgets() -> None:
    once = fit_budget(select_recent(lived(5)), 30, [10] * 5)
    twice = fit_budget(once, 10, [10] * 3)
    assert (once.dropped, twice.dropped) == (2, 4)


def test_while_a_day_grows_older_memories_are_dropped_in_steps_only() -> None:
    chosen = select_recent(lived(40), 40)
    kept = []
    for fresh in range(1, 17):
        grown = Selection("recent", (), (*chosen.window, *lived(fresh, first=41, day=2)))
        cost = [10] * len(grown.nodes)
        fitted = fit_growing(grown, 400, cost, fresh)
        assert sum(cost[: len(fitted.nodes)]) <= 400
        assert numbers(fitted.nodes)[-fresh:] == list(range(41, 41 + fresh))
        kept.append(numbers(fitted.nodes)[0])
    assert kept == [6] * 5 + [11] * 5 + [16] * 5 + [21]


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_of_nothing_leaves_nothing(budget: int) -> None:
    assert fit_budget(select_recent(lived(3)), budget, [10, 10, 10]) == Selection("recent", (), (), dropped=3)


@given(happenings, st.integers(1, 60), st.integers(0, 500), st.data())
def test_the_rest_fits_the_budget_and_no_more_is_dropped_than_needed(
    happened: list[tuple[int, bool]], last: int, budget: int, data: st.DataObject
) -> None:
    chosen = select_recent(stream_of(happened), last)
    size = len(chosen.nodes)
    cost = data.draw(st.lists(st.integers(1, 40), min_size=size, max_size=size))
    price = {one.id: tokens for one, tokens in zip(chosen.nodes, cost, strict=True)}
    kept = fit_budget(chosen, budget, cost)
    left = [one for one in chosen.nodes if one not in kept.nodes]
    assert [one for one in chosen.nodes if one in kept.nodes] == list(kept.nodes)
    assert kept.dropped == len(left)
    spent = sum(price[one.id] for one in kept.nodes)
    assert spent <= budget
    if left:
        last_dropped = max(left, key=lambda one: (one.depth, one.id))
        assert spent + price[last_dropped.id] > budget
        assert all((one.depth, one.id) > (last_dropped.depth, last_dropped.id) for one in kept.nodes)


def test_a_choice_by_configuration_keeps_to_all_of_it() -> None:
    deep = node(9, type="reflection", depth=1, created="day-001/scene-01")
    stream = (deep, node(1, tags=["turm"]), *lived(3, first=2), node(5, created="day-002/scene-01"))
    keeping = RetrievalSettings(last=2, tags_keep_reflections=True)
    assert numbers(select_memories(stream, keeping, tags=["turm"]).nodes) == [9, 1]
    leaving = RetrievalSettings(last=2, all_reflections=False)
    assert numbers(select_memories(stream, leaving, tags=["turm"]).nodes) == [1]
    assert numbers(select_memories(stream, leaving).nodes) == [4, 5]
    assert numbers(select_memories(stream, leaving, open_day=2).nodes) == [3, 4, 5], (
        "what the day has brought comes on top"
    )
    assert numbers(select_tagged(stream, ["turm"], keep_reflections=True).nodes) == [9, 1]


def test_room_for_the_day_is_set_aside_in_eighths_and_never_in_less_than_a_token() -> None:
    chosen = Selection("recent", (), lived(6))
    assert len(fit_growing(chosen, 7, [1] * 6, 3).nodes) == 6
    assert len(fit_growing(chosen, 16, [3] * 6, 1).nodes) == 5
