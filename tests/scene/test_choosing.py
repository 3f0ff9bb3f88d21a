from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from gm.model.replies import DirectorReply, OwnPremise
from gm.model.world import ScheduledEvent, World
from gm.scene.advance import advance
from gm.scene.choosing import MOST_OPTIONS, chosen_scene, is_free, list_options, scenes_left
from gm.scene.daybreak import open_day
from gm.scene.director import RulesDirector, Step, next_step
from tests.build import agent, entry, perform, studio, words, world


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


@effort(max_examples=20)
@given(st.integers(0, 10_000))
def test_the_best_of_the_list_is_what_the_rules_would_play(seed: int) -> None:
    one = arrived(studio(), seed)
    while is_free(step := next_step(one, seed, words)):
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
    assert not is_free(next_step(opened, 1, words)), "arrival"
    assert is_free(next_step(arrived(studio()), 1, words))
    feast = ScheduledEvent(1, "Fest", "morning")
    calendar = replace(studio(), clock=replace(studio().clock, scheduled_events=(feast,)))
    assert not is_free(next_step(arrived(calendar), 1, words)), "an event that is due"
    full = [entry(1, kind, "emre", scene=n) for n, kind in enumerate(["ARRIVAL", *["WORK", "MEETING"] * 3], 1)]
    due = world(agent("emre", accumulator=101), agent("vera"), log=full)
    assert not is_free(next_step(due, 1, words)), "a reflection"
    assert not is_free(Step(())), "the close"


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
