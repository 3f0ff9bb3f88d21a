from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import CalendarSettings, Settings
from gm.base.errors import UsageError
from gm.model.clock import ScheduledEvent
from gm.model.master_replies import DirectorReply, OwnPremise
from gm.model.world import World
from gm.scene.directing.choosing import (
    MOST_OPTIONS,
    SceneRequest,
    check_focus,
    check_request,
    chosen_scene,
    is_open_choice,
    list_options,
    requested_scene,
    scenes_left,
)
from gm.scene.directing.director import NextScenes, RulesDirector, next_step
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day
from tests.build import agent, entry, node, perform, studio, words, world


def arrived(one: World, seed: int = 1) -> World:
    """A world whose day is open, and everybody has arrived."""
    one = advance(one, open_day(one))
    (arrival,) = next_step(one, seed, words).scenes
    return advance(one, perform(one, arrival))


def choice(number: int = 1, *own: tuple[str, str]) -> DirectorReply:
    return DirectorReply(
        number=number,
        why="Weil\nes passt.",
        premise="Emre\n# steht da.",
        premises=[OwnPremise(who=who, text=text) for who, text in own],
    )


@given(st.integers(0, 10_000))
def test_the_best_of_the_list_is_what_the_rules_would_play(seed: int) -> None:
    one = arrived(studio(), seed)
    while is_open_choice(step := next_step(one, seed, words)):
        (by_rules,) = step.scenes
        options = list_options(one, RulesDirector(seed, words))
        assert options[0].scene == by_rules
        assert [item.candidate.score for item in options] == sorted((i.candidate.score for i in options), reverse=True)
        assert 1 <= len(options) <= MOST_OPTIONS
        one = advance(one, perform(one, options[-1].scene))


def test_what_would_be_the_third_of_its_kind_is_not_offered() -> None:
    one = arrived(studio())
    log = (*one.log, entry(1, "WORK", "emre", scene=2), entry(1, "WORK", "vera", scene=3))
    offered = list_options(replace(one, log=log), RulesDirector(1, words))
    assert offered
    assert "WORK" not in {item.scene.type.name for item in offered}


def test_arrival_events_reflections_and_the_close_are_no_choice() -> None:
    opened = advance(studio(), open_day(studio()))
    assert not is_open_choice(next_step(opened, 1, words)), "arrival"
    assert is_open_choice(next_step(arrived(studio()), 1, words))
    feast = ScheduledEvent(1, "Fest", "morning")
    calendar = replace(studio(), clock=replace(studio().clock, scheduled_events=(feast,)))
    assert not is_open_choice(next_step(arrived(calendar), 1, words)), "an event that is due"
    full = [entry(1, kind, "emre", scene=n) for n, kind in enumerate(["ARRIVAL", *["WORK", "MEETING"] * 3], 1)]
    due = world(agent("emre", accumulator=101), agent("vera"), log=full)
    assert not is_open_choice(next_step(due, 1, words)), "a reflection"
    assert not is_open_choice(NextScenes(())), "the close"


def test_the_chosen_scene_has_the_words_of_the_one_who_chose_it_on_one_line_each() -> None:
    one = arrived(studio())
    options = list_options(one, RulesDirector(1, words))
    first = options[1].scene.cast[0]
    made = chosen_scene(options, choice(2, (first, "Es riecht nach Gips."), (first, "Und nach Leim.")))
    assert (made.why, made.premise, made.director) == ("Weil es passt.", "Emre # steht da.", "llm")
    assert made.premises[first] == "Es riecht nach Gips. Und nach Leim."
    usual = options[1].scene
    assert (made.type, made.cast, made.place, made.topic, made.intent) == (
        usual.type,
        usual.cast,
        usual.place,
        usual.topic,
        usual.intent,
    )


def test_what_a_candidate_has_for_one_alone_stays_unless_something_else_is_said_to_that_one() -> None:
    one = arrived(studio())
    options = list_options(one, RulesDirector(1, words))
    cast = options[0].scene.cast
    usual = replace(options[0].scene, premises=dict.fromkeys(cast, "Regen."))
    made = chosen_scene([replace(options[0], scene=usual)], choice(1, (cast[0], "Schnee.")))
    assert made.premises == {name: "Schnee." if name == cast[0] else "Regen." for name in cast}


@pytest.mark.parametrize("played", [0, 1, 2])
def test_scenes_that_are_left_count_the_coming_one_and_no_reflection(played: int) -> None:
    one = studio()
    one = replace(one, clock=replace(one.clock, day=1, day_open=True))
    log = [entry(1, "WORK", "vera", scene=n + 1) for n in range(played)]
    whole = scenes_left(one, RulesDirector(1, words))
    assert (
        scenes_left(replace(one, log=(*log, entry(1, "REFLECTION", "vera", scene=9))), RulesDirector(1, words))
        == whole - played
    )


