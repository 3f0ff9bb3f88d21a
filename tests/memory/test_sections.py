"""Who gives way when a prompt must not get longer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gm.memory.sections import (
    CALLED_UP,
    DIALOGUE,
    PIECES,
    PRIORITIES,
    Section,
    gives_way,
    memory_room,
    set_aside,
    share_out,
)

sizes = st.integers(0, 5_000)
sections = st.lists(
    st.builds(Section, st.sampled_from(list(PRIORITIES)), sizes, sizes), unique_by=lambda section: section.name
)


@given(sections, st.integers(-100, 20_000))
def test_nothing_gets_more_than_it_wants_and_all_together_no_more_than_there_is(
    found: list[Section], budget: int
) -> None:
    given_sizes = share_out(found, budget)
    assert all(0 <= given_sizes[section.name] <= section.wanted for section in found)
    assert sum(given_sizes.values()) <= max(0, budget)


@given(sections, st.integers(0, 20_000))
def test_no_section_is_cut_while_a_less_important_one_has_more_than_its_least(
    found: list[Section], budget: int
) -> None:
    sizes_of = share_out(found, budget)
    for cut in found:
        for other in (section for section in found if section.priority > cut.priority):
            if sizes_of[cut.name] < cut.wanted:
                assert sizes_of[other.name] <= other.least
            if sizes_of[cut.name] < min(cut.least, cut.wanted):
                assert sizes_of[other.name] == 0


@given(sections, st.integers(0, 20_000), st.integers(1, 500))
def test_more_room_takes_nothing_away_from_what_must_stand(found: list[Section], budget: int, more: int) -> None:
    before, after = share_out(found, budget), share_out(found, budget + more)
    assert sum(after.values()) >= sum(before.values())


def test_what_is_granted_in_any_case_comes_before_the_rest_of_a_talk() -> None:
    found = [Section(DIALOGUE, 900, 100), Section(CALLED_UP, 300, 50), Section(PIECES, 400, 50)]
    assert share_out(found, 500) == {DIALOGUE: 400, CALLED_UP: 50, PIECES: 50}
    assert share_out(found, 1_050) == {DIALOGUE: 900, CALLED_UP: 100, PIECES: 50}


@given(st.integers(1_000, 50_000), st.integers(0, 10_000), st.integers(0, 20_000))
def test_the_room_of_memories_is_the_same_for_all_questions_within_their_quarter(
    limit: int, fixed: int, needed: int
) -> None:
    room = memory_room(limit, fixed, needed)
    if needed <= limit // 4:
        assert room == memory_room(limit, fixed)
        assert not gives_way(limit, needed)
    assert room + fixed + needed <= limit or room == 0
    assert set_aside(limit, needed) >= needed


def test_it_shrinks_in_eighths() -> None:
    rooms = [memory_room(8_000, 1_000, needed) for needed in range(0, 8_001, 100)]
    assert sorted(set(rooms), reverse=True) == [5_000, 4_000, 3_000, 2_000, 1_000, 0]
