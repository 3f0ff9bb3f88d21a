from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gm.base import plugins
from gm.base.config import CalendarSettings, DaySettings, Settings, WeightsSettings
from gm.layers.goals import GOALS, Goal
from gm.model.clock import Post, ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.mind import Mind
from gm.model.persona import Persona
from gm.model.scene import EVERYONE, Candidate, Reason, SceneType
from gm.model.thread import Thread, ThreadKind
from gm.model.world import Agent, World
from gm.scene.candidates import (
    Source,
    artifacts,
    board,
    calendar,
    chance,
    declared,
    list_candidates,
    merge_same_people,
    plans,
)
from gm.scene.candidates import threads as open_threads
from gm.scene.grounding.attendance import chance_place, talk_place
from gm.scene.grounding.common_reasons import DayBonds, add_goals
from gm.scene.grounding.mentions import choose_type
from gm.scene.score import reason
from tests.build import SCENE_TYPES, agent, entry, node, post, thread, world

CAST = (agent("emre"), agent("finn"), agent("vera"))
FEAST = ScheduledEvent(1, "Fest", "noon")


def of_parts(source: Source, one: World, time: str, *parts: str) -> list[Candidate]:
    """What a source proposes whose first reason is one of some parts."""
    return [item for item in source(one, time) if item.reasons[0].part in parts]


def talks(one: World, time: str) -> list[Candidate]:
    return of_parts(plans.propose, one, time, "plan")


def works(one: World, time: str) -> list[Candidate]:
    return of_parts(plans.propose, one, time, "work")


def visits(one: World, time: str) -> list[Candidate]:
    return of_parts(plans.propose, one, time, "library")


def taken_up(one: World, time: str) -> list[Candidate]:
    return of_parts(open_threads.propose, one, time, "promise", "promise_soon", "promise_due", "question")


def cliffhangers(one: World, time: str) -> list[Candidate]:
    return of_parts(open_threads.propose, one, time, "cliffhanger")


def topics(one: World) -> list[str]:
    return [item.topic for item in board.propose(one, "morning")]


def test_every_candidate_has_a_reason_and_a_cast() -> None:
    one = world(*CAST, posts=[post()], events=[FEAST], log=[entry(1, "WORK", "vera")])
    found = list_candidates(one, "afternoon")
    assert found
    assert all(item.reasons and item.cast and set(item.cast) <= set(one.agents) for item in found)


def test_a_source_that_is_added_is_asked_where_the_world_gives_it_a_weight() -> None:
    def rain(one: World, _time: str) -> Iterator[Candidate]:
        why = (reason(one, "rain", 0.5, "why_added", text="It rains."),)
        yield Candidate("ENCOUNTER", ("emre", "vera"), "hall", why, ("premise_added", {"text": "It rains."}))

    def points(one: World) -> list[float]:
        return [why.points for item in list_candidates(one, "noon") for why in item.reasons if why.part == "rain"]

    weights = replace(WeightsSettings(), added={"rain": 6.0, "gone": 1.0})
    one = world(*CAST, settings=Settings(weights=weights))
    with plugins.added(plugins.SOURCES, "rain", rain):
        assert points(one) == [3.0]
        assert points(world(*CAST)) == []
    assert points(one) == []


def test_only_types_of_this_time_of_day_are_candidates_but_events_always_are() -> None:
    evening = list_candidates(world(*CAST, posts=[post()], events=[FEAST]), "evening")
    assert [item.type for item in evening] == ["EVENT"]
    assert "MEETING" not in {item.type for item in list_candidates(world(*CAST, posts=[post()]), "noon")}


def test_an_event_is_due_from_its_time_on_and_until_it_was_played() -> None:
    one = world(*CAST, events=[FEAST])
    assert [[item.topic for item in calendar.propose(one, time)] for time in ("morning", "noon", "evening")] == [
        [],
        ["Fest"],
        ["Fest"],
    ]
    done = world(*CAST, events=[FEAST], log=[entry(1, "EVENT", "vera", answers=["event/day-001/Fest"])])
    assert list(calendar.propose(done, "noon")) == []


def test_an_event_may_be_for_some_and_its_lead_comes_first() -> None:
    meeting = ScheduledEvent(1, "Runde", "noon", type="MEETING", cast=("Finn", "vera", "nobody"), lead="vera")
    (item,) = calendar.propose(world(*CAST, agent("nami"), events=[meeting]), "noon")
    assert (item.type, item.cast) == ("EVENT", ("vera", "finn")), "two are too few for a meeting"
    (led,) = calendar.propose(world(*CAST, events=[ScheduledEvent(1, "Spiel", "noon", lead="finn")]), "noon")
    assert led.cast == ("finn", "emre", "vera")


