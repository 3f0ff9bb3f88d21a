from dataclasses import replace

import pytest

from gm.model.scene import Reason, SceneType
from gm.scene.score import type_to_play

TALK = SceneType("ENCOUNTER", "-", play="sequential", rounds=(2, 2), raised={"rounds": (3, 4), "max_turns": 9})


@pytest.mark.parametrize("part", ["brief", "event", "promise_due", "cliffhanger", "tension"])
def test_what_takes_up_something_weighty_is_played_raised(part: str) -> None:
    kind = type_to_play(TALK, [Reason(part, 5.0), Reason("pacing", -9.0)], 5.0)
    assert (kind.rounds, kind.max_turns, kind.name) == ((3, 4), 9, "ENCOUNTER")


@pytest.mark.parametrize("part", ["plan", "unmet", "work", "artifact", "needed", "dice"])
def test_what_happens_every_day_is_played_as_usual(part: str) -> None:
    assert type_to_play(TALK, [Reason(part, 90.0)], 0.0) is TALK


def test_the_setting_says_how_much_it_takes_and_whether_at_all() -> None:
    reasons = [Reason("promise_due", 2.0), Reason("tension", 2.5)]
    assert type_to_play(TALK, reasons, 4.5) == TALK.raise_()
    assert type_to_play(TALK, reasons, 4.6) is TALK
    assert type_to_play(TALK, reasons, None) is TALK


def test_a_type_without_raised_values_stays_what_it_is() -> None:
    plain = SceneType("WORK", "-")
    assert type_to_play(plain, [Reason("event", 100.0)], 5.0) is plain
    assert TALK.raise_().raise_() == TALK.raise_(), "raised once is raised"


def test_one_more_scene_of_its_type_on_a_day_is_played_shorter_if_its_type_says_so() -> None:
    kind = replace(TALK, again={"max_turns": 3})
    reasons = [Reason("event", 100.0)]
    assert type_to_play(kind, reasons, 5.0, {"MEETING"}) == kind.raise_()
    played = type_to_play(kind, reasons, 5.0, {kind.name})
    assert (played.max_turns, played.raised, played.again) == (3, {}, {})
    assert type_to_play(TALK, reasons, 5.0, {TALK.name}) == TALK.raise_()
