import re

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.arguments import WrongTypeError
from gm.base.errors import UsageError
from gm.model.calendar import (
    SceneRef,
    by_end,
    is_known_weekday,
    is_time_of_day,
    moment_of,
    parse_day,
    parse_days,
    parse_ref,
    render_day,
    same_weekday,
    time_rank,
    weekday,
)
from tests.build import ref

scene_refs = st.builds(
    SceneRef, st.integers(0, 10**6), st.integers(1, 10**4), st.sampled_from(["", *"abcdefghijklmnopqrstuvwxyz"])
)
day_refs = st.builds(SceneRef, st.integers(0, 10**6))


@given(scene_refs | day_refs)
def test_a_point_in_story_time_is_read_as_it_was_written(moment: SceneRef) -> None:
    assert parse_ref(str(moment)) == moment


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (SceneRef(3, 4), "day-003/scene-04"),
        (SceneRef(3, 4, "b"), "day-003/scene-04b"),
        (SceneRef(3), "day-003"),
        (SceneRef(1234, 100), "day-1234/scene-100"),
    ],
)
def test_points_in_story_time_have_one_form(moment: SceneRef, text: str) -> None:
    assert str(moment) == text


def test_inserted_scenes_lie_between_their_neighbours() -> None:
    texts = ["day-003", "day-003/scene-01", "day-003/scene-01b", "day-003/scene-01c", "day-003/scene-02", "day-004"]
    shuffled = [texts[place] for place in (3, 5, 0, 2, 4, 1)]
    assert sorted(shuffled, key=ref) == texts


def test_a_whole_day_is_over_after_its_scenes() -> None:
    texts = ["yesterday", "day-002", "day-003/scene-09", "day-003/scene-09b", "day-003/scene-100", "day-003"]
    shuffled = [texts[place] for place in (3, 5, 0, 2, 4, 1)]
    assert sorted(shuffled, key=by_end) == texts


def test_scenes_are_ordered_by_number_and_not_by_text() -> None:
    assert ref("day-003/scene-99") < ref("day-003/scene-100")
    assert ref("day-999") < ref("day-1000")


@given(scene_refs, scene_refs)
def test_the_order_is_day_then_scene_then_suffix(one: SceneRef, two: SceneRef) -> None:
    assert (one < two) == ((one.day, one.scene, one.suffix) < (two.day, two.scene, two.suffix))


@pytest.mark.parametrize(
    "text",
    ["", "day-3", "day-003/", "day-003/scene-4", "day-003/scene-04bb", "day-003/scene-04B", "Day-003", "day-003\n"],
)
def test_another_form_is_no_point_in_story_time(text: str) -> None:
    assert parse_ref(text) is None


@given(st.text() | st.text("day-scene/0123456789b"))
def test_any_text_can_be_asked_for_its_moment(text: str) -> None:
    moment = parse_ref(text)
    assert moment is None or moment.day >= 0


def test_an_endless_day_is_no_moment_and_no_crash() -> None:
    assert parse_ref("day-" + "9" * 5000) is None


@given(st.integers(0, 10**6))
def test_the_name_of_a_day_is_a_moment(day: int) -> None:
    assert parse_ref(render_day(day)) == SceneRef(day)


def test_the_week_starts_over_after_its_last_day() -> None:
    names = ["Mo", "Di", "Mi"]
    assert [weekday(day, names) for day in (1, 2, 3, 4, 301)] == ["Mo", "Di", "Mi", "Mo", "Mo"]


def test_there_is_no_weekday_before_the_first_day_or_without_names() -> None:
    assert weekday(0, ["Mo"]) == ""
    assert weekday(5, []) == ""


@pytest.mark.parametrize("names", [("Mo", "montag", "MONDAY", "mon."), ("Samstag", "Sonnabend", "sat", "Sa.")])
def test_names_of_one_weekday_mean_the_same(names: tuple[str, ...]) -> None:
    assert all(same_weekday(one, other) for one in names for other in names)
    assert all(is_known_weekday(name) for name in names)
    assert not any(same_weekday(name, "Mittwoch") for name in names)


def test_a_weekday_of_another_world_is_compared_as_it_is() -> None:
    assert same_weekday("Aschentag", "aschentag ")
    assert not same_weekday("Aschentag", "Gluttag")
    assert not is_known_weekday("Aschentag")


def test_times_of_day_have_an_order() -> None:
    times = ["morning", "noon", "afternoon", "evening"]
    assert sorted(["evening", "noon", "afternoon", "morning"], key=time_rank) == times


@pytest.mark.parametrize(
    ("word", "like"),
    [("late-afternoon", "afternoon"), ("morning-to-evening", "evening"), ("Noon", "noon"), ("all-day", "afternoon")],
)
def test_finer_words_count_as_the_last_known_word_in_them(word: str, like: str) -> None:
    assert time_rank(word) == time_rank(like)
    assert not is_time_of_day(word)


def test_a_text_of_another_form_is_a_moment_before_the_story() -> None:
    assert moment_of("day-003/scene-04b") == SceneRef(3, 4, "b")
    assert moment_of("yesterday") == SceneRef(0) < moment_of("day-001")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3", (3, 3)),
        ("day-003", (3, 3)),
        ("3-5", (3, 5)),
        (" 3 - 5 ", (3, 5)),
        ("3..5", (3, 5)),
        ("day-003..day-005", (3, 5)),
    ],
)
def test_days_are_read_in_each_form_that_a_person_writes(text: str, days: tuple[int, int]) -> None:
    assert parse_days(text) == days


@pytest.mark.parametrize(
    ("text", "day"), [("3", SceneRef(3)), (" 3 ", SceneRef(3)), ("day-3", SceneRef(3)), ("0", SceneRef(0))]
)
def test_one_day_is_a_moment(text: str, day: SceneRef) -> None:
    assert parse_day(text) == day


@pytest.mark.parametrize("text", ["", "3-5", "-3", "٣", "day-003/scene-01", "x", "1" * 19])
def test_what_is_not_one_day_is_no_moment(text: str) -> None:
    assert parse_day(text) is None


@pytest.mark.parametrize("text", ["", "3-", "-3", "٣", "3-4-5", "day-003/scene-01", "x", "1" * 19])
def test_what_is_no_range_of_days_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"{text!r} is not a range of story days")):
        parse_days(text)


def test_a_range_that_ends_before_it_begins_is_refused_with_the_right_one() -> None:
    with pytest.raises(UsageError, match="ends before it begins") as refused:
        parse_days("day-005..3")
    assert refused.value.hint == "write 3-5"


def test_a_moment_is_made_of_whole_numbers() -> None:
    assert SceneRef(numpy.int64(1), 2) == SceneRef(1, 2)  # type: ignore[arg-type]
    for wrong in (("day-001/scene-02",), (1, 2.5), (1, 2, None)):
        with pytest.raises(WrongTypeError, match="expected a"):
            SceneRef(*wrong)
