from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gm.memory.prompt_budget import (
    CALLED_UP,
    DIALOGUE,
    PIECES,
    PRIORITIES,
    BudgetSection,
    grant_room,
    is_used,
    roundest,
    share_out,
)

sizes = st.integers(0, 5_000)
sections = st.lists(
    st.builds(BudgetSection, st.sampled_from(list(PRIORITIES)), sizes, sizes), unique_by=lambda section: section.name
)


@given(sections, st.integers(-100, 20_000))
def test_nothing_gets_more_than_it_wants_and_all_together_no_more_than_there_is(
    found: list[BudgetSection], budget: int
) -> None:
    given_sizes = share_out(found, budget)
    assert all(0 <= given_sizes[section.name] <= section.wanted for section in found)
    assert sum(given_sizes.values()) <= max(0, budget)


@given(sections, st.integers(0, 20_000))
def test_no_section_is_cut_while_a_less_important_one_has_more_than_its_least(
    found: list[BudgetSection], budget: int
) -> None:
    sizes_of = share_out(found, budget)
    for cut in found:
        for other in (section for section in found if section.priority > cut.priority):
            if sizes_of[cut.name] < cut.wanted:
                assert sizes_of[other.name] <= other.least
            if sizes_of[cut.name] < min(cut.least, cut.wanted):
                assert sizes_of[other.name] == 0


@given(sections, st.integers(0, 20_000), st.integers(1, 500))
def test_more_room_takes_nothing_away_from_what_must_stand(found: list[BudgetSection], budget: int, more: int) -> None:
    before, after = share_out(found, budget), share_out(found, budget + more)
    assert sum(after.values()) >= sum(before.values())


def test_what_is_granted_in_any_case_comes_before_the_rest_of_a_talk() -> None:
    found = [BudgetSection(DIALOGUE, 900, 100), BudgetSection(CALLED_UP, 300, 50), BudgetSection(PIECES, 400, 50)]
    assert share_out(found, 500) == {DIALOGUE: 400, CALLED_UP: 50, PIECES: 50}
    assert share_out(found, 1_050) == {DIALOGUE: 900, CALLED_UP: 100, PIECES: 50}


@given(st.integers(1_000, 50_000), st.integers(0, 50_000))
def test_what_is_called_up_never_has_more_than_the_memories_that_stay(limit: int, memories: int) -> None:
    assert grant_room(limit, memories) <= memories
    assert grant_room(limit, memories) <= limit // 16
    assert grant_room(limit, 0) == 0
    assert grant_room(limit, limit) == limit // 16


@given(st.integers(1_000, 50_000))
def test_a_prompt_is_used_when_no_more_than_a_twentieth_is_free(limit: int) -> None:
    assert is_used(limit, limit)
    assert not is_used(limit, limit * 95 // 100)
    assert is_used(limit, limit * 96 // 100 + 1)


@given(st.integers(0, 500), st.integers(0, 100))
def test_the_roundest_number_lies_between_its_bounds_and_none_there_is_rounder(fewest: int, span: int) -> None:
    found = roundest(fewest, fewest + span)
    assert fewest <= found <= fewest + span
    assert all(_roundness(number) <= _roundness(found) for number in range(fewest, fewest + span + 1))


def test_the_roundest_number_stays_while_the_bounds_move() -> None:
    assert [roundest(fewest, fewest + 5) for fewest in range(9, 18)] == [12, 12, 16, 16, 16, 16, 16, 16, 20]
    assert roundest(0, 7) == 0


def _roundness(number: int) -> int:
    return number & -number if number else 1 << 20
