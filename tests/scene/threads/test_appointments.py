"""Appointments: when they are due, who comes, where; what they keep others from; what becomes of missed ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, DaySettings, Settings, WeightsSettings
from gm.model.clock import ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Reason
from gm.model.thread import Thread
from gm.model.world import Agent, World
from gm.scene.candidates import is_fixed, list_candidates, merge_same_people, threads
from gm.scene.candidates.appointments import propose
from gm.scene.directing.choosing import is_open_choice
from gm.scene.directing.day_so_far import look_at_day
from gm.scene.directing.director import NextScenes
from gm.scene.directing.scenes import give_reasons, scene_of
from gm.scene.directing.select import find_bar, find_objection, survey
from gm.scene.planning.schedule import Slot, coming_slot, scenes_planned
from gm.scene.threads.appointments import agreed_on, met_for, missed_lately, owed_today, people_of, to_come
from tests.build import SCENE_TYPES, agent, entry, thread, words, world

PLACES = {"flur": "", "hall": "", "kueche": ""}
CAST = (agent("emre", at="kontor"), agent("finn"), agent("nami"), agent("vera", at="atelier"))
AWAY = CalendarSettings(away=({"who": "emre", "day": 2},))


def agreed(number: int = 1, *to: str, by: str = "vera", **others: Any) -> Thread:
    return thread(number, by, *(to or ("emre",)), **{"kind": "appointment", "text": "Wir reden.", "due": 2, **others})


def with_threads(
    *threads: Thread,
    day: int = 2,
    log: Sequence[LogEntry] = (),
    settings: Settings | None = None,
    cast: Sequence[Agent] = CAST,
    **others: Any,
) -> World:
    made = world(*cast, day=day, log=log, settings=settings or Settings(places=PLACES), **others)
    return replace(made, threads=threads)


def numbers(found: Sequence[Thread]) -> list[int]:
    return [one.number for one in found]


def test_the_appointments_of_a_day_are_in_the_order_of_its_hours() -> None:
    one = with_threads(
        agreed(1),
        agreed(2, time="evening"),
        agreed(3, time="15:00"),
        agreed(4, time="14:30"),
        agreed(5, time="noon"),
        agreed(6, due=3),
        agreed(7, outcome="kept"),
        thread(8, due=2),
    )
    assert numbers(agreed_on(one, 2)) == [5, 4, 3, 2, 1]


def test_what_is_arranged_for_a_day_off_falls_on_the_next_day_that_is_played() -> None:
    one = with_threads(agreed(due=2), settings=Settings(calendar=CalendarSettings(off=(2,))))
    assert [numbers(agreed_on(one, day)) for day in (1, 2, 3, 4)] == [[], [], [1], []]


def test_two_meet_only_if_both_are_there_and_of_more_two_are_enough() -> None:
    settings = Settings(places=PLACES, calendar=AWAY)
    two, three = agreed(1, "emre"), agreed(2, "emre", "finn")
    one = with_threads(two, three, agreed(3, "nobody"), settings=settings)
    assert numbers(to_come(one)) == [2]
    assert people_of(one, three) == ("vera", "finn")


def test_an_appointment_is_due_from_its_time_on_until_it_was_played_today() -> None:
    one = with_threads(agreed(time="15:00"))
    times = ("morning", "noon", "afternoon", "evening")
    assert [len(list(propose(one, time))) for time in times] == [0, 0, 1, 1]
    yesterday = replace(one, log=(entry(1, "ENCOUNTER", "vera", "emre", answers=["thread-001"]),))
    today = replace(one, log=(entry(2, "ENCOUNTER", "vera", "emre", answers=["thread-001"]),))
    assert [len(list(propose(played, "evening"))) for played in (yesterday, today)] == [1, 0]


def test_of_two_that_are_due_the_earlier_one_is_held_first() -> None:
    one = with_threads(
        agreed(1, time="15:00"), agreed(2, "nami", by="finn", time="14:00"), agreed(3, "finn", by="emre")
    )
    assert [item.answers for item in propose(one, "afternoon")] == [("thread-002",), ("thread-003",)]
    held = replace(one, threads=(one.threads[0], one.threads[2]))
    assert [item.answers for item in propose(held, "afternoon")] == [("thread-001",), ("thread-003",)]


def test_its_people_meet_where_they_said_and_both_know_why() -> None:
    one = with_threads(agreed(time="15:00", place="flur", text="Wir gehen\nden Plan durch."))
    (item,) = propose(one, "afternoon")
    assert (item.type, item.cast, item.place, item.clock) == ("ENCOUNTER", ("vera", "emre"), "flur", "15:00")
    assert item.answers == ("thread-001",)
    played = scene_of(one, item, "afternoon", words)
    assert (played.clock, played.premises) == ("15:00", {})
    assert "<premise_appointment> names=Vera last=Emre clock=15:00" in played.premise
    assert "text=Wir gehen den Plan durch." in played.premise
    assert "<why_appointment>" in played.why


@pytest.mark.parametrize(
    ("others", "place"),
    [({"text": "Um drei im Flur."}, "flur"), ({"place": "kueche", "text": "Im Flur."}, "kueche"), ({}, "kontor")],
)
def test_without_a_place_they_meet_where_the_words_say_or_where_the_other_one_is(
    others: dict[str, Any], place: str
) -> None:
    (item,) = propose(with_threads(agreed(**others)), "afternoon")
    assert item.place == place


def test_who_is_on_the_phone_is_called_from_where_the_other_one_is() -> None:
    away = CalendarSettings(away=({"who": "emre", "day": 2, "how": "remote"},))
    (item,) = propose(with_threads(agreed(place="flur"), settings=Settings(places=PLACES, calendar=away)), "morning")
    assert (item.cast, item.place) == (("vera", "emre"), "atelier")


@pytest.mark.parametrize(
    ("to", "kind"),
    [(("emre",), "ENCOUNTER"), (("emre", "finn"), "ENCOUNTER"), (("emre", "finn", "nami"), "MEETING")],
)
def test_an_appointment_gets_a_scene_type_for_its_number_of_people(to: tuple[str, ...], kind: str) -> None:
    (item,) = propose(with_threads(agreed(1, *to)), "morning")
    assert (item.type, set(item.cast)) == (kind, {"vera", *to})
    assert item.place == ("kontor" if len(to) == 1 else "flur")


def test_an_appointment_of_too_many_for_any_scene_type_is_not_played() -> None:
    types = {name: kind for name, kind in SCENE_TYPES.items() if name in ("WORK", "ENCOUNTER")}
    one = with_threads(agreed(1, "emre", "finn", "nami"), types=types)
    assert list(propose(one, "morning")) == []
    assert look_at_day(one, slot("morning")).to_come == ()


def test_the_time_of_an_appointment_is_no_matter_of_the_scene_type() -> None:
    one = with_threads(agreed(1, "emre", "finn", "nami", time="evening"))
    assert "evening" not in SCENE_TYPES["MEETING"].times
    assert [item.type for item in list_candidates(one, "evening")] == ["MEETING"]


def test_what_else_the_same_people_have_to_talk_about_rides_along() -> None:
    other = Candidate("ENCOUNTER", ("emre", "vera"), "hall", (Reason("plan", 6.0),), ("premise", {}), answers=("x",))
    (meeting,) = propose(with_threads(agreed(time="noon")), "noon")
    (item,) = merge_same_people([other, meeting])
    assert (item.place, item.answers) == ("kueche", ("thread-001", "x"))
    assert is_fixed(item)


LIFT = "Emre sperrt um fünf vor drei den Aufzug und schreibt mit."
ROUND = agreed(1, "finn", "vera", by="nami", text="Die Knieprobe.", time="15:00", place="flur")


def test_a_promise_that_names_an_addressee_is_kept_with_its_addressees() -> None:
    text = "Vera ist um Viertel vor drei im Flur, wo Finn sie abholt und zu Emre bringt."
    one = with_threads(thread(1, "vera", "finn", kind="promise", text=text, due=2, time="14:45", place="flur"))
    assert people_of(one, one.threads[0]) == ("vera", "finn")
    tell = thread(1, "vera", "finn", kind="promise", text="Vera sagt es Emre um drei.", due=2, time="15:00")
    assert people_of(with_threads(tell), tell) == ("vera", "emre")


def set_out(**others: Any) -> tuple[World, Thread]:
    """Emre has told Finn in the hall that he goes to Vera in the studio, and has gone there."""
    values = {"text": "Emre sagt Vera Bescheid.", "due": 2, "place": "atelier", "opened": "day-002/scene-03", **others}
    promise = replace(thread(1, "emre", "finn"), **{"kind": "promise", "touched": "day-002/scene-03", **values})
    cast = (agent("emre", at="atelier"), *CAST[1:])
    places = Settings(places={"atelier": "", "hall": ""})
    log = (entry(2, "ENCOUNTER", "finn", "emre", scene=3), entry(2, "WORK", "nami", scene=4))
    return with_threads(promise, log=log, cast=cast, settings=places), promise


def test_who_goes_at_once_to_keep_a_promise_keeps_it_next() -> None:
    one, promise = set_out()
    (item,) = propose(one, "morning")
    assert (item.cast, item.place, item.answers) == (("emre", "vera"), "atelier", ("thread-001",))
    assert item.score == one.settings.weights.appointment, "in full, though it names no time"
    assert not [other for other in threads.propose(one, "morning") if len(other.cast) > 1]
    stays = replace(one.agents["emre"], state=replace(one.agents["emre"].state, position="hall"))
    met_since = (*one.log, entry(2, "ENCOUNTER", "emre", "nami", scene=5))
    for other in (
        replace(one, agents={**one.agents, "emre": stays}),
        replace(one, log=met_since),
        replace(one, log=()),
        set_out(place="")[0],
        set_out(due=3)[0],
        set_out(place="hall")[0],
        set_out(kind="question")[0],
        set_out(by="leo")[0],
        set_out(text="Emre sagt Vera und Nami Bescheid.")[0],
    ):
        assert not [item for item in propose(other, "morning") if item.answers == (promise.id,)]


@pytest.mark.parametrize(
    ("language", "text", "partner"),
    [
        ("de", "Vera geht am Morgen selbst zu Emre, ehe Finn es tut, und sagt es ihm.", "emre"),
        ("de", "Vera geht zu Emre in die Küche; hat Finn es nicht gesagt, stellt er sich daneben.", "emre"),
        ("de", "Vera zeigt mit Emre zusammen Finn den Herd.", "finn"),
        ("de", "Vera sagt Finn, was Emre gesagt hat.", "finn"),
        ("en", "Vera goes to Emre before Finn does and tells him.", "emre"),
        ("en", "Vera tells Finn when Emre has gone.", "finn"),
        ("fr", "Vera va chez Emre, avant Finn.", "finn"),
    ],
)
def test_a_promise_is_kept_with_the_one_in_its_first_clause_that_names_one(
    language: str, text: str, partner: str
) -> None:
    promise = thread(1, "vera", "finn", kind="promise", text=text, due=2, time="15:00")
    one = replace(with_threads(promise), settings=Settings(language=language))
    assert met_for(one, promise) == ("vera", partner)


def lift(**others: Any) -> Thread:
    made = thread(2, "emre", "nami", "finn", "vera", text=LIFT, due=2, time="14:55")
    return replace(made, **others)


def test_who_has_promised_something_for_its_hour_takes_part_and_the_scene_is_for_the_promise_too() -> None:
    one = with_threads(ROUND, lift(place="flur"))
    (item,) = propose(one, "afternoon")
    assert (item.type, item.cast) == ("MEETING", ("nami", "finn", "vera", "emre"))
    assert (item.answers, item.clock) == (("thread-001", "thread-002"), "15:00")
    played = scene_of(one, item, "afternoon", words)
    assert "names=Nami, Finn last=Vera" in played.premise
    assert [*played.premises] == ["emre"]
    assert f"text={LIFT}" in played.premises["emre"]


def test_a_promise_for_an_hour_has_no_scene_beside_that_of_the_appointment() -> None:
    small = lift(to=("vera",), time="15:00")
    assert numbers(to_come(with_threads(small))) == [2]
    one = with_threads(replace(ROUND, to=("vera",)), small)
    assert numbers(to_come(one)) == [1]
    assert [item.answers for item in propose(one, "afternoon")] == [("thread-001", "thread-002")]
    waiting = [item.answers for item in threads.propose(one, "noon") if len(item.cast) > 1]
    assert waiting == [], "no talk about it before"
    held = replace(one, log=(entry(2, "ENCOUNTER", "vera", "nami", "emre", answers=["thread-001", "thread-002"]),))
    assert to_come(held) == ()


@pytest.mark.parametrize(
    ("other", "comes"),
    [
        ({"time": "15:00"}, True),
        ({"place": "kueche"}, False),
        ({"time": "14:40"}, False),
        ({"time": "15:05"}, False),
        ({"time": "afternoon", "text": "Emre schreibt mit."}, False),
        ({"time": "15:00", "text": "Emre sperrt bis drei den Aufzug."}, False),
        ({"time": "15:00", "text": "Emre räumt nach der Knieprobe um drei den Krepp weg."}, False),
        ({"due": 3}, False),
        ({"outcome": "broken"}, False),
        ({"kind": "question"}, False),
        ({"to": ()}, False),
        ({"to": ("nami",), "text": "Emre sagt Leo um fünf vor drei, was war."}, False),
    ],
)
def test_who_comes_has_promised_it_to_one_of_its_people_for_its_hour_and_place(
    other: dict[str, Any], comes: bool
) -> None:
    one = with_threads(ROUND, lift(**other), cast=(*CAST, agent("leo")))
    assert ("emre" in people_of(one, ROUND)) == comes


def test_a_promise_brings_its_maker_only_to_what_is_held_at_an_hour_where_there_is_room() -> None:
    def people(meeting: Thread, **others: Any) -> int:
        return len(people_of(with_threads(meeting, lift(), **others), meeting))

    assert people(ROUND) == 4
    few = {name: kind for name, kind in SCENE_TYPES.items() if name == "ENCOUNTER"}
    assert people(ROUND, types=few) == 3
    assert people(replace(ROUND, time="afternoon")) == people(replace(ROUND, outcome="kept")) == 3
    assert people(replace(ROUND, to=("nobody",))) == 1, "that one alone holds nothing"
    assert people(ROUND, settings=Settings(calendar=replace(AWAY, away=({"who": "emre", "day": 2},)))) == 3


def slot(time: str, left: int = 5, played: int = 0, then: str = "") -> Slot:
    return Slot(time, then or time, played, played + left)


def talk(*cast: str, part: str = "plan", points: float = 6.0) -> Candidate:
    return Candidate("ENCOUNTER", cast or ("emre", "vera"), "hall", (Reason(part, points),), ("premise", {}))


def weighed(one: World, item: Candidate, where: Slot) -> dict[str, float]:
    (option,) = survey([item], one, 1, where)
    points: dict[str, float] = {}
    for why in option.candidate.reasons:
        points[why.part] = points.get(why.part, 0.0) + why.points
    return points


def test_a_day_has_a_scene_at_the_time_of_an_appointment() -> None:
    played = [entry(2, "ARRIVAL"), *(entry(2, "WORK", "finn", scene=number, time_of_day="noon") for number in (2, 3))]
    settings = Settings(places=PLACES, day=DaySettings(scenes=(3, 4), busy=0))

    def time(*threads: Thread) -> str:
        found = coming_slot(with_threads(*threads, log=played, settings=settings), 1)
        assert found is not None
        return found.time

    assert time(agreed(time="evening")) == "evening"
    assert time(agreed(time="evening", outcome="dropped")) == "afternoon"
    assert time(agreed(time="evening", due=3)) == "afternoon"


def test_a_day_with_appointments_has_more_scenes_as_far_as_there_is_room() -> None:
    seed = next(seed for seed in range(99) if scenes_planned(world(day=2), 2, seed) == 4)

    def planned(*threads: Thread, **others: Any) -> int:
        return scenes_planned(with_threads(*threads, **others), 2, seed)

    two = (agreed(1), agreed(2, "finn"))
    assert [planned(), planned(agreed(1)), planned(*two), planned(*two, agreed(3, "nami"))] == [4, 5, 6, 7]
    many = (*two, agreed(3, "nami"), agreed(4, "finn", by="emre"), agreed(5, "nami", by="emre"))
    assert planned(*many) == 8, "two more than the upper number"
    assert planned(*many, settings=Settings(places=PLACES, day=DaySettings(busy=0))) == 6
    held = [entry(2, "ENCOUNTER", "vera", "emre", answers=["thread-001"])]
    assert planned(agreed(1, outcome="kept"), agreed(2, "finn"), log=held) == 6
    assert scenes_planned(with_threads(agreed(1), agreed(2, "finn"), day=1), 2, seed) == 4, "only the open day"


def test_a_full_day_grows_by_the_appointments_that_are_still_to_come_up_to_a_limit() -> None:
    played = [entry(2, "WORK", "finn", scene=number, time_of_day="noon") for number in range(1, 9)]
    late = [agreed(number, time="15:00") for number in range(1, 4)]

    def left(*threads: Thread, busy: int = 6) -> int:
        settings = Settings(places=PLACES, day=DaySettings(scenes=(3, 6), busy=busy, company=False))
        found = coming_slot(with_threads(*threads, log=played, settings=settings), 1)
        return found.left if found else 0

    assert left() == 0
    assert [left(late[0]), left(*late)] == [1, 3]
    assert [left(*late, busy=4), left(*late, busy=2), left(*late, busy=0)] == [2, 0, 0]
    assert left(agreed(1, outcome="dropped")) == 0


def test_a_day_full_of_appointments_goes_on_for_those_without_company() -> None:
    held = [entry(2, "ENCOUNTER", "vera", "emre", scene=at, answers=[f"thread-00{at}"]) for at in range(1, 7)]
    kept = [agreed(at, outcome="kept") for at in range(1, 7)]

    def left(*threads: Thread, log: Sequence[LogEntry], **day: Any) -> int:
        settings = Settings(places=PLACES, day=DaySettings(**{"scenes": (2, 4), **day}))
        found = coming_slot(with_threads(*threads, log=log, settings=settings), 1)
        return found.left if found else 0

    assert left(*kept, log=held) == 1, "finn and nami have met nobody"
    assert left(*kept, log=[*held, entry(2, "ENCOUNTER", "finn", "nami", scene=7)]) == 0
    assert left(*kept, log=held, busy=0) == 0
    assert left(*kept, log=held, company=False) == 0
    assert left(log=held) == 0, "no appointment has taken a scene from them"


def test_an_appointment_without_a_time_can_wait_until_the_day_is_nearly_over() -> None:
    one = with_threads(agreed(1))
    (item,) = propose(one, "morning")
    assert weighed(one, item, slot("morning"))["appointment"] == 20.0
    assert weighed(one, item, slot("afternoon", left=2))["appointment"] == 40.0
    (timed,) = propose(with_threads(agreed(1, time="morning")), "morning")
    assert weighed(one, timed, slot("morning"))["appointment"] == 40.0
    assert weighed(one, timed, slot("afternoon", left=2))["appointment"] == 40.0


def test_those_who_have_just_arranged_to_meet_some_time_today_do_other_things_first() -> None:
    log = [entry(2, "ENCOUNTER", "vera", "emre", scene=3)]
    just = agreed(opened="day-002/scene-03")

    def parts(one: World) -> list[str]:
        (item,) = propose(one, "afternoon")
        return [why.part for why in item.reasons]

    assert parts(with_threads(just, log=log)) == ["appointment", "later"]
    assert parts(with_threads(just, log=[*log, entry(2, "WORK", "finn", scene=4)])) == ["appointment"]
    assert parts(with_threads(replace(just, time="noon"), log=log)) == ["appointment"]


def test_those_who_have_just_had_a_scene_leave_the_next_one_to_others_unless_their_time_would_be_over() -> None:
    def bar(one: World, left: int = 4, rest: int = 1) -> str:
        (meeting,) = propose(one, "afternoon")
        found = find_objection(meeting, one, look_at_day(one, replace(slot("afternoon", left=left), rest=rest)))
        return found.phrase if found else ""

    log = [entry(2, "WORK", "emre", "vera", scene=3)]
    assert bar(with_threads(agreed(), log=log)) == "bar_again"
    assert bar(with_threads(agreed(), log=log), left=1) == ""
    assert bar(with_threads(agreed(time="15:00"), log=log), rest=3) == ""
    assert bar(with_threads(agreed(time="afternoon"), log=log), rest=3) == "bar_again"
    assert bar(with_threads(agreed(time="afternoon"), log=log), rest=1) == ""
    assert bar(with_threads(agreed(time="noon"), log=log), rest=1) == "", "its time is over"
    assert bar(with_threads(agreed(time="noon"), log=log), left=1, rest=1) == ""
    others = agreed(2, "finn", by="nami", time="evening")
    assert bar(with_threads(agreed(), others, log=log), left=2) == "", "the other scene is taken"
    assert bar(with_threads(agreed(), log=[entry(2, "ARRIVAL", "emre", "vera", scene=1)])) == ""
    assert bar(with_threads(agreed(), log=[*log, entry(2, "WORK", "finn", scene=4)])) == ""
    assert bar(with_threads(agreed(), log=[entry(2, "WORK", "emre", "vera", "finn", scene=3)])) == ""
    assert bar(with_threads(agreed())) == ""


def test_why_it_was_played_is_told_once() -> None:
    one = with_threads(agreed(1))
    (option,) = survey(list(propose(one, "afternoon")), one, 1, slot("afternoon", left=1))
    assert give_reasons(option.candidate, words).count("<why_appointment>") == 1


def test_those_who_meet_later_today_have_no_talk_before() -> None:
    one = with_threads(agreed(time="afternoon"))
    assert weighed(one, talk(), slot("morning"))["later"] == -6.0
    assert "later" not in weighed(one, talk("emre", "finn"), slot("morning"))
    assert "later" not in weighed(one, talk(part="brief"), slot("morning"))
    assert "later" not in weighed(one, talk(), slot("afternoon"))
    assert "later" not in weighed(with_threads(agreed()), talk(), slot("morning")), "no time was named"


def test_neither_a_row_of_talks_nor_too_many_scenes_keep_people_from_an_appointment() -> None:
    log = [entry(2, "ENCOUNTER", "vera", "emre", scene=number) for number in (2, 3)]
    log.append(entry(2, "ENCOUNTER", "vera", "emre", "nami", scene=4))
    one = with_threads(agreed(), log=log)
    (meeting,) = propose(one, "morning")
    day = look_at_day(one, slot("morning"))
    assert find_bar(talk(), one, day) is not None
    assert find_objection(talk(), one, day) is not None
    assert find_bar(meeting, one, day) is find_objection(meeting, one, day) is None


def test_an_appointment_that_comes_next_counts_for_the_row_beforehand() -> None:
    one = with_threads(agreed(time="noon"), log=[entry(2, "ENCOUNTER", "finn", "nami")])
    assert find_bar(talk("finn", "emre"), one, look_at_day(one, slot("morning", then="noon"))) is not None
    assert find_bar(talk("finn", "emre"), one, look_at_day(one, slot("morning", then="morning"))) is None
    untimed = with_threads(agreed(), log=one.log)
    day = look_at_day(untimed, slot("morning", then="noon"))
    assert (find_bar(talk("finn", "emre"), untimed, day), day.to_come) == (None, ("ENCOUNTER",))


def test_no_director_chooses_another_scene_in_place_of_an_appointment() -> None:
    one = with_threads(agreed())
    (meeting,) = propose(one, "morning")
    assert not is_open_choice(NextScenes((scene_of(one, meeting, "morning", words),)))
    assert is_open_choice(NextScenes((scene_of(one, talk(), "morning", words),)))


def test_an_event_and_an_appointment_of_a_day_both_have_a_time() -> None:
    fest = ScheduledEvent(2, "Fest", "noon")
    one = with_threads(agreed(time="noon"), events=[fest])
    assert look_at_day(one, slot("morning", then="noon")).following == ("EVENT", "ENCOUNTER")


def missed(**others: Any) -> Thread:
    return agreed(**{"due": 1, "outcome": "missed", "touched": "day-001", **others})


def test_those_who_missed_each_other_have_a_reason_to_talk_for_two_days() -> None:
    assert [numbers(list(missed_lately(with_threads(missed(), day=day)))) for day in (1, 2, 3, 4)] == [[], [1], [1], []]
    (item,) = propose(with_threads(missed(text="Um drei,\nim Flur.", time="15:00")), "morning")
    assert (item.type, item.cast, item.place, item.answers) == (
        "ENCOUNTER",
        ("vera", "emre"),
        "kontor",
        ("thread-001",),
    )
    (why,) = item.reasons
    assert (why.part, why.points, why.phrase) == ("missed", 5.0, "why_missed")
    for name, other in (("vera", "Emre"), ("emre", "Vera")):
        key, values = item.premises[name]
        assert (key, values["name"], values["ago"], values["clock"]) == ("premise_own_missed", other, "1", "15:00")
        assert (values["text"], values["weekday"]) == ("Um drei, im Flur.", "Montag")
    assert not is_fixed(item)


def test_a_missed_appointment_is_talked_about_once() -> None:
    day_before = entry(1, "ENCOUNTER", "vera", "finn", answers=["thread-001"])
    since = entry(2, "ENCOUNTER", "vera", "emre", answers=["thread-001"])
    assert numbers(list(missed_lately(with_threads(missed(), log=[day_before])))) == [1]
    assert numbers(list(missed_lately(with_threads(missed(), log=[since])))) == []


def test_no_character_talks_about_a_missed_appointment_with_one_who_is_away() -> None:
    assert list(propose(with_threads(missed(), settings=Settings(calendar=AWAY)), "morning")) == []
    assert list(missed_lately(with_threads(agreed(outcome="kept", touched="day-001")))) == []


def test_without_its_weight_an_appointment_is_a_talk_like_any_other() -> None:
    settings = Settings(places=PLACES, weights=WeightsSettings(appointment=0.0))
    one = with_threads(agreed(), settings=settings)
    assert weighed(one, next(iter(propose(one, "morning"))), slot("afternoon", left=1))["appointment"] == 0.0


TELL = {"kind": "promise", "text": "Vera sagt es Emre selbst.", "due": 2}


def owes(number: int = 1, *to: str, **others: Any) -> Thread:
    return thread(number, "vera", *(to or ("finn",)), **{**TELL, **others})


def test_after_a_scene_with_the_named_one_a_promise_is_kept_with_its_addressees() -> None:
    one = with_threads(owes())
    assert met_for(one, owes()) == ("vera", "emre")
    told = replace(one, log=(entry(2, "ENCOUNTER", "vera", "emre", answers=["thread-001"]),))
    assert met_for(told, owes()) == ("vera", "finn")
    other = replace(one, log=(entry(2, "ENCOUNTER", "vera", "nami", answers=["thread-001"]),))
    assert met_for(other, owes()) == ("vera", "emre")


def test_today_a_character_owes_a_visit_that_it_has_promised_to_another() -> None:
    assert numbers(owed_today(with_threads(owes()))) == [1]
    away = Settings(places=PLACES, calendar=AWAY)
    for other in (
        with_threads(owes(outcome="kept")),
        with_threads(owes(due=3)),
        with_threads(owes(1, "emre")),
        with_threads(owes(time="15:00")),
        with_threads(owes(kind="question")),
        with_threads(owes(), settings=away),
    ):
        assert owed_today(other) == ()


def test_a_day_has_room_for_promised_visits_and_nothing_rules_them_out_in_its_last_scenes() -> None:
    full = [entry(2, "ARRIVAL"), *(entry(2, "ENCOUNTER", "vera", "nami", scene=number) for number in range(2, 8))]
    quiet = Settings(places=PLACES, language="de", day=DaySettings(company=False))
    one = with_threads(owes(), owes(2, "nami", text="Vera sagt auch Finn Bescheid."), log=full, settings=quiet)
    assert [scenes_planned(with_threads(*owed, log=full, settings=quiet), 2, 1) for owed in ((), one.threads)] == [6, 9]
    both = with_threads(*one.threads, agreed(3, "emre"), log=full, settings=quiet)
    assert scenes_planned(both, 2, 1) == 9, "the appointment brings one of the two together"
    visit = replace(talk("vera", "emre", part="promise_due", points=9.0), answers=("thread-001",))
    for left, ruled_out in ((3, True), (2, False)):
        day = look_at_day(one, slot("afternoon", left=left))
        assert (find_bar(visit, one, day) is not None) == ruled_out
        assert (find_objection(visit, one, day) is not None) == ruled_out
        assert weighed(one, visit, slot("afternoon", left=left))["promise_due"] == (9.0 if ruled_out else 40.0)
    assert find_bar(talk("vera", "emre"), one, look_at_day(one, slot("afternoon", left=2))) is not None
    alone = replace(visit, type="WORK", cast=("vera",))
    assert weighed(one, alone, slot("afternoon", left=2))["promise_due"] == 9.0, "without the one whom it is for"
    late = (replace(owes(), opened="day-002/scene-08"), replace(owes(), opened="day-002/scene-09"))
    further = [scenes_planned(with_threads(one, log=full, settings=quiet), 2, 1) for one in late]
    assert further == [8, 6], "what is promised in a further scene makes none"