def test_who_is_away_is_missing_at_an_event() -> None:
    settings = Settings(calendar=CalendarSettings(away=({"who": "finn", "day": 1},)))
    (item,) = calendar.propose(world(*CAST, events=[FEAST], settings=settings), "noon")
    assert item.cast == ("emre", "vera")


def test_deadlines_and_events_of_other_days_are_no_scenes() -> None:
    events = [ScheduledEvent(1, "Abgabe", "all-day"), ScheduledEvent(2, "Fest", "morning")]
    assert list(calendar.propose(world(*CAST, events=events), "evening")) == []


def test_an_event_may_have_a_type_and_a_place_of_its_own() -> None:
    event = ScheduledEvent(1, "Runde", "noon", type="MEETING", place="dach")
    unknown = ScheduledEvent(1, "Tanz", "noon", type="DANCE")
    found = list(calendar.propose(world(*CAST, events=[event, unknown]), "noon"))
    assert [(item.type, item.place) for item in found] == [("MEETING", "dach"), ("EVENT", "atelier")]


def test_a_fresh_post_wants_a_meeting_of_everybody() -> None:
    (item,) = board.propose(world(*CAST, posts=[post("Mehr Asche!")]), "morning")
    assert (item.type, item.cast, item.topic, item.answers) == (
        "MEETING",
        ("emre", "finn", "vera"),
        "Mehr Asche!",
        ("bulletin/0",),
    )


def test_all_posts_that_wait_are_taken_up_together() -> None:
    (item,) = board.propose(world(*CAST, posts=[post("eins"), post("zwei", index=1)]), "morning")
    assert (item.topic, item.answers) == ("eins\n\nzwei", ("bulletin/0", "bulletin/1"))
    assert item.reasons[0].values["text"] == "eins"


def test_a_post_is_taken_up_once() -> None:
    log = [entry(1, "MEETING", "vera", answers=["bulletin/0"])]
    assert topics(world(*CAST, posts=[post("alt"), post("neu", index=1)], log=log)) == ["neu"]


def test_a_post_of_a_character_and_a_stale_one_want_no_meeting() -> None:
    posts = [post("kollegial", author="vera"), post("uralt", index=1, day=1), post("frisch", index=2, day=2)]
    assert topics(world(*CAST, posts=posts, day=4)) == ["frisch"]


def test_a_post_that_was_put_up_in_a_scene_was_heard_there() -> None:
    heard = Post(0, "Creative Director", "feedback", "gut", day=1, scene=2)
    assert topics(world(*CAST, posts=[heard], log=[entry(1, "WORK", "vera", scene=2)])) == []
    assert topics(world(*CAST, posts=[heard], log=[entry(1, "WORK", "vera", scene=1)])) == ["gut"]


def planned(*plan: str, log: tuple[str, ...] = ()) -> list[Candidate]:
    lines = [entry(1, log[0], *log[1:])] if log else []
    return list(talks(world(agent("emre", at="kontor"), agent("finn"), agent("vera", plan=plan), log=lines), ""))


def test_a_plan_that_names_a_character_is_a_visit_to_it() -> None:
    (item,) = planned("Mit Emre sprechen: Asche")
    assert (item.type, item.cast, item.place) == ("ENCOUNTER", ("vera", "emre"), "kontor")
    assert item.intent == "Mit Emre sprechen: Asche"
    assert item.topic == "", "only the one who comes knows what about"


def test_a_plan_that_two_share_weighs_more() -> None:
    cast = (
        agent("emre", plan=["Mit Vera sprechen"]),
        agent("finn"),
        agent("vera", plan=["Emre fragen", "Finn fragen"]),
    )
    found = {item.cast: item.score for item in talks(world(*cast), "")}
    assert found["vera", "emre"] == found["emre", "vera"] > found["vera", "finn"]


def test_a_talk_that_took_place_is_not_proposed_again() -> None:
    assert planned("DONE: Mit Emre sprechen") == []
    assert planned("Mit Emre sprechen: Asche", log=("ENCOUNTER", "emre", "vera")) == []


def work_of(name: str, one: World) -> Candidate:
    return next(item for item in works(one, "") if item.cast[0] == name)


