"""What a character has before its eyes when it is asked: a part that needs neither files nor a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.model.scene import Scene
from gm.model.world import World
from gm.play.turn_contexts import MOST_LINES, TurnContexts
from gm.scene.dialogue.turns import Turn
from tests.build import agent, reply, scene, words, world

CAST = ("emre", "vera")
MOMENTS = TurnContexts(words, 1, lambda _path: None)


@pytest.fixture
def there() -> World:
    return world(agent("emre"), agent("vera"), day=1)


@pytest.fixture
def talk() -> Scene:
    one = scene(*CAST)
    return replace(one, type=replace(one.type, play="sequential", rounds=(2, 2)))


def test_the_first_turn_shows_nothing_that_was_said(there: World, talk: Scene) -> None:
    first = MOMENTS.first_turn(there, talk, "emre")
    assert (first.turn, first.dialogue, first.own, first.last_turn) == (1, (), (), False)


def test_a_later_turn_shows_what_was_said_and_what_oneself_answered(there: World, talk: Scene) -> None:
    turns = [Turn("emre", reply("Guten Morgen.")), Turn("vera", reply("Morgen!"))]
    later = MOMENTS.next_turn(there, talk, turns, "emre")
    assert [line.text for line in later.dialogue] == ["Guten Morgen.", "Morgen!"]
    assert (later.turn, later.own, later.lines_left_out) == (2, (turns[0].reply,), 0)


def test_of_a_long_talk_only_the_last_lines_are_shown(there: World, talk: Scene) -> None:
    turns = [Turn("emre", reply(*(f"Zeile {number}." for number in range(MOST_LINES + 3))))]
    assert MOMENTS.next_turn(there, talk, turns, "vera").lines_left_out == 3
    assert MOMENTS.so_far(there, talk, turns, "vera").lines_left_out == 3
