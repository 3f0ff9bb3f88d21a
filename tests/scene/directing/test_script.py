"""How far a day has come in its script, and what is next."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.model.calendar import time_rank
from gm.model.clock import ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.scene import Scene, SceneType
from gm.model.world import World
from gm.scene.directing.director import RulesDirector
from gm.scene.directing.script import Free, Script, ScriptedScene, Slot, find_next_slot, missed_events, next_scripted
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day
from tests.build import agent, entry, perform, studio, words, world

TALK = ScriptedScene(1, "ENCOUNTER", ("vera", "emre"))
WORK = ScriptedScene(2, "WORK", ("nami",))
FREE, REST = Free(3), Free(4, rest=True)


def opened(one: World | None = None) -> World:
    one = one or studio()
    return advance(one, open_day(one))


def play(script: Script, one: World | None = None, seed: int = 1) -> World:
    """Play a whole day by a script, and stop before its reflections."""
    one = one or opened()
    while (scene := next_scripted(one, script, RulesDirector(seed, words)).scene) is not None:
        one = advance(one, perform(one, scene))
    return one


def scenes_chosen(one: World) -> list[tuple[str, str]]:
    return [(line.type, line.director) for line in one.scenes_of(1)]


def next_scene(one: World, *slots: Slot, arrival: bool = True) -> Scene:
    found = next_scripted(one, Script(slots, arrival=arrival), RulesDirector(1, words)).scene
    assert found is not None
    return found


def test_a_script_is_played_in_its_order_after_everybody_has_arrived() -> None:
    one = play(Script((TALK, WORK, FREE)))
    assert scenes_chosen(one)[:3] == [("ARRIVAL", "rules"), ("ENCOUNTER", "script"), ("WORK", "script")]
    assert [director for _, director in scenes_chosen(one)[3:]] == ["rules"]
    assert next_scripted(one, Script((TALK, WORK, FREE)), RulesDirector(1, words)).scene is None


def test_no_character_arrives_where_the_script_says_so() -> None:
    assert scenes_chosen(play(Script((WORK,), arrival=False))) == [("WORK", "script")]
    assert ("ARRIVAL", "rules") not in scenes_chosen(play(Script((WORK, REST), arrival=False)))


def test_an_arrival_in_the_script_is_played_where_it_stands() -> None:
    one = play(Script((WORK, ScriptedScene(5, "ARRIVAL"), TALK)))
    assert scenes_chosen(one) == [("WORK", "script"), ("ARRIVAL", "script"), ("ENCOUNTER", "script")]


def test_the_rest_is_played_by_the_rules_until_the_day_is_full() -> None:
    one = play(Script((TALK, REST)))
    assert len(scenes_chosen(one)) > 3
    assert {director for _, director in scenes_chosen(one)[2:]} == {"rules"}
    assert not [line for line in one.scenes_of(1) if line.type == "REFLECTION"]


@given(st.lists(st.sampled_from([TALK, WORK, FREE]), max_size=6), st.booleans(), st.integers(0, 1000))
def test_a_script_of_any_scenes_comes_to_its_end_with_all_that_is_written(
    slots: list[Slot], arrival: bool, seed: int
) -> None:
    one = play(Script(tuple(slots), arrival=arrival), seed=seed)
    assert sum(director == "script" for _, director in scenes_chosen(one)) == sum(
        isinstance(slot, ScriptedScene) for slot in slots
    )
    assert len(scenes_chosen(one)) <= len(slots) + arrival
    times = [line.time_of_day for line in one.scenes_of(1)]
    assert times == sorted(times, key=time_rank)


def line(type: str, director: str) -> LogEntry:
    return entry(1, type, "vera", director=director)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ([], 0),
        ([("ARRIVAL", "rules")], 0),
        ([("ARRIVAL", "rules"), ("ENCOUNTER", "script")], 1),
        ([("ENCOUNTER", "script"), ("MEETING", "asked"), ("EVENT", "asked")], 1),
        ([("ENCOUNTER", "script"), ("REFLECTION", "asked"), ("REFLECTION", "rules")], 1),
        ([("ENCOUNTER", "script"), ("WORK", "rules")], 2),
        ([("ENCOUNTER", "script"), ("WORK", "script")], 3),  # there was nothing to choose for the free one
        ([("ENCOUNTER", "rules")], 1),  # begun by rules
        ([("ENCOUNTER", "script"), ("WORK", "rules"), ("WORK", "script"), ("WORK", "rules"), ("WORK", "rules")], 3),
    ],
)
def test_the_place_in_a_script_follows_from_the_logbook(lines: list[tuple[str, str]], place: int) -> None:
    script = Script((TALK, FREE, WORK, REST))
    assert find_next_slot(script, [line(*item) for item in lines]) == place


def test_reflections_count_where_they_stand_in_the_script_and_nowhere_else() -> None:
    script = Script((ScriptedScene(1, "REFLECTION", ("vera",)), WORK))
    assert find_next_slot(script, [line("REFLECTION", "script")]) == 1
    assert find_next_slot(script, [line("REFLECTION", "rules")]) == 0


def test_an_arrival_by_the_rules_counts_for_the_one_in_the_script() -> None:
    script = Script((ScriptedScene(1, "ARRIVAL"), WORK))
    assert find_next_slot(script, [line("ARRIVAL", "rules")]) == 1


def test_a_script_that_became_shorter_while_its_day_runs_comes_to_its_end() -> None:
    assert find_next_slot(Script((TALK,)), [line("ENCOUNTER", "script"), line("WORK", "script")]) == 1


def test_a_written_scene_is_what_the_script_says() -> None:
    slot = ScriptedScene(
        7, "ENCOUNTER", ("vera", "emre"), "hall", "noon", "Gips", "Es klopft.", {"emre": "Es zieht."}, "Zeit.", "Ja."
    )
    made = next_scene(opened(), replace(slot, answers=("bulletin/0",), tags=("gips",)), arrival=False)
    assert (made.type.name, made.cast, made.place, made.time_of_day) == ("ENCOUNTER", ("vera", "emre"), "hall", "noon")
    assert (made.topic, made.premise, made.premises) == ("Gips", "Es klopft.", {"emre": "Es zieht."})
    assert (made.why, made.intent, made.answers, made.director) == ("Zeit.", "Ja.", ("bulletin/0",), "script")
    assert made.tags == ("gips",)


def test_what_is_left_out_is_as_usual() -> None:
    made = next_scene(opened(), TALK, arrival=False)
    assert (made.place, made.why, made.premise) == (
        "veras-room",
        "<why_script>",
        "<premise_asked> names=['Vera', 'Emre']",
    )
    assert next_scene(opened(), WORK, arrival=False).premise == "<premise_work> one=Nami"
    everybody = next_scene(opened(), ScriptedScene(1, "MEETING"), arrival=False)
    assert everybody.cast == tuple(opened().agents)
    alone = next_scene(opened(), ScriptedScene(1, "REFLECTION", ("vera",)), arrival=False)
    assert (alone.premise, alone.time_of_day, alone.director) == ("<premise_reflection> who=Vera", "morning", "script")


def test_an_event_without_words_of_its_own_is_the_one_in_the_calendar() -> None:
    feast = ScheduledEvent(1, "Fest", "afternoon", place="hall")
    one = opened()
    one = replace(one, clock=replace(one.clock, scheduled_events=(feast,)))
    made = next_scene(one, ScriptedScene(1, "EVENT"), arrival=False)
    assert (made.topic, made.place, made.time_of_day, made.director) == ("Fest", "hall", "afternoon", "script")
    assert missed_events(one) == ("Fest",)
    assert missed_events(play(Script((ScriptedScene(1, "EVENT"),)), one)) == ()
    own = next_scene(one, ScriptedScene(1, "EVENT", topic="Ein anderes Fest"), arrival=False)
    assert (own.topic, own.answers) == ("Ein anderes Fest", ())


def test_scenes_without_a_time_lie_between_those_with_one() -> None:
    script = Script((replace(WORK, time="noon"), TALK, replace(WORK, time="noon"), TALK, ScriptedScene(9, "MEETING")))
    times = [line.time_of_day for line in play(script).scenes_of(1)][1:]
    assert times[:3] == ["noon"] * 3
    assert times == sorted(times, key=time_rank)


def test_a_free_scene_for_which_there_is_nothing_to_choose_is_left_out_and_named() -> None:
    alone = world(agent("vera"), types={"PAUSE": SceneType("PAUSE", "scenes/pause.j2")})
    found = next_scripted(alone, Script((FREE, ScriptedScene(8, "PAUSE", ("vera",)))), RulesDirector(1, words))
    assert found.left_out == (3,)
    assert found.scene is not None
    assert found.scene.director == "script"
    assert next_scripted(alone, Script((FREE,)), RulesDirector(1, words)) == replace(found, scene=None)


def test_what_was_played_beyond_the_end_of_a_script_moves_nothing() -> None:
    script = Script((WORK,))
    assert find_next_slot(script, [line("WORK", "script"), line("WORK", "rules"), line("WORK", "rules")]) == 1