def test_work_is_what_the_plan_puts_first_and_the_next_item_after_that() -> None:
    vera = agent("vera", plan=["Mit Emre sprechen: Asche", "DONE: Sockel", "Turm", "Schwelle"], task="Gips")
    worked = [entry(1, "WORK", "vera", scene=number) for number in (1, 2)]
    found = [work_of("vera", world(agent("emre"), vera, log=worked[:times])) for times in (0, 1, 2)]
    assert [item.intent for item in found] == ["Turm", "Schwelle", "Gips"]
    assert found[0].score > found[1].score > found[2].score


def test_a_character_who_only_sat_beside_has_not_done_its_own_work_yet() -> None:
    cast = (agent("emre"), agent("vera", plan=["Turm"]))
    assert work_of("vera", world(*cast, log=[entry(1, "WORK", "emre", "vera")])).intent == "Turm"


def test_an_appointment_without_a_day_is_a_reason_to_meet_and_one_with_a_day_and_a_silence_are_none() -> None:
    arranged = Thread("thread-001", "appointment", "vera", ("emre",), "Im Flur.", "day-001/scene-01")
    one = replace(world(*CAST, day=2), threads=(arranged,))
    (item,) = taken_up(one, "morning")
    assert (item.type, set(item.cast)) == ("ENCOUNTER", {"vera", "emre"}), "it is nothing to work on alone"
    assert {name: key for name, (key, _) in item.premises.items()} == {
        "vera": "premise_own_appointment",
        "emre": "premise_others_appointment",
    }
    for other in (replace(arranged, kind="silence"), replace(arranged, due=2), replace(arranged, due=9)):
        assert taken_up(replace(one, threads=(other,)), "morning") == []


COMPANY = (
    agent("emre", at="atelier"),
    agent("finn", at="kontor", plan=["Arbeiten an: Knochenturm, Zeitplan der Treppen"]),
    agent("nami", at="kammer", plan=["Arbeiten an: Stundenwind"]),
    agent("tobi", at="keller", plan=["Arbeiten an: Lichtkreis am Zugang"]),
    agent("vera", home="atelier", plan=["Arbeiten an: Knochentürme, Treppen, Zugang"]),
)


def test_company_is_who_is_there_already() -> None:
    item = work_of("vera", world(*COMPANY))
    assert (item.cast, item.place) == (("vera", "emre"), "atelier")
    assert [reason.phrase for reason in item.reasons if reason.part == "company"] == ["why_company_there"]
    assert work_of("tobi", world(*COMPANY)).cast == ("tobi",), "words in common are no reason"


def test_who_has_something_planned_with_a_character_comes_to_work_with_it() -> None:
    nami = agent("nami", at="kammer", plan=["DONE: Mit Finn sprechen: Wind", "Mit Vera sprechen: Wind"])
    alone = [nami if one.id == "nami" else one for one in COMPANY if one.id != "emre"]
    item = work_of("vera", world(*alone))
    assert item.cast == ("vera", "nami")
    assert work_of("finn", world(*alone)).cast == ("finn",), "what is done is no reason"
    assert item.premises == {
        "nami": ("own_company", {"who": "Vera", "how": "named"}),
        "vera": ("own_host", {"guests": [{"who": "Nami", "how": "named"}]}),
    }
    arranged = thread(1, "nami", "vera", kind="appointment", due=1, time="evening")
    assert work_of("vera", replace(world(*alone), threads=(arranged,))).cast == ("vera",), "they meet later today"


def test_who_is_in_the_room_anyway_has_not_come_for_a_reason() -> None:
    assert work_of("vera", world(*(one for one in COMPANY if one.id in ("emre", "vera")))).premises == {}


def test_who_went_somewhere_of_their_own_accord_works_there() -> None:
    vera = agent("vera", at="flur", home="atelier", plan=["Turm"])
    went = world(agent("emre", at="flur"), vera, log=[entry(1, "MEETING", "emre", "vera", place="hall")])
    assert (work_of("vera", went).place, work_of("vera", went).cast) == ("flur", ("vera", "emre"))
    came = world(agent("emre", at="flur"), vera, log=[entry(1, "ENCOUNTER", "emre", "vera", place="flur")])
    assert work_of("vera", came).place == "atelier"


