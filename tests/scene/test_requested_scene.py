from dataclasses import replace

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.base.errors import UsageError
from gm.scene.requested_scene import SceneWish, check_focus, check_wish, wished_scene
from tests.build import agent, entry, node, words, world

HOUSE = world(
    agent("emre", at="kontor"), agent("finn"), agent("vera", stream=[node(1)]), log=[entry(1, "WORK", scene=4)]
)


@pytest.mark.parametrize(
    "wish",
    [
        SceneWish("encounter", ("vera", "emre")),
        SceneWish("Meeting"),
        SceneWish("WORK", ("emre",)),
        SceneWish("reflection", ("vera",)),
    ],
)
def test_what_can_be_played_may_be_wished_for(wish: SceneWish) -> None:
    check_wish(HOUSE, wish)


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (SceneWish("party"), "no scene type 'party'"),
        (SceneWish("work", tags=("x" * 200,)), "a tag of 200 characters"),
        (SceneWish("work", ("zoe",)), "nobody here is called 'zoe'"),
        (SceneWish("encounter", ("vera",)), "2 to 3 different characters, 1 given"),
        (SceneWish("encounter", ("vera", "vera")), "2 to 3 different characters"),
        (SceneWish("work", ("vera", "vera")), "1 to 3 different characters"),
        (SceneWish("reflection"), "1 different characters, 3 given"),
        (SceneWish("reflection", ("emre",)), "no memories to reflect on"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(wish: SceneWish, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        check_wish(HOUSE, wish)


def test_a_wished_scene_takes_place_where_its_starter_is_unless_told() -> None:
    made = wished_scene(HOUSE, SceneWish("encounter", ("emre", "vera"), topic="Asche"), words)
    assert (str(made.ref), made.cast, made.place, made.topic) == (
        "day-001/scene-05",
        ("emre", "vera"),
        "kontor",
        "Asche",
    )
    assert wished_scene(HOUSE, SceneWish("work", ("vera",), place="dach"), words).place == "dach"


def test_a_wished_scene_has_a_time_of_day_even_when_the_clock_has_another_word() -> None:
    odd = replace(HOUSE, clock=replace(HOUSE.clock, time_of_day="late-afternoon"))
    assert wished_scene(odd, SceneWish("work", ("vera",)), words).time_of_day == "morning"


def test_a_wished_reflection_is_an_evening_alone() -> None:
    made = wished_scene(HOUSE, SceneWish("reflection", ("vera",)), words)
    assert (made.cast, made.time_of_day, made.why.split()[0]) == (("vera",), "evening", "<why_reflection_asked>")


def test_a_day_may_be_about_somebody_or_nobody() -> None:
    assert [check_focus(HOUSE, name) for name in ("", "Vera", "emre")] == ["", "vera", "emre"]
    with pytest.raises(UsageError, match="nobody here is called 'zoe'"):
        check_focus(HOUSE, "zoe")


def test_where_nobody_is_named_all_take_part_and_the_one_who_leads_such_scenes_begins() -> None:
    weekly = (
        {"weekday": "Montag", "type": "WORK", "lead": "emre"},
        {"weekday": "Montag", "type": "MEETING", "lead": "nobody"},
        {"weekday": "Dienstag", "type": "MEETING", "lead": "finn"},
    )
    led = replace(HOUSE, settings=Settings(calendar=CalendarSettings(weekly=weekly)))
    assert wished_scene(led, SceneWish("meeting"), words).cast == ("finn", "emre", "vera")
    assert wished_scene(HOUSE, SceneWish("meeting"), words).cast == ("emre", "finn", "vera")


def test_something_is_looked_up_in_the_library_or_at_home() -> None:
    kind = replace(HOUSE.scene_types["WORK"], name="CONSULT", library=True)
    people = {**HOUSE.agents, "emre": agent("emre", at="kontor", home="dach")}
    one = replace(HOUSE, agents=people, scene_types={"CONSULT": kind})
    wish = SceneWish("consult", ("emre",))
    assert wished_scene(one, wish, words).place == "dach"
    settings = replace(one.settings, day=replace(one.settings.day, library="archiv"))
    assert wished_scene(replace(one, settings=settings), wish, words).place == "archiv"


def test_a_wished_scene_is_focused_by_the_tags_that_were_asked_for() -> None:
    assert wished_scene(HOUSE, SceneWish("work", ("vera",), tags=("ash",)), words).tags == ("ash",)
    assert wished_scene(HOUSE, SceneWish("reflection", ("vera",), tags=("ash",)), words).tags == ("ash",)
