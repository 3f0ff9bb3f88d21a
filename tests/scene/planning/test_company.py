"""Nobody goes through a day without company, unless they want to."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, DaySettings, Settings
from gm.model.clock import ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Reason
from gm.model.world import Agent, World
from gm.scene.candidates import plans
from gm.scene.directing.day_so_far import look_at_day, needs_company
from gm.scene.directing.select import find_objection, survey
from gm.scene.planning.schedule import Slot, is_pressing, least_left, lonely_today, will_be_alone
from tests.build import agent, entry, node, play_day, studio, thread, world

NAMES = ("emre", "finn", "nami", "vera")
SEVEN = ("darius", "emre", "finn", "leo", "nami", "tobi", "vera")


def hermit(name: str = "vera") -> Agent:
    made = node(agent=name, type="plan", tags=["plan"], metadata={"kind": "plan", "alone": True})
    return agent(name, at=f"{name}s-room", home=f"{name}s-room", plan=["der Turm"], stream=[made])


def house(*cast: Agent, log: Sequence[LogEntry] = (), **settings: Any) -> World:
    names = {one.id for one in cast}
    rest = [agent(name, at=f"{name}s-room", home=f"{name}s-room") for name in NAMES if name not in names]
    return world(*cast, *rest, log=log, settings=Settings(**settings))


def test_who_was_alone_today_is_lonely() -> None:
    log = [
        entry(0, "ENCOUNTER", "finn", "nami"),
        entry(1, "ARRIVAL", *NAMES),
        entry(1, "WORK", "vera", scene=2),
        entry(1, "ENCOUNTER", "emre", "nami", scene=3),
    ]
    assert lonely_today(house(log=log)) == ("finn", "vera")
    assert lonely_today(house(hermit(), log=log)) == ("finn",)


@pytest.mark.parametrize("how", ["off", "remote"])
def test_who_is_not_in_the_house_is_not_lonely(how: str) -> None:
    away = CalendarSettings(away=({"who": "finn", "day": 1, "how": how},))
    assert lonely_today(house(calendar=away)) == ("emre", "nami", "vera")


def test_in_a_house_of_one_and_where_it_is_switched_off_no_character_is_lonely() -> None:
    assert lonely_today(world(agent("vera"))) == ()
    assert lonely_today(house(day=DaySettings(company=False))) == ()


def test_it_presses_when_the_scenes_that_are_left_are_needed_for_pairs() -> None:
    four = NAMES
    assert [is_pressing(four, left) for left in (3, 2, 1)] == [False, True, True]
    assert [is_pressing(four[:3], left) for left in (3, 2, 1)] == [False, True, True]
    assert [is_pressing(four[:1], left) for left in (2, 1)] == [False, True]
    assert not is_pressing((), 0)


def test_the_least_number_of_scenes_left_in_a_day() -> None:
    played = [entry(1, "ARRIVAL"), entry(1, "WORK", scene=2), entry(1, "REFLECTION", "vera", scene=3)]
    assert [least_left(house(log=played[:number])) for number in (0, 1, 2, 3)] == [4, 3, 2, 2]
    assert least_left(house(day=DaySettings(scenes=(2, 2)))) == 2


def test_who_is_to_meet_others_later_today_is_not_alone_in_the_end() -> None:
    fest = ScheduledEvent(1, "Fest", "evening", cast=("Emre", "finn"))
    one = replace(house(), clock=replace(house().clock, scheduled_events=(fest,)))
    assert (will_be_alone(one), least_left(one)) == (("nami", "vera"), 4)
    everybody = replace(one, clock=replace(one.clock, scheduled_events=(replace(fest, cast=()),)))
    assert (will_be_alone(everybody), least_left(everybody)) == ((), 4)
    full = replace(one, settings=Settings(day=DaySettings(scenes=(3, 4))))
    assert least_left(full) == 3
    agreed = thread(1, "vera", "finn", kind="appointment", due=1)
    assert will_be_alone(replace(house(), threads=(agreed,))) == ("emre", "nami")
    solo = replace(one, clock=replace(one.clock, scheduled_events=(replace(fest, cast=("emre",)),)))
    assert will_be_alone(solo) == NAMES


def candidate(*cast: str, type: str = "WORK", part: str = "plan") -> Candidate:
    return Candidate(type, cast, "hall", (Reason(part, 1.0),), ("premise", {}))


def test_when_it_presses_a_scene_brings_two_together_who_were_alone() -> None:
    one = house()
    pressing, early = look_at_day(one, Slot("noon", "noon", 3, 5)), look_at_day(one, Slot("noon", "noon", 2, 5))
    assert (needs_company(pressing), needs_company(early)) == (NAMES, ())
    alone, pair = candidate("vera"), candidate("emre", "vera")
    bar = find_objection(alone, one, pressing)
    assert bar is not None
    assert (bar.part, bar.values["names"]) == ("company", "Emre, Finn, Nami, Vera")
    assert find_objection(alone, one, early) is None
    assert find_objection(pair, one, pressing) is None
    assert find_objection(candidate("vera", part="brief"), one, pressing) is None
    assert find_objection(candidate("vera", part="appointment"), one, pressing) is None


def test_a_scene_for_company_says_who_would_have_none_without_it() -> None:
    one = house(log=[entry(1, "MEETING", "emre", "finn")])
    slot = Slot("noon", "noon", 4, 5)
    pair, guest = candidate("emre", "vera", "nami"), candidate("vera", "nami")
    guest = replace(guest, reasons=(*guest.reasons, Reason("company", 1.0, "why_company_alone", {"names": "Nami"})))
    asked, agreed = candidate("vera", "nami", part="brief"), candidate("vera", "nami", part="appointment")
    found = {
        (*item.candidate.cast, item.candidate.reasons[0].part): [
            (why.phrase, why.values["names"]) for why in item.candidate.reasons if why.part == "company"
        ]
        for item in survey([pair, guest, asked, agreed], one, 1, slot)
    }
    assert found == {
        ("emre", "vera", "nami", "plan"): [("why_company_late", "Vera, Nami")],
        ("vera", "nami", "plan"): [("why_company_alone", "Nami")],
        ("vera", "nami", "brief"): [],
        ("vera", "nami", "appointment"): [],
    }
    (early,) = survey([pair], one, 1, Slot("noon", "noon", 1, 5))
    assert all(why.part != "company" for why in early.candidate.reasons)


def test_the_last_one_left_needs_any_other_character() -> None:
    one = house(log=[entry(1, "MEETING", "emre", "finn", "nami")])
    day = look_at_day(one, Slot("noon", "noon", 4, 5))
    assert day.lonely == ("vera",)
    assert find_objection(candidate("emre", "vera"), one, day) is None
    assert find_objection(candidate("emre", "finn"), one, day) is not None
    assert find_objection(candidate("vera"), one, day) is not None


def test_the_last_scene_brings_out_three_where_one_of_them_would_stay_alone() -> None:
    one = house(log=[entry(1, "MEETING", "emre", "emre")])
    last, before = Slot("noon", "noon", 4, 5), Slot("noon", "noon", 3, 5)
    two, three = candidate("finn", "nami", part="artifact"), candidate("finn", "nami", "vera", part="work")
    assert look_at_day(one, last).lonely == ("finn", "nami", "vera")
    chosen = [option.candidate.cast for option in survey([two, three], one, 1, last) if option.bar is None]
    assert chosen == [three.cast]
    chosen = [option.candidate.cast for option in survey([two, three], one, 1, before) if option.bar is None]
    assert set(chosen) == {two.cast, three.cast}, "one more scene can take the third"
    (option,) = survey([two], one, 1, last)
    assert option.bar is None, "two are better than nobody"


def test_where_nothing_else_can_be_played_a_scene_without_company_is() -> None:
    (option,) = survey([candidate("vera")], house(), 1, Slot("noon", "noon", 4, 5))
    assert option.bar is None


def works(one: World, name: str) -> Candidate:
    return next(item for item in plans.propose(one, "noon") if item.type == "WORK" and item.cast[0] == name)


def test_when_time_is_short_those_without_company_sit_down_beside_another_character() -> None:
    log = [entry(1, "ARRIVAL", *NAMES), entry(1, "ENCOUNTER", "finn", "nami", scene=2), entry(1, "WORK", "x", scene=3)]
    item = works(house(log=log), "vera")
    assert item.cast == ("vera", "emre")
    assert [reason.phrase for reason in item.reasons if reason.part == "company"] == ["why_company_alone"]
    assert item.premises["emre"] == ("own_company", {"who": "Vera", "how": "alone"})
    assert works(house(log=log[:2]), "vera").cast == ("vera",), "there is time enough"


def test_those_without_company_come_before_those_who_are_there() -> None:
    log = [entry(1, "ENCOUNTER", "finn", "nami", scene=number) for number in (1, 2, 3)]
    beside = [agent(name, at="veras-room", home="veras-room") for name in ("finn", "nami")]
    item = works(house(*beside, log=log), "vera")
    assert item.cast == ("vera", "emre", "finn")
    assert item.premises["vera"] == ("own_host", {"guests": [{"who": "Emre", "how": "alone"}]})


def test_a_character_that_wants_no_company_works_alone() -> None:
    log = [entry(1, "ENCOUNTER", "finn", "nami", scene=number) for number in (1, 2, 3)]
    assert works(house(hermit(), log=log), "vera").cast == ("vera",)
    assert works(house(hermit(), log=log), "emre").cast == ("emre",)


@pytest.mark.parametrize(("cast", "seed"), [(SEVEN, 1), (SEVEN, 2), (SEVEN, 3), ((*SEVEN, "ada"), 1)])
def test_in_ten_days_everybody_has_company_every_day(cast: Sequence[str], seed: int) -> None:
    one = studio(*cast)
    for _ in range(10):
        one = play_day(one, seed)
        assert lonely_today(one) == (), one.clock.day


def test_with_too_few_scenes_for_a_cast_not_everybody_has_company() -> None:
    settings = replace(studio(*SEVEN).settings, day=DaySettings(scenes=(2, 2), meetings=0))
    assert len(lonely_today(play_day(studio(*SEVEN, settings=settings)))) >= 4