def pressing(part: str, **others: Any) -> list[float]:
    cast = (agent("emre", plan=["Arbeiten an: Mandelkuchen"]), agent("vera", plan=["Arbeiten an: Knochenturm"]))
    one = world(*cast, **others)
    return [
        next((reason.points for reason in work_of(name, one).reasons if reason.part == part), 0.0)
        for name in ("vera", "emre")
    ]


def test_a_deadline_presses_the_more_the_nearer_it_is_and_most_for_what_it_is_about() -> None:
    by_day = [pressing("deadline", events=[ScheduledEvent(day, "Der Knochenturm ist fertig")]) for day in (1, 2, 3, 9)]
    assert by_day[0][0] > by_day[1][0] > by_day[2][0] > by_day[3][0] == 0.0
    assert by_day[0][0] > by_day[0][1] > 0
    own = ScheduledEvent(1, "Abgabe", cast=("emre",))
    assert pressing("deadline", events=[own])[0] == 0.0


def test_work_that_touches_an_active_brief_weighs_more() -> None:
    one = world(agent("emre"), agent("vera", plan=["Knochenturm"]))
    clock = one.clock.__class__(day=1, day_open=True, active_briefs=("Ich will Knochentürme.",))
    item = work_of("vera", World(one.settings, clock, (), one.agents, (), one.scene_types))
    assert "assignment" in {reason.part for reason in item.reasons}


def test_what_is_for_the_library_is_a_visit_there_where_there_is_such_a_scene() -> None:
    tagged = node(1, type="plan", tags=("plan", "library"))
    vera = agent("vera", plan=["Turm", "Nachschlagen: Gips"], stream=[tagged])
    types = {**SCENE_TYPES, "LIBRARY": SceneType("LIBRARY", "scenes/library.j2", times=("morning",))}
    with_texts = replace(world(vera, types=types), has_library=True)
    (item,) = visits(with_texts, "morning")
    assert (item.type, item.cast, item.intent) == ("LIBRARY", ("vera",), "Nachschlagen: Gips")
    assert item.topic == "Gips"
    assert list(visits(replace(world(vera), has_library=True), "morning")) == []
    assert list(visits(world(vera, types=types), "morning")) == [], "without texts there is nothing to look up in"
    again = replace(with_texts, log=(entry(1, "LIBRARY", "vera"),))
    assert list(visits(again, "morning")) == []
    worked = world(vera, log=[entry(1, "WORK", "vera")])
    assert work_of("vera", worked).intent == "", "it is no work"


def promise(
    due: int | None = None, *, kind: ThreadKind = "promise", to: tuple[str, ...] = ("emre",), **others: Any
) -> Thread:
    return Thread("thread-007", kind, "vera", to, "Ich zeige den Knochenturm.", "day-001/scene-02", due, **others)


def threaded(
    thread: Thread, *, day: int = 5, log: Any = (), cast: tuple[Agent, ...] = (), settings: Settings | None = None
) -> list[Candidate]:
    one = world(*(cast or CAST), day=day, log=log, settings=settings)
    threads = (thread,)
    return list(
        taken_up(World(one.settings, one.clock, (), one.agents, one.log, one.scene_types, (), threads), "morning")
    )


def talk_about(thread: Thread, **others: Any) -> Candidate:
    return next(item for item in threaded(thread, **others) if item.type == "ENCOUNTER")


def test_a_promise_weighs_the_more_the_nearer_its_day_is() -> None:
    scores = [talk_about(promise(due)).score for due in (4, 5, 6, 7, None)]
    assert scores[0] == scores[1] > scores[2] > scores[3] == scores[4]


def test_what_is_due_is_brought_and_what_is_overdue_is_asked_for() -> None:
    assert talk_about(promise(5)).cast == ("vera", "emre")
    assert talk_about(promise(4)).cast == ("emre", "vera")


def test_a_thread_tells_only_the_two_it_is_between() -> None:
    item = talk_about(promise(5))
    assert item.answers == ("thread-007",)
    assert {name: key for name, (key, _) in item.premises.items()} == {
        "vera": "premise_own_promise",
        "emre": "premise_others_promise",
    }
    assert "Knochenturm" not in str(item.premise)


def test_a_promise_may_be_worked_on_and_one_without_addressee_can_only_be_that() -> None:
    assert [item.type for item in threaded(promise(5))] == ["ENCOUNTER", "WORK"]
    assert [item.type for item in threaded(promise(None))] == ["ENCOUNTER"]
    (work,) = threaded(promise(None, to=()))
    assert (work.type, work.cast, work.intent) == ("WORK", ("vera",), "Ich zeige den Knochenturm.")


