from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from gm.base.errors import UsageError
from gm.model.world import World
from gm.scene.directing.choosing import is_open_choice, list_picks, picked_scene
from gm.scene.directing.director import RulesDirector, next_step
from gm.scene.folding.advance import advance
from tests.build import entry, perform, studio, words
from tests.scene.directing.test_choosing import arrived


def rules(seed: int = 1) -> RulesDirector:
    return RulesDirector(seed, words)


def full(one: World) -> World:
    while is_open_choice(step := next_step(one, 1, words)):
        one = advance(one, perform(one, step.scenes[0]))
    return one


@effort(max_examples=10)
@given(st.integers(0, 10_000))
def test_the_first_of_the_list_is_what_the_rules_would_play(seed: int) -> None:
    one = arrived(studio(), seed)
    (by_rules,) = next_step(one, seed, words).scenes
    listed = list_picks(one, rules(seed))
    assert picked_scene(one, rules(seed), listed[0].pick) == replace(by_rules, director="asked")
    for item in listed:
        if item.bar:
            with pytest.raises(UsageError, match="cannot be played any more"):
                picked_scene(one, rules(seed), item.pick)
        else:
            scene = picked_scene(one, rules(seed), item.pick)
            assert (scene.cast, scene.place, scene.why) == (item.pick.cast, item.pick.place, item.pick.why)


def test_what_is_ruled_out_comes_last_and_says_why() -> None:
    one = arrived(studio())
    one = replace(one, log=(*one.log, entry(1, "WORK", "emre", scene=2), entry(1, "WORK", "vera", scene=3)))
    bars = [item.bar for item in list_picks(one, rules()) if item.pick.type == "WORK"]
    assert all("WORK" in bar for bar in bars)
    assert bars


def test_the_reason_is_the_one_that_was_listed() -> None:
    one = arrived(studio())
    pick = replace(list_picks(one, rules())[0].pick, why="It was morning.")
    assert picked_scene(one, rules(), pick).why == "It was morning."


def test_another_time_place_or_cast_is_another_scene() -> None:
    one = arrived(studio())
    pick = list_picks(one, rules())[0].pick
    for other in (replace(pick, time_of_day="evening"), replace(pick, place="x"), replace(pick, cast=pick.cast[:1])):
        with pytest.raises(UsageError, match="the world has changed") as caught:
            picked_scene(one, rules(), other)
        assert caught.value.hint == "list the candidates again"


def test_on_a_full_day_nothing_is_listed_and_nothing_can_be_picked() -> None:
    pick = list_picks(arrived(studio()), rules())[0].pick
    one = full(arrived(studio()))
    assert list_picks(one, rules()) == ()
    with pytest.raises(UsageError):
        picked_scene(one, rules(), pick)
