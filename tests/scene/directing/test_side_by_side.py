"""Which scenes of one time of day are played at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gm.base.config import DaySettings, Settings
from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Reason
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.candidates.appointments import propose
from gm.scene.directing.day_so_far import look_at_day
from gm.scene.directing.director import choose_together, next_step, side_by_side
from gm.scene.directing.scenes import next_ref
from gm.scene.directing.select import find_bar, find_objection
from gm.scene.grounding.circle import SMALL_CAST
from gm.scene.planning.schedule import Slot, coming_slot, most_together
from tests.build import agent, entry, thread, words, world


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
        (meets("finn", "nami", place="kitchen", clock="15:00"), True),
        (meets("finn", "nami", place="kitchen", kind="MEETING"), False),
        (meets("finn", place="hall", kind="WORK"), True),
        (meets("vera", place="hall", kind="WORK"), False),
    ],
)
def test_scenes_at_the_same_time_share_no_person_matter_or_place_unless_alone_and_none_is_beside_a_round(
    other: Candidate, goes: bool
) -> None:
    assert side_by_side([FIRST, other], 2) == [FIRST, other][: 1 + goes]


def test_the_best_come_first_and_never_more_than_there_is_room_for() -> None:
    found = [FIRST, meets("vera", "finn"), meets("finn", "nami"), meets("nami", "leo"), meets("leo", "tobi")]
    assert side_by_side(found, 9) == [found[0], found[2], found[4]]
    assert side_by_side(found, 2) == [found[0], found[2]]
    assert side_by_side(found, 1) == [found[0]]
    alone = meets("vera", "emre", kind="MEETING")
    assert side_by_side([alone, *found[2:]], 9) == [alone], "a round has a step of its own"


def test_the_next_time_of_day_joins_only_if_its_best_has_nothing_to_do_with_what_is_chosen() -> None:
    rest = [meets("nami", "leo"), meets("leo", "tobi")]
    assert side_by_side([meets("finn", "nami"), *rest], 9, [FIRST]) == [meets("finn", "nami"), rest[1]]
    assert side_by_side([meets("finn", "vera"), *rest], 9, [FIRST]) == []
    assert side_by_side(rest, 9, [meets("vera", "emre", kind="MEETING")]) == []
    assert side_by_side([meets("finn", "nami", kind="MEETING"), *rest], 9, [FIRST]) == []


def test_a_small_cast_plays_one_after_another_unless_it_is_told_otherwise() -> None:
    few = world(*(agent(f"one{number}") for number in range(SMALL_CAST)))
    many = world(*(agent(f"one{number}") for number in range(SMALL_CAST + 1)))
    assert (most_together(few), most_together(many)) == (1, SMALL_CAST + 1)
    assert most_together(replace(few, settings=Settings(day=DaySettings(together=3)))) == 3
    assert str(next_ref(few, 2)) == "day-001/scene-03"


PEOPLE = tuple(agent(name) for name in ("emre", "finn", "leo", "nami", "tobi", "vera"))
DAY = DaySettings(scenes=(3, 4), busy=6, together=3, company=False)


def agreed(number: int, one: str, other: str, time: str, place: str = "") -> Thread:
    return thread(number, one, other, kind="appointment", text="Wir reden.", due=1, time=time, place=place)


def a_day(*threads: Thread, log: Sequence[LogEntry] = (), day: DaySettings = DAY) -> World:
    log = (entry(1, "ARRIVAL", time_of_day="morning"), *log)
    return replace(
        world(*PEOPLE, log=log, settings=Settings(places={"hall": "", "room": ""}, day=day)), threads=threads
    )


def test_appointments_beside_each_other_are_numbered_in_the_order_of_their_clock_times() -> None:
    afternoon = {"time_of_day": "afternoon"}
    log = [entry(1, "WORK", "tobi", scene=2, **afternoon), entry(1, "ENCOUNTER", "tobi", "leo", scene=3, **afternoon)]
    one = a_day(agreed(1, "vera", "emre", "16:30"), agreed(2, "nami", "finn", "14:30", "room"), log=log)
    chosen = [(item.cast, time) for item, time in choose_together(one, 1, most=9)]
    assert {("emre", "vera"), ("finn", "nami")} <= {tuple(sorted(cast)) for cast, _ in chosen}
    scenes = next_step(one, 1, words, most=9).scenes
    assert [scene.ref.scene for scene in scenes] == [*range(4, 4 + len(scenes))]
    clocks = [scene.clock for scene in scenes]
    assert clocks == sorted(clocks)
    assert clocks[-2:] == ["14:30", "16:30"]


def test_appointments_wait_from_the_first_one_on_whose_people_have_another_before_it() -> None:
    first, apart = agreed(1, "vera", "emre", "14:30"), agreed(2, "nami", "finn", "15:00", "room")
    same, last = agreed(3, "emre", "leo", "15:30"), agreed(4, "tobi", "leo", "16:00")
    for together, due in ((1, ["thread-001"]), (9, ["thread-001", "thread-002"])):
        one = a_day(last, same, apart, first, day=replace(DAY, together=together))
        assert sorted(item.answers[0] for item in propose(one, "afternoon")) == due


def test_one_after_another_an_appointment_late_in_its_time_of_day_leaves_the_others_their_place() -> None:
    late, where = meets("vera", "emre", clock="16:30"), Slot("afternoon", "evening", 1, 9, rest=5)
    late = replace(late, reasons=(Reason("appointment", 6.0),))
    for together, part in ((1, "late"), (3, None)):
        one = a_day(day=replace(DAY, together=together))
        bar = find_objection(late, one, look_at_day(one, where))
        assert (bar.part if bar else None) == part


def test_beside_others_only_scenes_of_the_same_people_follow_each_other() -> None:
    log = [entry(1, "ENCOUNTER", "vera", "emre", scene=at) for at in (2, 3)]
    where = Slot("afternoon", "evening", 3, 9)
    for together, others in ((1, "in_a_row"), (3, None)):
        one = a_day(log=log, day=replace(DAY, together=together))
        day = look_at_day(one, where)
        found = [find_bar(meets(*cast), one, day) for cast in (("vera", "finn"), ("nami", "finn"))]
        assert [bar and bar.part for bar in found] == ["in_a_row", others]


def test_a_slot_ahead_is_the_slot_of_the_day_as_if_the_scenes_before_it_had_been_played() -> None:
    one = a_day()
    first = coming_slot(one, 1)
    assert first is not None
    ahead = [coming_slot(one, 1, ahead=number) for number in range(first.left + 1)]
    log: list[LogEntry] = []
    for slot in ahead[:-1]:
        assert coming_slot(a_day(log=log), 1) == slot
        log.append(entry(1, "WORK", "vera", scene=len(log) + 2, time_of_day=slot.time if slot else ""))
    assert ahead[-1] is None


def test_a_time_of_day_that_has_all_its_scenes_goes_on_into_the_next_one() -> None:
    one = a_day(agreed(1, "vera", "emre", "noon"), agreed(2, "nami", "finn", "14:30", "room"))
    morning = coming_slot(one, 1)
    assert morning is not None
    alone = [entry(1, "WORK", "tobi", scene=2 + at, time_of_day="morning") for at in range(morning.rest)]
    one = a_day(agreed(1, "vera", "emre", "noon"), agreed(2, "nami", "finn", "14:30", "room"), log=alone)
    slot = coming_slot(one, 1)
    assert slot is not None
    assert (slot.time, slot.rest) == ("noon", 1)
    assert {time for _, time in choose_together(one, 1, most=9)} == {"noon", "afternoon"}
    assert {time for _, time in choose_together(one, 1, most=1)} == {"noon"}


def test_the_next_time_of_day_is_weighed_as_if_what_is_chosen_had_been_played() -> None:
    talk, day = agreed(1, "vera", "emre", "noon", "hall"), replace(DAY, meetings=0)
    morning = coming_slot(a_day(talk), 1)
    assert morning is not None
    alone = [entry(1, "WORK", "tobi", scene=2 + at, time_of_day="morning") for at in range(morning.rest)]
    one = a_day(talk, log=alone, day=day)
    chosen = choose_together(one, 1, most=9)
    assert [(item.cast, time) for item, time in chosen[:1]] == [(("vera", "emre"), "noon")]
    after = entry(1, "ENCOUNTER", "vera", "emre", scene=4, time_of_day="noon", answers=["thread-001"])
    there = [replace(who, state=replace(who.state, position="hall")) for who in PEOPLE if who.id in after.participants]
    played = a_day(talk, log=[*alone, after], day=day)
    clock = replace(played.clock, scenes_today=one.clock.scenes_today + 1)
    played = replace(played, agents=dict(played.agents) | {who.id: who for who in there}, clock=clock)
    reasons = {item.cast: item.reasons for item, _ in choose_together(played, 1, most=9)}
    assert len(chosen) > 1
    assert all(item.reasons == reasons[item.cast] for item, _ in chosen[1:])