def test_a_question_without_addressee_goes_to_the_one_who_is_at_it() -> None:
    cast = (agent("emre"), agent("finn", plan=["Knochentürme ordnen"]), agent("vera"))
    item = talk_about(promise(kind="question", to=()), cast=cast)
    assert item.cast == ("vera", "finn")
    assert list(item.premises) == ["vera"], "Finn has not heard the question"


def test_a_thread_rests_after_it_was_taken_up_and_weighs_less_then() -> None:
    taken = [entry(4, "ENCOUNTER", "emre", "vera", answers=["thread-007"])]
    assert threaded(promise(None), log=taken) == []
    assert threaded(promise(5), log=taken)[0].score < threaded(promise(5))[0].score
    assert threaded(promise(None), log=taken, day=6)


@pytest.mark.parametrize(("patience", "first"), [(0, 5), (1, 5), (2, 6), (4, 8)])
def test_how_long_a_thread_rests_is_the_patience_of_the_day(patience: int, first: int) -> None:
    settings = Settings(day=DaySettings(patience=patience))
    taken = [entry(4, "ENCOUNTER", "emre", "vera", answers=["thread-007"])]
    days = [day for day in range(4, 10) if threaded(promise(None), log=taken, day=day, settings=settings)]
    assert days == list(range(first, 10))


def test_a_thread_of_today_waits_unless_it_is_due_today() -> None:
    here = [entry(1, "ENCOUNTER", "emre", "vera", scene=2)]
    later = [*here, entry(1, "WORK", "finn", scene=3)]
    assert threaded(promise(None), day=1, log=later) == []
    assert threaded(promise(1), day=1, log=here) == [], "they have only just spoken of it"
    assert threaded(promise(1), day=1, log=later)


def test_a_settled_thread_and_one_whose_people_are_absent_are_nothing_to_play() -> None:
    assert threaded(promise(5, outcome="kept")) == []
    assert threaded(promise(5, to=("gone",))) == []


def cliffhanger(*lines: tuple[str, str], day: int = 2, threads: tuple[Thread, ...] = ()) -> list[Candidate]:
    talk = [{"agent": name, "text": text} for name, text in lines]
    one = world(*CAST, day=day, log=[entry(1, "MEETING", "emre", "finn", "vera", scene=3, dialogue=talk)])
    made = World(one.settings, one.clock, (), one.agents, one.log, one.scene_types, (), threads)
    return list(cliffhangers(made, "morning"))


def test_a_question_that_ended_the_last_talk_of_the_day_before_is_taken_up() -> None:
    (item,) = cliffhanger(("finn", "So ist es."), ("vera", "Und wer trägt das?"))
    assert (item.cast, item.answers) == (("vera", "finn"), ("question/day-001/scene-03",))
    assert set(item.premises) == {"vera", "finn"}
    (named,) = cliffhanger(("emre", "Nein."), ("finn", "Doch."), ("vera", "Emre, wer trägt das?"))
    assert named.cast == ("vera", "emre")


def test_an_answered_question_and_one_that_is_a_thread_are_no_cliffhangers() -> None:
    asked = (("finn", "So."), ("vera", "Wer trägt das?"))
    assert cliffhanger(*asked, ("finn", "Ich.")) == []
    thread = Thread("thread-001", "question", "vera", ("finn",), "Wer trägt das?", "day-001/scene-03")
    assert cliffhanger(*asked, threads=(thread,)) == []


def test_others_may_react_to_fresh_work_until_one_of_them_did() -> None:
    made = node(1, type="artifact", metadata={"artifact_path": "gallery/a/x.md", "title": "Turm"})
    cast = (agent("emre"), agent("finn"), agent("vera", stream=[made]))
    work = entry(1, "WORK", "vera", "emre", artifacts=["gallery/a/x.md"])
    found = {item.cast: item.score for item in artifacts.propose(world(*cast, log=[work]), "")}
    assert set(found) == {("emre", "vera"), ("finn", "vera")}
    assert found["finn", "vera"] > found["emre", "vera"], "Emre has seen it already"
    answered = entry(1, "ENCOUNTER", "finn", "vera", answers=["gallery/a/x.md"], scene=2)
    assert list(artifacts.propose(world(*cast, log=[work, answered]), "")) == []
    assert list(artifacts.propose(world(*cast, log=[work], day=3), "")) == [], "no longer fresh"


