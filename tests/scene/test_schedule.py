from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.config import CalendarSettings, DaySettings, Settings
from gm.model.calendar import time_rank
from gm.model.world import ScheduledEvent
from gm.scene.schedule import cast_of, dice, event_record, events_on, is_played, scenes_planned, times_of
from tests.build import world

DND = {"weekday": "Donnerstag", "time": "evening", "event": "D&D", "type": "EVENT", "place": "hall"}


@given(st.integers(1, 12), st.integers(0, 12), st.integers(1, 10_000), st.integers(0, 10_000))
def test_the_number_of_scenes_is_always_within_bounds(low: int, more: int, day: int, seed: int) -> None:
    settings = Settings(day=DaySettings(scenes=(low, low + more)))
    planned = scenes_planned(world(settings=settings), day, seed)
    assert min(low + 1, low + more) <= planned <= low + more


def test_days_differ_in_their_number_of_scenes_and_every_number_occurs() -> None:
    assert {scenes_planned(world(), day, 1) for day in range(1, 60)} == {4, 5, 6}


def test_the_same_dice_roll_the_same_in_every_process() -> None:
    assert dice(1, "pick", 3).random() == dice(1, "pick", 3).random()
    assert dice(1, "pick", 3).random() != dice(2, "pick", 3).random()
    # Python's own hash() differs from process to process; this number must not
    assert dice(1, "scenes", 1).randint(0, 10**9) == dice(1, "scenes", "1").randint(0, 10**9) == 972306571


@given(st.integers(1, 30), st.booleans())
def test_every_scene_has_a_time_and_times_never_run_backwards(scenes: int, evening: bool) -> None:
    times = times_of(scenes, evening)
    assert len(times) == scenes
    assert times[0] == "morning"
    assert sorted(times, key=time_rank) == list(times)
    assert (times[-1] == "evening") == (evening and scenes > 1)


@pytest.mark.parametrize(
    ("scenes", "evening", "times"),
    [
        (1, False, ["morning"]),
        (4, False, ["morning", "morning", "noon", "afternoon"]),
        (4, True, ["morning", "morning", "afternoon", "evening"]),
        (6, False, ["morning", "morning", "morning", "noon", "afternoon", "afternoon"]),
        (6, True, ["morning", "morning", "noon", "afternoon", "afternoon", "evening"]),
    ],
)
def test_scenes_are_spread_over_the_day(scenes: int, evening: bool, times: list[str]) -> None:
    assert list(times_of(scenes, evening)) == times


def test_dated_and_weekly_events_fall_on_their_day() -> None:
    settings = Settings(calendar=CalendarSettings(weekly=(DND,)))
    deadline = ScheduledEvent(4, "Abgabe", "all-day")
    one = world(settings=settings, events=[deadline, ScheduledEvent(5, "Party", "noon")])
    assert events_on(one, 4) == (
        ("event/day-004/Abgabe", deadline),
        ("event/day-004/D&D", ScheduledEvent(4, "D&D", "evening", "EVENT", "hall")),
    )
    assert [key for day in (3, 5, 9) for key, _ in events_on(one, day)] == ["event/day-005/Party", "event/day-009/D&D"]


def test_the_one_who_leads_an_event_comes_first_and_strangers_are_left_out() -> None:
    everyone = ("emre", "tobi", "vera")
    assert cast_of(ScheduledEvent(4, "D&D", lead="tobi"), everyone) == ("tobi", "emre", "vera")
    assert cast_of(ScheduledEvent(4, "D&D", cast=("vera", "nobody"), lead="tobi"), everyone) == ("tobi", "vera")
    assert cast_of(ScheduledEvent(4, "D&D", cast=("nobody",), lead="nobody"), everyone) == everyone


def test_only_an_event_with_a_time_of_day_is_a_scene() -> None:
    assert is_played(ScheduledEvent(4, "D&D", "evening"))
    assert not is_played(ScheduledEvent(4, "Abgabe", "all-day"))
    assert not is_played(ScheduledEvent(4, "Abgabe"))


def test_a_weekly_event_that_says_little_takes_place_in_the_evening() -> None:
    settings = Settings(calendar=CalendarSettings(weekly=({"weekday": "Montag"},)))
    ((_, event),) = events_on(world(settings=settings), 1)
    assert event == ScheduledEvent(1, "", "evening", "EVENT")


def test_a_world_without_weekdays_has_no_weekly_events() -> None:
    settings = Settings(calendar=CalendarSettings(weekdays=(), weekly=(DND,)))
    assert events_on(world(settings=settings), 4) == ()


def test_an_event_is_written_without_what_is_empty() -> None:
    event = ScheduledEvent(4, "Abgabe", "noon")
    assert event_record(event) == {"day": 4, "event": "Abgabe", "time": "noon"}
    assert event_record(replace(event, type="MEETING", place="hall"))["place"] == "hall"
