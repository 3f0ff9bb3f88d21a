"""The talks and work in a plan beyond its list, and their effect on the choice of scenes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, DaySettings, Settings
from gm.model.logged import LogEntry
from gm.model.scene import Candidate
from gm.model.thread import Thread
from gm.model.world import Agent, World
from gm.scene.candidates import plans
from gm.scene.candidates import threads as open_threads
from gm.scene.directing.select import survey
from gm.scene.planning.plans import EVERYONE
from gm.scene.planning.schedule import Slot, scenes_planned
from gm.scene.planning.wishes import (
    AWAY,
    BOTH,
    PassedTalk,
    PlannedTalk,
    is_unready,
    passed_talks,
    talks_of,
    talks_of_two,
    times_wanted,
    wants_no_company,
    was_planned_in_vain,
    work_items,
)
from tests.build import agent, entry, node, thread, world

BUILD = "Arbeiten an: die Tür mit der niedrigen Schwelle"
SHOW = "Mit Emre sprechen: die Tür zeigen"
PLACES = {"flur": "", "hall": ""}


def planning(*items: Mapping[str, Any], name: str = "vera", at: str = "atelier", **more: Any) -> Agent:
    """A character whose plan of today has details."""
    made = node(
        agent=name,
        type="plan",
        tags=["plan"],
        metadata={"kind": "plan", **({"items": list(items)} if items else {}), **more},
    )
    return agent(name, at=at, plan=[item["text"] for item in items] or [BUILD], stream=[made])


def talk(text: str = SHOW, other: str = "emre", **values: Any) -> dict[str, Any]:
    return {"text": text, "kind": "talk", "with": other, **values}


def work(text: str = BUILD) -> dict[str, Any]:
    return {"text": text, "kind": "work"}


def studio(*cast: Agent, log: Sequence[LogEntry] = (), **others: Any) -> World:
    names = {one.id for one in cast}
    rest = [agent(name, at="kontor") for name in ("emre", "finn", "nami") if name not in names]
    settings = Settings(places=PLACES, **others)
    return world(*cast, *rest, log=log, settings=settings)


def talks(one: Agent) -> tuple[PlannedTalk, ...]:
    return talks_of(studio(one), one.id)


def test_a_talk_whose_time_is_over_is_known() -> None:
    late, ever = "Mit Nami sprechen: Suppe", "Mit Finn sprechen: Tee"
    one = planning(work(), talk(time="12:30"), talk(late, "nami", time="afternoon"), talk(ever, "finn"))
    there = studio(one)
    times = ("morning", "noon", "afternoon", "evening")
    assert [frozenset(passed_talks(there, one, time)) for time in times] == [
        frozenset(), frozenset(), frozenset((SHOW,)), frozenset((SHOW, late)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ([], PassedTalk("emre")),
        ([("finn", "emre")], PassedTalk("emre", "emre", ("finn",), "hall")),
        ([("vera",), ("emre", "nami")], PassedTalk("emre", "emre", ("nami",), "hall")),
        ([("vera",)], PassedTalk("emre", "vera", (), "hall")),
        ([("finn", "nami")], PassedTalk("emre")),
    ],
)
def test_what_kept_two_from_a_talk_is_known(log: Sequence[tuple[str, ...]], told: PassedTalk) -> None:
    day = [
        entry(1, "ENCOUNTER", *names, scene=number, time_of_day="noon", place="hall")
        for number, names in enumerate(log, 2)
    ]
    one = planning(work(), talk(time="12:30"))
    assert passed_talks(studio(one, log=day), one, "evening") == {SHOW: told}


def test_two_who_mean_to_talk_later_have_no_talk_before_while_there_are_other_scenes() -> None:
    other = Candidate("WORK", ("finn",), "hall", (), ("premise_work", {}))

    def bar(now: str, left: int = 4, kind: str = "ENCOUNTER", **said: Any) -> str:
        there = studio(planning(work(), talk(**said)))
        both = Candidate(kind, ("emre", "vera"), "hall", (), ("premise", {}))
        found = survey([both, other], there, 1, Slot(now, now, 0, left))
        (option,) = (option for option in found if option.candidate is not other and "vera" in option.candidate.cast)
        return option.bar.phrase if option.bar else ""

    assert bar("morning", time="noon") == "bar_later"
    assert bar("noon", time="noon") == ""
    assert bar("morning") == "", "no time was named"
    assert bar("morning", left=1, time="noon") == "", "later there is no scene left"
    assert bar("morning", kind="WORK", time="noon") == "", "they may work in one room"


def test_a_talk_that_was_planned_in_vain_counts_more_on_the_next_day() -> None:
    old = node(type="plan", tags=["plan", "emre"], metadata={"kind": "plan"})
    one = planning(talk(), name="vera")
    new = replace(one.stream[0], id="vera-009", created="day-002/scene-01")
    there = studio(replace(one, stream=(old, new)), log=[entry(1, "WORK", "vera", scene=2)])
    there = replace(there, clock=replace(there.clock, day=2))
    met = replace(there, log=(entry(1, "ENCOUNTER", "vera", "emre", scene=2),))
    in_a_round = replace(there, log=(entry(1, "MEETING", "vera", "emre", "finn", "nami", scene=2),))
    turns = [{"agent": "vera", "lines": [{"text": "Still hier."}]}, {"agent": "emre", "lines": [{"text": "Ja."}]}]
    beside = replace(there, log=(entry(1, "WORK", "vera", "emre", scene=2, turns=turns),))
    answered = [turns[0], {"agent": "emre", "lines": [{"text": "Ja.", "to": "vera"}]}]
    spoken = replace(there, log=(entry(1, "WORK", "vera", "emre", scene=2, turns=answered),))
    worlds = (there, met, in_a_round, beside, spoken)
    assert [was_planned_in_vain(world, "vera", "emre") for world in worlds] == [True, False, True, True, False]
    assert not was_planned_in_vain(there, "vera", "finn")
    assert [offered(world, "noon")[0].reasons[0].points for world in (there, met)] == [15.0, pytest.approx(4.8)]


@pytest.mark.parametrize(
    ("kind", "people", "is_passed"),
    [
        ("WORK", ("vera", "emre"), False),
        ("WORK", ("vera", "finn"), True),
        ("ARRIVAL", ("vera", "emre"), True),
        ("MEETING", ("vera", "emre", "finn", "leo"), True),
    ],
)
def test_a_talk_with_a_character_met_today_is_not_said_to_have_come_to_nothing(
    kind: str, people: tuple[str, ...], is_passed: bool
) -> None:
    one = planning(talk(time="morning"))
    there = world(one, agent("emre"), agent("finn"), agent("leo"), log=[entry(1, kind, *people)])
    assert {*passed_talks(there, one, "evening")} == ({SHOW} if is_passed else set())


def test_a_talk_has_the_time_and_the_place_that_the_plan_says_and_what_it_is_to_show() -> None:
    one = planning(work(), talk(time="9.30", place="flur", shows=1))
    (found,) = talks(one)
    assert found == PlannedTalk(SHOW, "emre", "09:30", "flur", BUILD)
    assert found.clock == "09:30"
    (plain,) = talks(agent(plan=[SHOW]))
    assert plain == PlannedTalk(SHOW, "emre")
    assert replace(plain, time="noon").clock == ""


def test_of_several_talks_with_one_person_the_first_that_is_open_counts() -> None:
    one = agent(plan=[f"DONE: {SHOW}", "Mit Emre sprechen: Kaffee", "Mit Emre sprechen: Tee", "Mit Finn sprechen: Tee"])
    assert [talk.item for talk in talks(one)] == ["Mit Emre sprechen: Kaffee", "Mit Finn sprechen: Tee"]


@pytest.mark.parametrize(
    "odd", [{"time": "gegen drei", "place": 7}, {"shows": 2}, {"shows": "1"}, {"shows": 0}, {"with": "niemand"}]
)
def test_what_a_plan_says_in_no_known_form_is_left_out(odd: dict[str, Any]) -> None:
    assert talks(planning(work(), {**talk(), **odd})) == (PlannedTalk(SHOW, "emre"),)


@pytest.mark.parametrize("items", ["nichts", [7, None], [{"kind": "talk"}]])
def test_details_of_another_form_are_passed_over(items: Any) -> None:
    made = planning(work())
    odd = replace(made.stream[0], metadata={"kind": "plan", "items": items})
    assert talks(replace(made, stream=(odd,), state=replace(made.state, today_plan=(SHOW,)))) == (
        PlannedTalk(SHOW, "emre"),
    )


def test_a_character_may_want_to_talk_to_all_or_to_none() -> None:
    (found,) = talks(planning(talk("Mit allen sprechen: der Wochenplan", EVERYONE)))
    assert found.other == EVERYONE
    assert wants_no_company(studio(alone := planning(alone=True)), alone)
    assert not wants_no_company(studio(other := planning(work())), other)
    assert not wants_no_company(studio(agent()), agent())


def test_what_is_for_others_is_no_work() -> None:
    items = [work(), talk(), talk("Wochenplan, im Stehen", EVERYONE), work("Arbeiten an: Maße kleben mit Emre")]
    one = planning(*items)
    assert work_items(studio(one), one) == [BUILD]


def test_what_is_to_be_shown_is_not_ready_before_it_has_been_worked_on() -> None:
    one = planning(work(), talk(shows=1))
    began = [entry(1, "WORK", "vera", "emre")]
    sat_beside = [entry(1, "WORK", "emre", "vera")]
    assert is_unready(studio(one), one, shows=BUILD)
    assert is_unready(studio(one, log=sat_beside), one, shows=BUILD)
    assert not is_unready(studio(one, log=began), one, shows=BUILD)
    assert not is_unready(studio(one), one, shows="Arbeiten an: etwas anderes")
    done = planning({**work(), "text": f"DONE: {BUILD}"}, talk(shows=1))
    assert not is_unready(studio(done), done, shows=BUILD)


def test_a_promise_of_the_work_of_today_is_not_ready_either() -> None:
    one = planning(work(), talk())
    assert is_unready(studio(one), one, promise="Vera baut bis Mittwoch die niedrige Schwelle.")
    assert not is_unready(studio(one), one, promise="Vera bringt die Schwelle mit."), "one word in common is too little"
    assert not is_unready(studio(one), one)


def offered(one: World, time: str = "morning") -> list[Candidate]:
    return [item for item in plans.propose(one, time) if item.reasons[0].part == "plan"]


def parts(item: Candidate) -> list[str]:
    return [reason.part for reason in item.reasons]


def test_a_talk_waits_for_the_work_that_it_shows_until_the_day_is_nearly_over() -> None:
    one = studio(planning(work(), talk(shows=1)))
    (item,) = offered(one)
    assert (parts(item), item.reasons[1].points) == (["plan", "unready"], -6.0)

    def counts(left: int) -> bool:
        (option,) = survey([item], one, 1, Slot("morning", "morning", 0, left))
        return "unready" in parts(option.candidate)

    assert [counts(left) for left in (3, 2, 1)] == [True, False, False]


def test_a_talk_about_a_promise_waits_for_the_work_on_it() -> None:
    def talks(thread_: Thread, *log: LogEntry) -> list[list[str]]:
        one = replace(studio(planning(work()), log=log), threads=(thread_,))
        return [parts(item) for item in open_threads.propose(one, "morning") if item.type == "ENCOUNTER"]

    promised = thread(1, "vera", "emre", text="Vera baut die niedrige Schwelle.", opened="day-000")
    assert talks(promised) == [["promise", "unready"]]
    assert talks(promised, entry(1, "WORK", "vera")) == [["promise"]]
    assert talks(replace(promised, kind="question")) == [["question"]]


def test_a_talk_that_is_planned_for_later_waits_for_its_time() -> None:
    one = studio(planning(talk(time="15:00", place="Flur")))
    (early,), (due,) = offered(one, "morning"), offered(one, "afternoon")
    assert (parts(early), early.reasons[1].points, early.reasons[1].phrase) == (
        ["plan", "later"],
        -6.0,
        "why_later_planned",
    )
    assert (parts(due), due.place, due.clock, early.clock) == (["plan"], "flur", "15:00", "")
    (option,) = survey([early], one, 1, Slot("morning", "morning", 4, 5))
    assert "later" not in parts(option.candidate), "it would not be played any more"


def test_a_talk_that_both_have_planned_counts_most_from_the_time_on_that_one_of_them_has_named() -> None:
    back = talk("Mit Vera sprechen: Mittagessen", "vera")
    one = studio(planning(talk(time="noon")), planning(back, name="emre", at="kontor"))
    alone = studio(planning(talk(time="noon")))

    def points(one: World, time: str) -> list[float]:
        return [item.reasons[0].points for item in offered(one, time)]

    assert (points(one, "noon"), points(one, "afternoon")) == ([15.0, 15.0], [15.0, 15.0])
    assert points(alone, "noon") == pytest.approx([7.2])
    assert points(alone, "afternoon") == pytest.approx([4.8])
    assert talks_of_two(one) == {frozenset(("vera", "emre"))}
    assert talks_of_two(alone) == frozenset()


def test_a_day_has_more_scenes_for_talks_that_two_have_planned_with_each_other_also_once_they_are_held() -> None:
    seed = next(seed for seed in range(99) if scenes_planned(studio(), 1, seed) == 4)

    def planned(item: str, other: str = "vera", **others: Any) -> int:
        emre = planning(talk(item, other), name="emre", at="kontor")
        return scenes_planned(studio(planning(talk()), emre, **others), 1, seed)

    assert (planned("Mit Finn sprechen: Tee", "finn"), planned("Mit Vera sprechen: Tee")) == (4, 5)
    assert planned("DONE: Mit Vera sprechen: Tee") == 5
    assert planned("Mit Vera sprechen: Tee", day=DaySettings(scenes=(3, 4), busy=0)) == 4


def test_that_two_have_met_before_is_no_matter_for_a_talk_that_has_its_time() -> None:
    met = [entry(1, "ENCOUNTER", "emre", "vera", time_of_day="noon")]
    assert len(offered(studio(planning(talk(time="15:00")), log=met), "afternoon")) == 1
    assert offered(studio(planning(talk(time="noon")), log=met), "afternoon") == []
    assert offered(studio(planning(talk()), log=met), "afternoon") == []


def test_a_talk_is_where_its_words_say_unless_one_is_on_the_phone() -> None:
    text = "Mit Emre sprechen: im Flur die Schwelle ansehen"
    (item,) = offered(studio(planning(talk(text))))
    assert item.place == "flur"
    away = CalendarSettings(away=({"who": "emre", "day": 1, "how": "remote"},))
    (phoned,) = offered(studio(planning(talk(text)), calendar=away))
    assert phoned.place == "atelier"


def test_one_may_call_everybody_together_once_a_day() -> None:
    plan = planning(talk("Mit allen sprechen: der Wochenplan, im Flur", EVERYONE, time="09:30"))
    (item,) = offered(studio(plan))
    assert (item.type, item.cast[0], set(item.cast)) == ("MEETING", "vera", {"emre", "finn", "nami", "vera"})
    assert (item.place, item.clock, item.premise[0]) == ("flur", "09:30", "premise_call")
    called = [entry(1, "MEETING", "vera", "emre", "finn", "nami")]
    assert offered(studio(plan, log=called)) == []
    others = [entry(1, "MEETING", "emre", "vera", "finn", "nami")]
    assert len(offered(studio(plan, log=others))) == 1
    (elsewhere,) = offered(studio(planning(talk("Mit allen sprechen: Tee", EVERYONE, time="noon"))))
    assert (elsewhere.place, elsewhere.clock) == ("flur", ""), "where all meet, and not yet at its time"


def test_a_character_that_is_alone_calls_no_meeting() -> None:
    plan = planning(talk("Mit allen sprechen: Tee", EVERYONE))
    assert offered(replace(world(plan), settings=Settings(places=PLACES))) == []


def arranged(one: World, time: str = "noon") -> list[bool]:
    return [plans.is_planned_for_now(item) for item in offered(one, time)]


def test_a_talk_that_is_due_goes_first_where_both_want_it_or_it_has_an_hour_and_a_place() -> None:
    back = planning(talk("Mit Vera sprechen: Suppe", "vera", time="noon"), name="emre", at="kontor")
    later = planning(talk("Mit Vera sprechen: Suppe", "vera", time="afternoon"), name="emre", at="kontor")
    assert arranged(studio(planning(talk()), back)) == [True, True]
    assert arranged(studio(planning(talk()), back), "morning") == [False, False]
    assert arranged(studio(planning(talk()), later)) == [False, False], "one of them wants it later"
    assert arranged(studio(planning(talk(time="12:15", place="flur")))) == [True]
    assert arranged(studio(planning(talk(time="15:00", place="flur")))) == [False], "not yet"
    assert arranged(studio(planning(talk(time="12:15")))) == arranged(studio(planning(talk(time="noon")))) == [False]


def test_of_two_talks_the_one_that_stands_first_in_the_plan_weighs_more() -> None:
    one = studio(planning(talk(), talk("Mit Finn sprechen: Tee", "finn")))
    assert [item.reasons[0].points for item in offered(one)] == [pytest.approx(4.8), pytest.approx(4.32)]


def test_no_run_of_talks_and_no_patience_rules_out_a_talk_that_goes_first() -> None:
    log = [
        entry(1, "ENCOUNTER", "finn", "nami", scene=2),
        entry(1, "ENCOUNTER", "nami", "finn", scene=3),
    ]
    work_of_finn = Candidate("WORK", ("finn",), "hall", (), ("premise_work", {}))

    def best(*said: Agent) -> str:
        there = studio(*said, log=log)
        found = survey([*offered(there, "noon"), work_of_finn], there, 1, Slot("noon", "afternoon", 3, 8))
        return found[0].candidate.type

    back = planning(talk("Mit Vera sprechen: Suppe", "vera"), name="emre", at="kontor")
    assert best(planning(talk(time="noon"))) == "WORK"
    assert best(planning(talk(time="noon")), back) == "ENCOUNTER"


def guests(*cast: Agent, host: str = "finn", time: str = "morning", **others: Any) -> tuple[str, ...]:
    there = replace(studio(*cast), **others)
    (item,) = (item for item in plans.propose(there, time) if item.type == "WORK" and item.cast[0] == host)
    return item.cast[1:]


def test_who_is_expected_at_this_time_of_day_is_not_fetched_to_work_with_another() -> None:
    named = talk("Mit Finn sprechen: Tee", "finn")
    host = agent("finn", at="kontor", home="kontor")
    there = agent("emre", at="hall")

    def fetched(*items: Mapping[str, Any], **more: Any) -> bool:
        return "vera" in guests(planning(named, *items), host, there, agent("nami", at="hall"), **more)

    assert fetched()
    assert not fetched(talk(time="morning"))
    assert not fetched(talk(time="09:30", place="flur"))
    assert fetched(talk(time="noon")), "only later"
    assert fetched(talk(time="morning"), time="noon"), "its time is over"
    assert fetched(talk("Mit Ole sprechen: Netze", "ole", time="morning")), "not one of the house"
    due = thread(1, "vera", "emre", kind="appointment", due=1, time="morning")
    assert not fetched(threads=(due,))
    both = talk("Mit Finn sprechen: Tee", "finn", time="morning")
    assert "vera" in guests(planning(both, talk(time="morning")), host, there, agent("nami", at="hall")), (
        "the host expects it too"
    )
    beside = agent("emre", at="kontor", plan=["Mit Nami sprechen: Wind"])
    assert "emre" in guests(beside, host), "who is in the room stays"


def test_a_call_for_an_hour_and_a_place_goes_first_and_takes_up_what_was_arranged_for_it() -> None:
    plan = planning(talk("Mit allen sprechen: Kuchen", EVERYONE, time="15:30", place="flur"))
    agreed = thread(1, "nami", "vera", kind="appointment", due=1, time="15:30", place="flur")
    other = thread(2, "nami", "emre", kind="appointment", due=1, time="15:30", place="kontor")
    there = replace(studio(plan), threads=(agreed, other))
    (item,) = offered(there, "afternoon")
    assert (item.type, item.answers, len(item.cast)) == ("MEETING", ("thread-001",), 4)
    assert [(why.part, why.points) for why in item.reasons] == [("plan", 15.0), ("appointment", 40.0)]
    (alone,) = offered(studio(plan), "afternoon")
    assert (alone.answers, plans.is_planned_for_now(alone)) == ((), True)
    held = studio(plan, log=[entry(1, "MEETING", "emre", "vera", "finn", "nami")])
    bars = [option.bar for option in survey([alone], held, 1, Slot("afternoon", "evening", 3, 8))]
    assert bars == [None], "a meeting before it is no reason against it"
    before = thread(3, "emre", "finn", kind="appointment", due=1, time="15:00")
    assert offered(replace(there, threads=(agreed, before)), "afternoon") == [], "first what comes before"
    (early,) = offered(there, "noon")
    assert (early.answers, plans.is_planned_for_now(early)) == ((), False)


def test_a_talk_by_the_clock_is_over_once_a_later_hour_has_come_and_not_with_the_one_who_is_there() -> None:
    one = planning(talk(time="14:00"))
    there = studio(one)
    assert passed_talks(there, one, "afternoon") == {}
    assert passed_talks(there, one, "afternoon", "15:00") == {SHOW: PassedTalk("emre")}
    assert passed_talks(there, one, "afternoon", "15:00", ("vera", "emre")) == {}
    later = studio(one, log=[entry(1, "ENCOUNTER", "emre", "nami", time_of_day="afternoon", clock="14:30")])
    assert passed_talks(later, one, "afternoon") == {SHOW: PassedTalk("emre", "emre", ("nami",), "hall")}


def test_nothing_is_said_to_have_kept_all_from_a_talk_with_everybody() -> None:
    assert passed_talks(studio(one := planning(talk(other="all", time="noon"))), one, "evening") == {}


def test_two_who_were_in_a_round_of_many_at_the_time_of_their_talk_know_it() -> None:
    round_ = entry(1, "MEETING", "vera", "emre", "finn", "nami", time_of_day="noon")
    one = planning(talk(time="noon"))
    assert passed_talks(studio(one, log=[round_]), one, "evening") == {SHOW: PassedTalk("emre", BOTH, (), "hall")}


def test_one_who_is_not_in_the_house_could_not_be_met() -> None:
    away = CalendarSettings(away=({"who": "emre", "day": 1, "how": "off"},))
    one = planning(talk(time="noon"))
    assert passed_talks(studio(one, calendar=away), one, "evening") == {SHOW: PassedTalk("emre", AWAY)}


def test_the_times_that_plans_have_arranged_are_known_struck_off_or_not() -> None:
    back = planning(talk("Mit Vera sprechen: Suppe", "vera"), name="emre", at="kontor")
    lone = planning(talk("Mit Vera sprechen: Tee", "vera", time="15:00", place="flur"), name="nami")
    wish = planning(talk("Mit Vera sprechen: Tee", "vera", time="noon"), name="finn")
    one = planning(talk(time="noon"))
    done = replace(one, state=replace(one.state, today_plan=(f"DONE: {SHOW}",)))
    assert sorted(times_wanted(studio(one, back, lone, wish)).values()) == ["afternoon", "noon"]
    assert times_wanted(studio(done, back)) == {frozenset((done.id, back.id)): "noon"}