def test_work_that_no_character_remembers_making_is_passed_over() -> None:
    lines = [entry(1, "WORK", "vera", "creative-director", artifacts=["x.md", {"path": "gallery/"}])]
    assert list(artifacts.propose(world(*CAST, log=lines), "")) == []


def test_the_longer_two_have_not_met_in_a_small_circle_the_more_they_should() -> None:
    log = [entry(1, "ENCOUNTER", "emre", "vera"), entry(4, "WORK", "finn", "vera"), entry(4, "MEETING", *"abcd")]
    bonds = DayBonds(world(*CAST, log=log, day=5))
    assert [bonds.apart(*pair) for pair in (("emre", "finn"), ("emre", "vera"), ("finn", "vera"))] == [5, 4, 1]
    scores = {item.cast: item.score for item in list_candidates(world(*CAST, log=log, day=5), "morning")}
    assert scores["emre", "finn"] > scores["emre", "vera"] > scores["finn", "vera"]


def persona(name: str, **front: Any) -> Agent:
    made = agent(name, at=f"{name}s-room")
    return Agent(made.id, made.state, Persona(front))


def test_friends_seek_each_other_and_those_in_a_quarrel_the_more_the_longer_they_have_not() -> None:
    cast = (
        persona("emre", friends={"finn": "…"}, quarrels=["vera"]),
        persona("finn", friends=["Emre"]),
        persona("vera"),
    )
    one = DayBonds(world(*cast, day=2, log=[entry(1, "ARRIVAL")]))
    later = DayBonds(world(*cast, day=4, log=[entry(1, "ARRIVAL")]))
    points = [
        {reason.part: reason.points for reason in bonds.reasons(pair)}
        for bonds, pair in ((one, ("emre", "finn")), (one, ("emre", "vera")), (later, ("emre", "vera")))
    ]
    assert "closeness" in points[0]
    assert 0 < points[1]["tension"] < points[2]["tension"]
    assert "tension" not in points[0]


def test_two_who_meet_by_chance_do_so_where_both_are_or_where_no_character_lives() -> None:
    rooms = Settings(places={"kontor": "…", "atelier": "…", "flur": "…"})
    apart = world(agent("emre", at="kontor", home="kontor"), agent("vera", home="atelier"), settings=rooms)
    assert [item.place for item in chance.propose(apart, "morning")] == ["flur"]
    together = world(agent("emre", home="kontor"), agent("vera", home="atelier"), settings=rooms)
    assert [item.place for item in chance.propose(together, "morning")] == ["atelier"]


def test_at_noon_people_meet_at_table_also_three_of_them() -> None:
    rooms = Settings(places={"atelier": "…", "hall": "…", "Teeküche": "…"})
    one = world(*CAST, settings=rooms)
    found = list(chance.propose(one, "noon"))
    assert {item.place for item in found} == {"Teeküche"}
    assert {len(item.cast) for item in found} == {2, 3}
    set_ = Settings(places=rooms.places, day=rooms.day.__class__(lunch="hall"))
    assert {item.place for item in chance.propose(world(*CAST, settings=set_), "noon")} == {"hall"}


def test_scenes_of_the_same_people_become_one() -> None:
    visit = Candidate(
        "ENCOUNTER", ("vera", "emre"), "kontor", (Reason("plan", 6.0),), ("premise_visit", {}), intent="Asche"
    )
    reaction = Candidate(
        "ENCOUNTER",
        ("emre", "vera"),
        "atelier",
        (Reason("artifact", 4.0),),
        ("premise_artifact", {}),
        topic="Turm",
        intent="was only Emre has in mind",
        answers=("gallery/x.md",),
        premises={"emre": ("own", {})},
        clock="15:00",
    )
    (item,) = merge_same_people([reaction, visit])
    assert (item.cast, item.place, item.intent, item.topic) == (("vera", "emre"), "kontor", "Asche", "Turm")
    assert (item.score, item.answers, set(item.premises)) == (10.0, ("gallery/x.md",), {"emre"})
    assert item.clock == "15:00"
    work = Candidate("WORK", ("vera", "emre"), "", (Reason("work", 1.0),), ("premise_work", {}))
    assert len(merge_same_people([visit, work])) == 2


def test_a_part_that_weighs_nothing_is_switched_off() -> None:
    settings = Settings(weights=WeightsSettings(rhythm=0.0))
    (item,) = declared.propose(world(*CAST, settings=settings), "morning")
    assert item.score == 0.0


