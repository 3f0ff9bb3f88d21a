"""What the day so far, and the days before, say for and against a scene: how much, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, Settings, WeightsSettings
from gm.model.clock import ScheduledEvent
from gm.model.scene import Candidate, Reason
from gm.model.world import World
from gm.scene.directing.select import survey
from gm.scene.planning.schedule import Slot
from tests.build import agent, entry, thread, world

CAST = (agent("emre"), agent("finn"), agent("vera"))
ONE: dict[str, Any] = dict.fromkeys(("time", "pacing", "needed", "again", "focus", "stage", "busy", "dice"), 1.0)
EVERY = replace(WeightsSettings(), **ONE)  # each part counts one point for a measure of 1
PLAIN = Settings(weights=EVERY)
Said = tuple[Any, Mapping[str, str]]


def candidate(type: str, *cast: str, **others: Any) -> Candidate:
    return Candidate(type, cast or ("emre", "vera"), "hall", (Reason("plan", 1.0),), ("premise", {}), **others)


def slot(time: str = "morning", played: int = 0, left: int = 9) -> Slot:
    return Slot(time, time, played, played + left)


def day(*played: tuple[str, *tuple[str, ...]], **others: Any) -> World:
    """A world on its first day, with scenes played."""
    log = [entry(1, kind, *cast, scene=number) for number, (kind, *cast) in enumerate(played, 1)]
    return world(*CAST, **{"log": log, "settings": PLAIN, **others})


def says(item: Candidate, one: World, where: Slot | None = None, *, focus: str = "", seed: int = 1) -> dict[str, Said]:
    where = where or slot(played=len(one.scenes_of(one.clock.day)))
    (option,) = survey([item], one, seed, where, focus)
    return {reason.part: (reason.points, reason.values) for reason in option.candidate.reasons[1:]}


@pytest.mark.parametrize(
    ("time", "type", "points"),
    [
        ("morning", "WORK", 1.0),
        ("morning", "MEETING", 0.5),
        ("noon", "ENCOUNTER", 1.0),
        ("afternoon", "ENCOUNTER", 0.5),
        ("afternoon", "WORK", 0.5),
        ("noon", "WORK", None),
        ("evening", "ENCOUNTER", None),
    ],
)
def test_a_scene_suits_some_times_of_day_better_than_others(time: str, type: str, points: float | None) -> None:
    said = says(candidate(type), day(), slot(time)).get("time")
    assert said == (None if points is None else (points, {"type": type, "time": time}))


def test_only_the_type_of_the_very_last_scene_weighs_less() -> None:
    one = day(("EVENT", "emre"), ("WORK", "vera"))
    assert says(candidate("WORK"), one)["pacing"] == (-1.0, {"type": "WORK"})
    assert "pacing" not in says(candidate("EVENT"), one)


def test_what_a_day_still_needs_counts_the_room_that_events_will_take() -> None:
    played = (("ENCOUNTER", "emre", "vera"),)
    assert "needed" not in says(candidate("WORK"), day(*played), slot(played=1, left=2))
    event = ScheduledEvent(1, "Runde", "evening")
    said = says(candidate("WORK"), day(*played, events=[event]), slot(played=1, left=2))
    assert said["needed"] == (1.0, {"type": "WORK"})
    assert "needed" not in says(candidate("WORK"), day(*played, events=[event]), slot(played=1, left=3))


def test_each_time_the_same_people_did_the_same_speaks_against_it_once_more() -> None:
    one = day(("EVENT", "vera", "emre"), ("WORK", "emre", "vera"), ("EVENT", "emre", "vera"))
    assert says(candidate("EVENT"), one)["again"] == (-2.0, {"count": "2"})
    assert says(candidate("WORK"), one)["again"] == (-1.0, {"count": "1"})
    assert "again" not in says(candidate("EVENT", "emre", "finn"), one)


def test_who_is_in_focus_is_wanted_on_stage_and_never_there_too_often() -> None:
    one = day(("EVENT", "emre", "finn"), settings=PLAIN)
    said = says(candidate("WORK", "emre", "vera"), one, focus="emre")
    assert said["focus"] == (1.0, {"who": "Emre"})
    assert "busy" not in said
    assert "focus" not in says(candidate("WORK", "finn", "vera"), one, focus="emre")
    assert "focus" not in says(candidate("WORK", "emre", "vera"), one)


def test_who_was_on_stage_most_today_speaks_against_a_scene_by_name() -> None:
    one = day(("EVENT", "vera", "finn"), ("WORK", "vera"), ("EVENT", "emre"))
    assert says(candidate("WORK", "emre", "vera"), one)["busy"] == (-2.0, {"who": "Vera", "count": "2"})
    assert says(candidate("WORK", "vera", "emre"), one)["busy"] == (-2.0, {"who": "Vera", "count": "2"})
    assert says(candidate("WORK", "emre"), one)["busy"] == (-1.0, {"who": "Emre", "count": "1"})
    other = day(("EVENT", "emre", "finn"), ("WORK", "emre"), ("EVENT", "vera"))
    assert says(candidate("WORK", "vera", "emre"), other)["busy"] == (-2.0, {"who": "Emre", "count": "2"})


def waiting(**last: int) -> World:
    """The ninth day; the last small scene of each was on the day given."""
    log = [entry(when, "EVENT", name) for name, when in sorted(last.items(), key=lambda item: item[1])]
    return world(*CAST, day=9, log=log, settings=PLAIN)


def test_who_waits_for_a_scene_counts_by_the_days_and_for_full_after_three() -> None:
    one = waiting(emre=2, finn=9, vera=8)
    points, values = says(candidate("WORK", "vera", "emre"), one)["stage"]
    assert points == pytest.approx((1 / 3 + 1) / 2), "a day of three, and more than three"
    assert values == {"who": "Emre", "days": "7"}
    assert says(candidate("WORK", "emre", "vera"), one)["stage"] == (pytest.approx(points), values)
    assert says(candidate("WORK", "vera"), one)["stage"] == (pytest.approx(1 / 3), {"who": "Vera", "days": "1"})


def test_a_scene_for_all_puts_no_single_character_on_stage() -> None:
    one = waiting(emre=2, finn=9, vera=8)
    assert {"stage", "busy"}.isdisjoint(says(candidate("EVENT", "emre", "finn", "vera"), one))


@pytest.mark.parametrize(("last", "days"), [(6, 3), (8, 1)])
@pytest.mark.parametrize("cast", [("emre", "vera"), ("vera", "emre")])
def test_who_is_away_today_does_not_wait_for_a_scene(last: int, days: int, cast: tuple[str, ...]) -> None:
    away = CalendarSettings(away=({"who": "emre", "day": 9},))
    one = waiting(emre=1, finn=9, vera=last)
    others = {name: agent(name) for name in ("leo", "nami")}
    one = replace(one, settings=replace(PLAIN, calendar=away), agents={**one.agents, **others})
    said = says(candidate("WORK", *cast), one)["stage"]
    assert said == (pytest.approx(days / 3 / 2), {"who": "Vera", "days": str(days)})


def test_only_scenes_in_a_small_circle_end_a_wait() -> None:
    crowd = [agent(name) for name in ("emre", "finn", "leo", "nami", "vera")]
    log = [
        entry(1, "EVENT", "emre"),
        entry(7, "WORK", "emre", "finn", "leo"),
        entry(8, "EVENT", *["emre", "finn", "leo", "nami"]),
    ]
    one = world(*crowd, day=9, log=log, settings=PLAIN)
    assert says(candidate("EVENT", "leo", "emre"), one)["stage"][1]["days"] == "2", "three are a small circle"
    assert says(candidate("EVENT", "nami", "vera"), one)["stage"][1]["days"] == "9", (
        "since before the first scene known"
    )
    arrived = [*log, entry(8, "ARRIVAL", "emre"), entry(8, "REFLECTION", "leo", scene=2)]
    same = says(candidate("EVENT", "leo", "emre"), replace(one, log=tuple(arrived)))["stage"]
    assert same[1]["days"] == "2", "nobody meets anybody by arriving or reflecting"


def test_the_dice_of_a_moment_are_the_same_for_ever() -> None:
    # a world that is played again has to roll what it rolled
    one = replace(day(), clock=replace(day().clock, day=3, scenes_today=2))
    rolled = says(candidate("WORK", answers=("bulletin/0",), intent="Gips holen"), one, seed=8)
    assert rolled["dice"] == (0.752, {})


def test_everything_that_makes_a_scene_another_one_rolls_the_dice_anew() -> None:
    def roll(item: Candidate, day_now: int = 1, scenes_today: int = 0) -> Any:
        one = day()
        clock = replace(one.clock, day=day_now, scenes_today=scenes_today)
        return says(item, replace(one, clock=clock))["dice"][0]

    rolls = [
        roll(candidate("WORK")),
        roll(candidate("WORK"), day_now=2),
        roll(candidate("WORK"), scenes_today=1),
        roll(candidate("EVENT")),
        roll(candidate("WORK", "emre")),
        roll(candidate("WORK", answers=("bulletin/0",))),
        roll(candidate("WORK", intent="Gips holen")),
    ]
    assert len(set(rolls)) == len(rolls)
    assert all(0 <= points <= 1 for points in rolls)


def test_what_may_be_played_comes_first_and_then_what_is_ruled_out_each_best_first() -> None:
    def offered(type: str, points: float, part: str = "plan") -> Candidate:
        return replace(candidate(type), reasons=(Reason(part, points),))

    two_works = day(("WORK", "emre"), ("WORK", "emre"))
    found = [offered("WORK", 50), offered("ENCOUNTER", 10), offered("WORK", 90), offered("EVENT", 20)]
    options = survey(found, two_works, 1, slot(played=2))
    assert [(item.candidate.reasons[0].points, item.bar is None) for item in options] == [
        (20, True), (10, True), (90, False), (50, False),
    ]  # fmt: skip
    forced = survey([offered("WORK", 90), offered("WORK", 50, "event")], two_works, 1, slot(played=2))
    assert [(item.candidate.reasons[0].points, item.bar is None) for item in forced] == [(50, True), (90, False)]


@pytest.mark.parametrize(
    ("part", "due", "left", "points"),
    [
        ("appointment", 1, 3, 20.0),
        ("appointment", 1, 2, 40.0),
        ("promise_due", 1, 2, 9.0),
        ("promise_due", 1, 1, 40.0),
        ("promise_due", 0, 1, 9.0),
    ],
)
def test_what_is_arranged_or_promised_for_the_day_counts_in_full_before_it_ends(
    part: str, due: int, left: int, points: float
) -> None:
    before = {"appointment": 20.0, "promise_due": 9.0}[part]
    reasons = (Reason(part, before, "why_promise_due"),)
    item = replace(candidate("ENCOUNTER"), reasons=reasons, answers=("thread-001",))
    one = replace(day(), threads=(thread(1, "vera", "emre", due=due),))
    (option,) = survey([item], one, 1, slot(left=left))
    told = [why for why in option.candidate.reasons if why.part == part]
    assert sum(why.points for why in told) == pytest.approx(points)
    assert [why.phrase for why in told if why.phrase] == ["why_promise_due"], "the logbook says it once"
