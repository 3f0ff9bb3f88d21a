import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import ReflectionSettings
from gm.memory.reflect import (
    check_evidence,
    depth_of,
    is_reflection_due,
    select_due,
    select_input,
    select_lived,
    sum_importance,
)
from tests.build import agent, node

DEPTHS = {"vera-001": 0, "vera-002": 1, "emre-001": 0}


@pytest.mark.parametrize(("accumulator", "due"), [(0, False), (99, False), (100, False), (101, True)])
def test_the_threshold_must_be_exceeded(accumulator: int, due: bool) -> None:
    assert is_reflection_due(accumulator, ReflectionSettings()) is due


def test_an_inclusive_threshold_must_only_be_reached() -> None:
    settings = ReflectionSettings(inclusive=True)
    assert not is_reflection_due(99, settings)
    assert is_reflection_due(100, settings)


def test_no_character_is_due_where_reflection_is_off() -> None:
    assert not is_reflection_due(10_000, ReflectionSettings(enabled=False))


def test_those_who_are_due_are_named_in_the_order_given() -> None:
    cast = [agent("vera", accumulator=150), agent("emre", accumulator=100), agent("finn", accumulator=101)]
    assert select_due(cast, ReflectionSettings()) == ("vera", "finn")


def test_insights_that_count_for_the_next_reflection_do_not_call_for_it_by_themselves() -> None:
    settings = ReflectionSettings(threshold=20, reset="before")
    insights = [node(1), *(node(n, created="day-001/scene-02", type="reflection", importance=9) for n in (2, 3, 4))]
    rested = agent("vera", accumulator=27, last_reflection="vera-004", stream=insights)
    assert select_due([rested], settings) == ()
    woken = agent("vera", accumulator=30, last_reflection="vera-004", stream=[*insights, node(5, created="day-002")])
    assert select_due([woken], settings) == ("vera",)


def test_a_single_insight_does_not_call_for_the_next_either() -> None:
    settings = ReflectionSettings(threshold=5, reset="before")
    stream = [node(1), node(2, created="day-001/scene-02", type="reflection"), node(3, created="day-001/scene-02")]
    assert select_due([agent("vera", accumulator=9, last_reflection="vera-002", stream=stream)], settings) == ()
    later = [*stream, node(4, created="day-001/scene-03")]
    assert select_due([agent("vera", accumulator=9, last_reflection="vera-002", stream=later)], settings) == ("vera",)


def test_a_reflection_looks_at_what_came_after_the_last_one() -> None:
    stream = [node(1), node(2, type="reflection"), node(3), node(4)]
    assert [one.id for one in select_input(stream, "vera-002")] == ["vera-003", "vera-004"]


@pytest.mark.parametrize("last", [None, "vera-777", ""])
def test_who_never_reflected_looks_back_on_everything(last: str | None) -> None:
    assert select_input([node(1), node(2)], last) == (node(1), node(2))


def test_a_reflection_looks_at_thirty_nodes_at_most_and_the_newest_ones() -> None:
    stream = [node(number) for number in range(1, 101)]
    assert [one.id for one in select_input(stream, None)] == [f"vera-{number:03d}" for number in range(71, 101)]
    assert [one.id for one in select_input(stream, "vera-090", most=5)] == [f"vera-{n:03d}" for n in range(96, 101)]


def test_there_may_be_nothing_to_look_back_on() -> None:
    assert select_input([], None) == ()
    assert select_input([node(1)], "vera-001") == ()


@given(st.integers(0, 60), st.integers(0, 70), st.integers(1, 40))
def test_what_is_looked_back_on_is_the_end_of_the_stream(length: int, last: int, most: int) -> None:
    stream = tuple(node(number) for number in range(1, length + 1))
    chosen = select_input(stream, f"vera-{last:03d}", most)
    begin = last if 1 <= last <= length else 0
    assert chosen == stream[max(begin, length - most) :]


def test_cited_ids_are_sorted_into_known_and_unknown() -> None:
    assert check_evidence(["vera-002", "vera-999", "emre-001", "the tower"], DEPTHS.get) == (
        ("vera-002", "emre-001"),
        ("vera-999", "the tower"),
    )


def test_an_id_is_cited_once_in_any_text() -> None:
    assert check_evidence(["vera-001", " vera-001\n", "vera-999", "vera-999 "], DEPTHS.get) == (
        ("vera-001",),
        ("vera-999",),
    )


@pytest.mark.parametrize(
    ("kind", "evidence", "depth"),
    [
        ("reflection", [0, 0], 1),
        ("reflection", [1, 0], 2),
        ("reflection", [4], 5),
        ("reflection", [], 1),
        ("observation", [], 0),
        ("observation", [2], 0),
        ("plan", [1], 0),
        ("conversation", [0], 0),
    ],
)
def test_depth_is_one_above_the_deepest_evidence_of_a_reflection(kind: str, evidence: list[int], depth: int) -> None:
    assert depth_of(kind, evidence) == depth


STREAM = [
    node(1, importance=1),
    node(2, importance=2, type="reflection", depth=1, created="day-001/scene-02"),
    node(3, importance=4, created="day-001/scene-03"),
    node(4, importance=8, type="reflection", depth=1, created="day-001/scene-03"),
    node(5, importance=16, type="reflection", depth=1, created="day-001/scene-03"),
    node(6, importance=32, created="day-001/scene-04"),
]


@pytest.mark.parametrize(
    ("last", "reset", "total"),
    [
        (None, "after", 63),
        (None, "before", 63),
        ("vera-099", "before", 63),
        ("VERA-005", "after", 32),
        ("vera-005", "before", 56),
        ("vera-002", "before", 62),
    ],
)
def test_what_counts_for_the_next_reflection_begins_after_the_last_one(
    last: str | None, reset: str, total: int
) -> None:
    assert sum_importance(STREAM, last, reset) == total


def test_insights_that_count_may_stand_at_the_beginning_of_the_stream() -> None:
    assert sum_importance(STREAM[1:2], "vera-002", "before") == 2


def test_questions_are_found_in_the_newest_that_was_lived() -> None:
    assert [item.id for item in select_lived(STREAM)] == ["vera-001", "vera-003", "vera-006"]
    assert [item.id for item in select_lived(STREAM, 2)] == ["vera-003", "vera-006"]
    assert len(select_lived([node(number) for number in range(1, 150)])) == 100