def test_the_longer_there_was_no_round_the_more_there_should_be_one() -> None:
    scores = [
        next(iter(declared.propose(world(*CAST, log=[entry(day, "MEETING", "vera")], day=6), "morning"))).score
        for day in (6, 5, 4, 1)
    ]
    assert scores == sorted(scores)
    assert scores[0] == 0


def test_a_message_calls_everybody_together_instead_of_the_round() -> None:
    assert list(declared.propose(world(*CAST, posts=[post()]), "morning")) == []


def test_all_meet_where_they_met_last_else_where_no_character_lives() -> None:
    def place(one: World) -> str:
        return next(iter(declared.propose(one, "morning"))).place

    homes = (agent("emre", home="kontor"), agent("vera", home="atelier"))
    rooms = Settings(places={"kontor": "…", "atelier": "…", "hall": "…", "dach": "…"})
    assert place(world(*homes, settings=rooms)) == "hall"
    assert place(world(*homes, settings=rooms, log=[entry(1, "MEETING", place="dach")])) == "dach"
    assert place(world(*CAST)) == "atelier"


TEA = SceneType("TEA", "scenes/tea.j2", cast=(2, 2), times=("afternoon",), every=1)


def regular(kind: SceneType, day: int = 3, *log: LogEntry, cast: Sequence[Agent] = CAST) -> list[Candidate]:
    one = world(*cast, types={kind.name: kind}, log=log, day=day)
    return [item for item in list_candidates(one, "afternoon") if item.type == kind.name]


def test_a_type_is_proposed_at_its_times_with_those_who_have_not_met_for_longest() -> None:
    log = [entry(1, "WORK", "emre", "finn"), entry(2, "WORK", "emre", "vera"), entry(2, "TEA", "emre", "vera")]
    found = regular(TEA, 3, *log)
    assert [item.cast for item in found] == [("emre", "finn"), ("finn", "vera")]
    assert {item.reasons[0].points for item in found} == {WeightsSettings().rhythm}
    assert list(declared.propose(world(*CAST, types={"TEA": TEA}), "morning")) == []


def test_a_type_comes_back_after_the_days_that_it_says_and_once_a_day_for_each_character() -> None:
    slow = replace(TEA, every=4, cast=(2, 99))
    (item,) = regular(slow, 3, entry(2, "TEA", "emre", "vera"))
    assert (item.cast, item.score) == (("emre", "finn", "vera"), WeightsSettings().rhythm / 4)
    assert regular(slow, 3, entry(3, "TEA", "emre", "vera")) == []
    alone = replace(TEA, cast=(1, 1))
    assert [item.cast for item in regular(alone, 3, entry(3, "TEA", "vera"))] == [("emre",), ("finn",)]


def test_a_type_names_who_takes_part_where_and_how_it_begins() -> None:
    mine = replace(TEA, who=("Vera", "emre", "nobody"), place="kitchen", premise="Tea.", why="Four o'clock.")
    (item,) = regular(mine)
    assert (item.cast, item.place, item.premise[0]) == (("vera", "emre"), "kitchen", "premise_TEA")
    assert item.premise[1]["names"] == ["Vera", "Emre"]
    assert item.reasons[0].phrase == "why_TEA"
    assert item.reasons[0].values == {"type": "TEA", "one": "Vera", "days": "1", "first": "1"}
    assert regular(replace(mine, who=("nobody",))) == []
    assert regular(replace(TEA, who=EVERYONE), cast=()) == []


def test_a_type_that_is_not_regular_waits_for_a_particular_reason() -> None:
    assert regular(replace(TEA, regular=False)) == []
    assert regular(replace(TEA, reply="reflection")) == []


def test_who_has_waited_longest_opens_the_round() -> None:
    log = [entry(1, "MEETING", "emre", "finn", "vera"), entry(2, "MEETING", "finn", "emre", "vera")]
    (item,) = declared.propose(world(*CAST, log=log, day=3), "morning")
    assert item.cast == ("vera", "emre", "finn")


def test_a_long_brief_is_told_in_full_and_explained_in_short() -> None:
    (item,) = board.propose(world(*CAST, posts=[post("wort " * 100)]), "")
    assert item.topic == "wort " * 100
    reason: Reason = item.reasons[0]
    assert len(reason.values["text"]) <= 92
    assert reason.values["text"].endswith("…")


def proposed(kind: str) -> Candidate:
    return Candidate(kind, ("vera",), "", (), ("premise", {}))


