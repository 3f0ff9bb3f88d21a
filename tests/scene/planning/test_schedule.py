from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import CalendarSettings, DaySettings, Settings
from gm.model.calendar import time_rank
from gm.model.clock import SCHEDULED_EVENT, ScheduledEvent
from gm.model.logged import LogEntry
from gm.scene.planning.events import deadlines_ahead, events_on, is_played
from gm.scene.planning.schedule import RoomForTalks, coming_slot, dice, room_for_talks, scenes_planned, times_of
from tests.build import agent, entry, world

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


@given(st.integers(1, 30), st.lists(st.sampled_from(["morning", "noon", "afternoon", "evening"]), max_size=4))
def test_every_scene_has_a_time_and_every_event_a_scene(scenes: int, events: list[str]) -> None:
    times = times_of(scenes, events, DaySettings().times)
    assert len(times) == scenes
    assert times[0] == "morning"
    assert sorted(times, key=time_rank) == list(times)
    if len(events) < scenes:
        assert not Counter(events) - Counter(times[1:])
    assert ("evening" in times) == ("evening" in events and scenes > 1)


@pytest.mark.parametrize(
    ("scenes", "events", "times"),
    [
        (1, [], ["morning"]),
        (3, ["noon"], ["morning", "morning", "noon"]),
        (4, [], ["morning", "morning", "noon", "afternoon"]),
        (4, ["evening"], ["morning", "morning", "afternoon", "evening"]),
        (4, ["noon", "evening"], ["morning", "morning", "noon", "evening"]),
        (6, [], ["morning", "morning", "morning", "noon", "afternoon", "afternoon"]),
        (6, ["evening"], ["morning", "morning", "noon", "afternoon", "afternoon", "evening"]),
    ],
)
def test_scenes_are_spread_over_the_day(scenes: int, events: list[str], times: list[str]) -> None:
    assert list(times_of(scenes, events, DaySettings().times)) == times


@pytest.mark.parametrize(
    ("times", "scenes", "expected"),
    [
        (("morning", "noon", "evening"), 4, ["morning", "morning", "noon", "evening"]),
        (("morning", "noon", "evening"), 6, ["morning", "morning", "morning", "noon", "evening", "evening"]),
        (("morning", "noon", "evening"), 8, [*["morning"] * 4, "noon", *["evening"] * 3]),
        (("noon",), 3, ["noon", "noon", "noon"]),
        (("noon", "evening"), 4, ["noon", "noon", "evening", "evening"]),
        (("evening",), 2, ["evening", "evening"]),
    ],
)
def test_a_day_has_scenes_at_the_times_that_it_says(times: tuple[str, ...], scenes: int, expected: list[str]) -> None:
    assert list(times_of(scenes, (), times)) == expected


@pytest.mark.parametrize(
    ("scenes", "wanted", "expected"),
    [
        (4, ["noon", "noon"], ["morning", "morning", "noon", "afternoon"]),
        (5, ["noon", "noon"], ["morning", "morning", "noon", "noon", "afternoon"]),
        (6, ["noon", "noon", "evening"], ["morning", "morning", "noon", "noon", "afternoon", "afternoon"]),
        (7, ["noon"], ["morning", "morning", "morning", "noon", "afternoon", "afternoon", "afternoon"]),
    ],
)
def test_times_for_which_talks_are_arranged_have_scenes_first(
    scenes: int, wanted: list[str], expected: list[str]
) -> None:
    assert list(times_of(scenes, (), DaySettings().times, wanted)) == expected


def test_a_talk_for_a_time_that_an_appointment_takes_has_a_scene_of_its_own() -> None:
    found = times_of(7, ["noon", "afternoon"], DaySettings().times, ["noon"])
    assert list(found) == ["morning", "morning", "morning", "noon", "noon", "afternoon", "afternoon"]


@pytest.mark.parametrize(("people", "each"), [(1, 1), (2, 1), (3, 2), (4, 3), (7, 2), (30, 1)])
def test_a_day_limits_the_meetings_of_each_character(people: int, each: int) -> None:
    there = world(*(agent(f"one-{number}") for number in range(people)))
    assert room_for_talks(there) == RoomForTalks(6, people, each)


def test_an_event_in_the_evening_takes_the_place_of_a_scene_of_the_evening() -> None:
    assert times_of(5, ["evening"], ("morning", "evening")) == ("morning", "morning", "morning", "evening", "evening")


def test_dated_and_weekly_events_fall_on_their_day() -> None:
    settings = Settings(calendar=CalendarSettings(weekly=(DND,)))
    deadline = ScheduledEvent(4, "Abgabe", "all-day")
    one = world(settings=settings, events=[deadline, ScheduledEvent(5, "Party", "noon")])
    assert events_on(one, 4) == (
        ("event/day-004/Abgabe", deadline),
        ("event/day-004/D&D", ScheduledEvent(4, "D&D", "evening", "EVENT", "hall")),
    )
    assert [key for day in (3, 5, 9) for key, _ in events_on(one, day)] == ["event/day-005/Party", "event/day-009/D&D"]