def test_a_full_day_has_no_list() -> None:
    one = arrived(studio())
    full = (*one.log, *(entry(1, "WORK", "vera", scene=number) for number in range(2, 20)))
    clock = replace(one.clock, scenes_today=19)
    assert list_options(replace(one, log=full, clock=clock), RulesDirector(1, words)) == ()


HOUSE = world(
    agent("emre", at="kontor"), agent("finn"), agent("vera", stream=[node(1)]), log=[entry(1, "WORK", scene=4)]
)


@pytest.mark.parametrize(
    "asked",
    [
        SceneRequest("encounter", ("Vera", "emre")),
        SceneRequest("Meeting"),
        SceneRequest("WORK", ("emre",)),
        SceneRequest("reflection", ("vera",)),
    ],
)
def test_what_can_be_played_may_be_requested_with_ids_for_names(asked: SceneRequest) -> None:
    assert check_request(HOUSE, asked) == replace(asked, cast=tuple(name.lower() for name in asked.cast))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (SceneRequest("party"), "no scene type 'party'"),
        (SceneRequest("work", tags=("x" * 200,)), "a tag of 200 characters"),
        (SceneRequest("work", ("zoe",)), "nobody here is called 'zoe'"),
        (SceneRequest("encounter", ("vera",)), "2 to 3 different characters, 1 given"),
        (SceneRequest("encounter", ("vera", "vera")), "2 to 3 different characters"),
        (SceneRequest("work", ("vera", "vera")), "1 to 3 different characters"),
        (SceneRequest("reflection"), "1 different characters, 3 given"),
        (SceneRequest("reflection", ("emre",)), "no memories to reflect on"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(asked: SceneRequest, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        check_request(HOUSE, asked)


def test_a_requested_scene_takes_place_where_its_starter_is_unless_told() -> None:
    made = requested_scene(HOUSE, SceneRequest("encounter", ("emre", "vera"), topic="Asche"), words)
    assert (str(made.ref), made.cast, made.place, made.topic) == (
        "day-001/scene-05",
        ("emre", "vera"),
        "kontor",
        "Asche",
    )
    assert requested_scene(HOUSE, SceneRequest("work", ("vera",), place="dach"), words).place == "dach"


def test_a_requested_scene_has_a_time_of_day_even_when_the_clock_has_another_word() -> None:
    odd = replace(HOUSE, clock=replace(HOUSE.clock, time_of_day="late-afternoon"))
    assert requested_scene(odd, SceneRequest("work", ("vera",)), words).time_of_day == "morning"


def test_a_requested_reflection_is_an_evening_alone() -> None:
    made = requested_scene(HOUSE, SceneRequest("reflection", ("vera",)), words)
    assert (made.cast, made.time_of_day, made.why.split()[0]) == (("vera",), "evening", "<why_reflection_asked>")


def test_a_day_may_be_about_a_character_or_none() -> None:
    assert [check_focus(HOUSE, name) for name in ("", "Vera", "emre")] == ["", "vera", "emre"]
    with pytest.raises(UsageError, match="nobody here is called 'zoe'"):
        check_focus(HOUSE, "zoe")


def test_where_no_character_is_named_all_take_part_and_the_one_who_leads_such_scenes_begins() -> None:
    weekly = (
        {"weekday": "Montag", "type": "WORK", "lead": "emre"},
        {"weekday": "Montag", "type": "MEETING", "lead": "nobody"},
        {"weekday": "Dienstag", "type": "MEETING", "lead": "finn"},
    )
    led = replace(HOUSE, settings=Settings(calendar=CalendarSettings(weekly=weekly)))
    assert requested_scene(led, SceneRequest("meeting"), words).cast == ("finn", "emre", "vera")
    assert requested_scene(HOUSE, SceneRequest("meeting"), words).cast == ("emre", "finn", "vera")


def test_something_is_looked_up_in_the_library_or_at_home() -> None:
    kind = replace(HOUSE.scene_types["WORK"], name="CONSULT", library=True)
    people = {**HOUSE.agents, "emre": agent("emre", at="kontor", home="dach")}
    one = replace(HOUSE, agents=people, scene_types={"CONSULT": kind})
    asked = SceneRequest("consult", ("emre",))
    assert requested_scene(one, asked, words).place == "dach"
    settings = replace(one.settings, day=replace(one.settings.day, library="archiv"))
    assert requested_scene(replace(one, settings=settings), asked, words).place == "archiv"


def test_a_requested_scene_is_focused_by_the_tags_that_were_asked_for() -> None:
    assert requested_scene(HOUSE, SceneRequest("work", ("vera",), tags=("ash",)), words).tags == ("ash",)
    assert requested_scene(HOUSE, SceneRequest("reflection", ("vera",), tags=("ash",)), words).tags == ("ash",)