def test_work_helps_a_goal_that_was_neglected_and_the_oldest_one_presses() -> None:
    def goals_of_vera(*touched: int, **others: Any) -> list[Reason]:
        goals = tuple(
            Goal(f"goal-{number:02d}", f"Ziel {number}", "day-001", f"day-{day:03d}", **others)
            for number, day in enumerate(touched, 1)
        )
        vera = replace(agent("vera"), mind=Mind({GOALS.name: goals}))
        one = world(agent("emre"), vera, day=10, settings=Settings(goals="on"))
        added = add_goals(one, [proposed("WORK"), proposed("MEETING")])
        assert added[1].reasons == ()
        return list(added[0].reasons)

    assert goals_of_vera() == []
    assert goals_of_vera(8) == [], "two days are no neglect"
    (pressing,) = goals_of_vera(9, 6, 7)
    assert (pressing.part, pressing.values["goal"], pressing.values["days"]) == ("goal", "Ziel 2", "4")
    (full,), (more,) = goals_of_vera(3), goals_of_vera(1)
    assert full.points == more.points > pressing.points
    assert goals_of_vera(1, outcome="reached") == []


def test_without_the_layer_of_goals_nothing_is_added() -> None:
    candidates = [proposed("WORK")]
    assert add_goals(world(*CAST, settings=Settings(goals="off")), candidates) is candidates


def test_work_that_was_promised_for_these_days_is_pressed_by_the_promise() -> None:
    def promised(by: str = "vera", due: int | None = 10, **others: Any) -> list[str]:
        open_one = thread(1, by, "finn", **{"text": "Du bekommst die Zisterne.", "due": due, **others})
        vera = agent("vera", plan=["die Zisterne zeichnen"])
        one = replace(world(agent("emre"), vera, day=9), threads=(open_one, replace(open_one, id="thread-002")))
        (item,) = [item for item in works(one, "morning") if item.cast[0] == "vera"]
        return [found.part for found in item.reasons if found.part.startswith("promise")]

    assert promised() == ["promise_soon"], "the first of them"
    assert promised(due=9) == ["promise_due"]
    assert promised(due=None) == promised(due=11) == promised(by="emre") == promised(kind="question") == []
    assert promised(outcome="kept") == promised(text="Du bekommst die Brücke.") == []


def test_two_run_into_each_other_at_table_and_who_is_away_is_called_from_where_the_other_is() -> None:
    settings = Settings(
        places={"hall": "", "Küche": ""}, calendar=CalendarSettings(away=({"who": "vera", "day": 1, "how": "remote"},))
    )
    emre, vera = agent("emre", at="roof"), agent("vera", at="train")
    one = world(emre, vera, settings=settings)
    assert chance_place(one, emre, vera, "noon") == "Küche"
    assert talk_place(one, emre, vera, "noon") == talk_place(one, vera, emre, "noon") == "roof"
    nobody = replace(one, agents={"vera": vera})
    assert talk_place(nobody, emre, vera, "noon") == ""


def test_for_so_few_that_no_wanted_type_is_for_them_there_is_work() -> None:
    assert choose_type(world(*CAST), ("MEETING", "DANCE"), 2) == "WORK"
    assert choose_type(world(*CAST), ("MEETING", "EVENT"), 2) == "EVENT"


def test_a_piece_that_no_character_remembers_having_made_on_its_day_brings_no_meeting() -> None:
    old = node(1, type="artifact", created="day-001/scene-01", metadata={"artifact_path": "gallery/a/x.md"})
    work = entry(2, "WORK", "vera", "emre", artifacts=["gallery/a/x.md"])
    cast = (agent("emre"), agent("vera", stream=[old, node(2, created="day-002/scene-01")]))
    assert list(artifacts.propose(world(*cast, day=2, log=[work]), "")) == []


def test_a_talk_about_a_piece_for_some_has_those_who_were_shown_it() -> None:
    made = {"artifact_path": "gallery/a/x.md", "title": "Turm", "audience": ["vera", "emre", "nami"]}
    vera = agent("vera", stream=[node(1, type="artifact", metadata=made)])
    work = entry(1, "MEETING", "vera", "emre", "finn", artifacts=["gallery/a/x.md"])
    there = world(vera, agent("emre"), agent("finn"), agent("nami"), log=[work])
    assert [item.cast for item in artifacts.propose(there, "")] == [("emre", "vera")]