@pytest.mark.parametrize("name", ["Thursday", "donnerstag", "Do.", "thu", "THURS"])
def test_the_weekday_of_an_event_may_be_german_or_english_and_shortened(name: str) -> None:
    for weekdays in (("Montag", "Dienstag", "Mittwoch", "Donnerstag"), ("Mon", "Tue", "Wed", "Thu")):
        weekly = CalendarSettings(weekdays=weekdays, weekly=({**DND, "weekday": name},))
        one = world(settings=Settings(calendar=weekly))
        assert [day for day in range(1, 9) if events_on(one, day)] == [4, 8]


def test_what_is_dated_on_a_day_off_falls_on_the_next_day_that_is_played() -> None:
    settings = Settings(calendar=CalendarSettings(off=("Tuesday", 3)))
    one = world(settings=settings, events=[ScheduledEvent(2, "Fest", "noon"), ScheduledEvent(3, "Abgabe")])
    assert [[key for key, _ in events_on(one, day)] for day in (1, 2, 3, 4, 5)] == [
        [],
        [],
        [],
        ["event/day-002/Fest", "event/day-003/Abgabe"],
        [],
    ]
    assert deadlines_ahead(one, 5) == ((2, ScheduledEvent(3, "Abgabe")),)


def test_the_day_goes_on_behind_a_scene_that_was_played_later_than_foreseen() -> None:
    log = [entry(1, "ARRIVAL", time_of_day="morning"), entry(1, "WORK", time_of_day="afternoon")]
    slot = coming_slot(world(log=log), 1)
    assert slot is not None
    assert slot.time == "afternoon"


def test_the_character_in_focus_may_have_two_scenes_above_the_number_of_the_day() -> None:
    planned = scenes_planned(world(), 1, 1)
    full = world(log=[entry(1, "WORK")] * planned)
    assert coming_slot(full, 1) is None
    extra = coming_slot(full, 1, focus="vera")
    assert extra is not None
    assert (extra.is_extra, extra.left) == (True, 2)
    assert coming_slot(world(log=[entry(1, "WORK")] * (planned + 2)), 1, focus="vera") is None


def test_only_an_event_with_a_time_of_day_is_a_scene() -> None:
    assert is_played(ScheduledEvent(4, "D&D", "evening"))
    assert not is_played(ScheduledEvent(4, "Abgabe", "all-day"))
    assert not is_played(ScheduledEvent(4, "Abgabe"))


def test_a_weekly_event_that_says_little_takes_place_in_the_evening() -> None:
    settings = Settings(calendar=CalendarSettings(weekly=({"weekday": "Montag"},)))
    ((_, event),) = events_on(world(settings=settings), 1)
    assert event == ScheduledEvent(1, "", "evening", "EVENT")


def test_an_empty_key_of_a_weekly_event_is_no_text() -> None:
    empty = {"weekday": "Montag", "event": "Abgabe", "time": None, "place": None, "with": "vera", "lead": None}
    settings = Settings(calendar=CalendarSettings(weekly=(empty,)))
    ((key, event),) = events_on(world(settings=settings), 1)
    assert (key, event) == ("event/day-001/Abgabe", ScheduledEvent(1, "Abgabe", "", "EVENT"))


def test_a_world_without_weekdays_has_no_weekly_events() -> None:
    settings = Settings(calendar=CalendarSettings(weekdays=(), weekly=(DND,)))
    assert events_on(world(settings=settings), 4) == ()


def test_an_event_is_written_without_what_is_empty() -> None:
    event = ScheduledEvent(4, "Abgabe", "noon")
    assert SCHEDULED_EVENT.write(event) == {"day": 4, "event": "Abgabe", "time": "noon"}
    assert SCHEDULED_EVENT.write(replace(event, type="MEETING", place="hall"))["place"] == "hall"


def test_an_event_is_written_with_who_comes_and_who_leads() -> None:
    event = ScheduledEvent(4, "Runde", "noon", cast=("emre", "vera"), lead="vera")
    assert SCHEDULED_EVENT.write(event) == {
        "day": 4,
        "event": "Runde",
        "time": "noon",
        "with": ["emre", "vera"],
        "lead": "vera",
    }


def test_a_slot_knows_how_many_scenes_its_time_has() -> None:
    log: list[LogEntry] = []
    seen = []
    while (slot := coming_slot(world(log=log), 1)) is not None:
        seen.append((slot.time, slot.next_time, slot.rest))
        log.append(entry(1, "WORK", "vera", scene=len(log) + 1, time_of_day=slot.time))
    times = [time for time, _, _ in seen]
    assert [rest for _, _, rest in seen] == [times[place:].count(time) for place, time in enumerate(times)]
    assert [following for _, following, _ in seen] == [*times[1:], "evening"]
