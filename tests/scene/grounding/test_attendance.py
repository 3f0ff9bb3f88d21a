from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.base.errors import GmError
from gm.model.world import World
from gm.scene.grounding.attendance import (
    absences_on,
    attending,
    coming_day,
    gathering_place,
    has_left,
    in_house,
    is_away_throughout,
    is_day_off,
    next_day,
    present_with,
)
from tests.build import agent, entry, play_day, scene, studio, world

CAST = (agent("emre"), agent("finn"), agent("vera"))


def calendar(day: int = 1, *, off: tuple[str | int, ...] = (), away: tuple[dict[str, Any], ...] = ()) -> World:
    return world(*CAST, day=day, settings=Settings(calendar=CalendarSettings(off=off, away=away)))


def test_a_character_is_away_on_a_weekday_a_day_or_from_day_to_day() -> None:
    one = calendar(
        away=(
            {"who": "Emre", "weekday": "Friday", "how": "remote"},
            {"who": "finn", "day": 2},
            {"who": "vera", "days": [4, 6], "how": "off"},
            {"who": "nobody", "day": 2},
            {"who": "finn", "days": [7, None]},
        )
    )
    assert [absences_on(one, day) for day in (1, 2, 4, 5, 6, 7, 99)] == [
        {},
        {"finn": "off"},
        {"vera": "off"},
        {"emre": "remote", "vera": "off"},
        {"vera": "off"},
        {"finn": "off"},
        {"finn": "off"},
    ]


def test_who_is_off_attends_nothing_and_who_is_remote_is_not_in_the_house() -> None:
    one = calendar(away=({"who": "emre", "day": 1, "how": "remote"}, {"who": "finn", "day": 1}))
    assert attending(one) == ("emre", "vera")
    assert in_house(one) == ("vera",)


def test_of_two_entries_that_hold_at_once_the_one_that_takes_more_counts() -> None:
    remote, off = {"who": "emre", "day": 1, "how": "remote"}, {"who": "emre", "weekday": "Mo", "how": "off"}
    for entries in ((remote, off), (off, remote)):
        assert absences_on(calendar(away=entries), 1) == {"emre": "off"}


def test_all_meet_where_they_last_met_as_long_as_the_world_has_that_place() -> None:
    one = studio("emre", "finn")
    at = [replace(one, log=(entry(1, "MEETING", "emre", "finn", place=place),)) for place in ("finns-room", "tower")]
    assert [gathering_place(world) for world in at] == ["finns-room", "hall"]
    anywhere = replace(at[1], settings=Settings())
    assert gathering_place(anywhere) == "tower"


def test_days_off_are_passed_over() -> None:
    one = calendar(off=("Fr.", 3))
    assert [is_day_off(one, day) for day in range(1, 7)] == [False, False, True, False, True, False]
    assert (next_day(one, 0), next_day(one, 2), next_day(one, 0, days=4)) == (1, 4, 6)


def test_a_day_without_characters_is_a_day_off() -> None:
    one = calendar(away=tuple({"who": who.id, "day": 2} for who in CAST))
    assert next_day(one, 1) == 3


def test_a_calendar_that_leaves_no_day_is_an_error() -> None:
    with pytest.raises(GmError, match="no day to play after day 1"):
        next_day(calendar(off=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")))


def test_who_is_away_is_in_no_scene_and_who_is_remote_meets_no_other_by_chance() -> None:
    away = ({"who": "emre", "days": [1, 4]}, {"who": "vera", "days": [1, 4], "how": "remote"})
    one = studio()
    one = world(
        *one.agents.values(), day=0, settings=Settings(places=one.settings.places, calendar=CalendarSettings(away=away))
    )
    for _ in range(4):
        one = play_day(one)
    assert not [line for line in one.log if "emre" in line.participants]
    assert [line.type for line in one.log if "vera" in line.participants].count("ARRIVAL") == 4
    for line in one.log:
        if "vera" in line.participants and line.type == "WORK":
            assert line.participants == ("vera",)
            assert not line.place
        assert not (line.type == "ENCOUNTER" and "vera" in line.participants), "nobody had planned to call her"


def test_the_coming_day_is_the_open_one_or_else_the_next_that_is_played() -> None:
    one = calendar(2, off=(3,))
    assert coming_day(one) == 2
    assert coming_day(replace(one, clock=replace(one.clock, day_open=False))) == 4


def test_a_character_is_away_throughout_the_days_on_which_it_is_off() -> None:
    one = calendar(2, off=(3,), away=({"who": "emre", "days": [2, 4]}, {"who": "vera", "day": 2, "how": "remote"}))
    assert [is_away_throughout(one, "emre", days) for days in (1, 2, 3)] == [True, True, False]
    assert not is_away_throughout(one, "vera", 1)
    assert not is_away_throughout(one, "finn", 2)


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        ({"days": [2, None]}, True),
        ({"days": [3, None]}, False),
        ({"days": [2, 4]}, False),
        ({"day": 2}, False),
        ({"days": [1, None], "how": "remote"}, False),
    ],
)
def test_a_character_has_left_if_it_is_away_without_an_end(entry: dict[str, Any], left: bool) -> None:
    one = calendar(2, away=({"who": "emre", **entry},))
    assert has_left(one, "emre") is left
    assert not has_left(one, "vera")


def test_around_a_character_are_the_others_of_the_scene_and_those_who_are_in_the_room() -> None:
    there = world(*CAST, agent("leo"), agent("nami", at="flur"))
    talk = scene("emre", "vera", type="ENCOUNTER")
    assert present_with(there, talk, "emre") == ("vera", "finn", "leo")
    assert present_with(there, replace(talk, place=""), "emre") == ("vera",)


def test_on_the_phone_one_has_the_others_and_no_room() -> None:
    there = calendar(away=({"who": "emre", "day": 1, "how": "remote"},))
    talk = scene("emre", "vera", type="ENCOUNTER")
    assert present_with(there, talk, "emre") == ("vera",)
    assert present_with(there, talk, "vera") == ("emre", "finn")


def test_in_the_morning_those_who_have_the_same_place_are_around_a_character() -> None:
    homes = {"emre": "turm", "finn": "flur", "nami": "turm", "vera": "turm"}
    cast = [agent(name, home=home) for name, home in homes.items()]
    away = ({"who": "nami", "day": 1, "how": "remote"},)
    there = world(*cast, settings=Settings(calendar=CalendarSettings(away=away)))
    arrival = scene("emre", "finn", "nami", "vera", type="ARRIVAL", place="")
    around = {name: present_with(there, arrival, name) for name in arrival.cast}
    assert around == {"emre": ("vera",), "finn": (), "nami": (), "vera": ("emre",)}
