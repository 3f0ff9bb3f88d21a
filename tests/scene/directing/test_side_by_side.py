"""Which scenes of one time of day are played at the same time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.base.config import DaySettings, Settings
from gm.model.scene import Candidate, Reason
from gm.scene.directing.director import most_together, next_ref, side_by_side
from gm.scene.grounding.circle import SMALL_CAST
from tests.build import agent, world


def meets(*cast: str, place: str = "", kind: str = "ENCOUNTER", clock: str = "", about: str = "") -> Candidate:
    answers = (about,) if about else ()
    why = (Reason("plan", 6.0),)
    return Candidate(kind, cast, place, why, ("premise", {}), answers=answers, clock=clock)


FIRST = meets("vera", "emre", place="hall", about="thread-001")


@pytest.mark.parametrize(
    ("other", "goes"),
    [
        (meets("finn", "nami", place="kitchen"), True),
        (meets("finn", "nami"), True),
        (meets("finn", "vera", place="kitchen"), False),
        (meets("finn", "nami", place="hall"), False),
        (meets("finn", "nami", place="kitchen", about="thread-001"), False),
        (meets("finn", "nami", place="kitchen", clock="15:00"), False),
        (meets("finn", "nami", place="kitchen", kind="MEETING"), False),
    ],
)
def test_scenes_at_the_same_time_share_no_person_place_or_matter_and_no_clock_or_round_stands_between_them(
    other: Candidate, goes: bool
) -> None:
    assert side_by_side([FIRST, other], 2) == [FIRST, other][: 1 + goes]


def test_the_best_come_first_and_never_more_than_there_is_room_for() -> None:
    found = [FIRST, meets("vera", "finn"), meets("finn", "nami"), meets("nami", "leo"), meets("leo", "tobi")]
    assert side_by_side(found, 9) == [found[0], found[2], found[4]]
    assert side_by_side(found, 2) == [found[0], found[2]]
    assert side_by_side(found, 1) == [found[0]]
    at_three = meets("vera", "emre", clock="15:00")
    assert side_by_side([at_three, *found[2:]], 9) == [at_three], "a clock time goes before what comes after it"


def test_a_small_cast_plays_one_after_another_unless_it_is_told_otherwise() -> None:
    few = world(*(agent(f"one{number}") for number in range(SMALL_CAST)))
    many = world(*(agent(f"one{number}") for number in range(SMALL_CAST + 1)))
    assert (most_together(few), most_together(many)) == (1, SMALL_CAST + 1)
    assert most_together(replace(few, settings=Settings(day=DaySettings(together=3)))) == 3
    assert str(next_ref(few, 2)) == "day-001/scene-03"
