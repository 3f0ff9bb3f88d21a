"""What a sentence says of the time of day, and the order of what is arranged that follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.model.clock import ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Reason
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.candidates import list_candidates, merge_same_people
from gm.scene.candidates.appointments import propose
from gm.scene.candidates.threads import propose as propose_threads
from gm.scene.directing.day_so_far import look_at_day
from gm.scene.directing.director import next_step
from gm.scene.directing.scenes import scene_of
from gm.scene.directing.select import find_objection
from gm.scene.grounding.hours import AFTER, AT, BEFORE, Anchor, Hour, read_anchor, read_hour
from gm.scene.planning.schedule import Slot
from gm.scene.threads.appointments import (
    agreed_on,
    clock_of,
    order_of,
    part_of_day,
    scenes_of_today,
    times_fixed,
    to_come,
)
from tests.build import agent, entry, thread, words, world

CAST = (agent("emre", at="kontor"), agent("finn"), agent("nami"), agent("vera", at="atelier"))


@pytest.mark.parametrize(
    ("text", "minute", "relation"),
    [
        ("Leo geht am Dienstag um zwei mit Finn zu Emre.", 14 * 60, AT),
        ("Wir treffen uns um halb drei im Flur.", 14 * 60 + 30, AT),
        ("Wir treffen uns um Viertel vor neun abends.", 20 * 60 + 45, AT),
        ("Wir treffen uns um Viertel nach sieben.", 7 * 60 + 15, AT),
        ("Sie reden bis vier im Flur.", 16 * 60, BEFORE),
        ("Bis Mittwoch elf Uhr steht die Treppe.", 11 * 60, BEFORE),
        ("Um 14.30 Uhr.", 14 * 60 + 30, AT),
        ("Um 18 Uhr.", 18 * 60, AT),
        ("Um zwölf.", 12 * 60, AT),
        ("Nach dem Mittagessen in der Küche.", 12 * 60 + 30, AFTER),
        ("Finn sagt es Leo noch vor dem Heimweg.", 17 * 60 + 30, BEFORE),
        ("Als Erstes am Nachmittag.", 14 * 60, AT),
        ("Als Erstes.", 0, AT),
        ("Am Donnerstag früh.", 0, AT),
        ("Bis Dienstagabend.", 18 * 60, BEFORE),
        ("Sie liest es ihr Mittwochabend vor.", 18 * 60, AT),
    ],
)
def test_a_german_sentence_says_when(text: str, minute: int, relation: int) -> None:
    found = read_hour(text, "de")
    assert found is not None
    assert (found.minute, found.relation) == (minute, relation)


@pytest.mark.parametrize(
    ("text", "minute", "relation"),
    [
        ("We talk at four in the kitchen.", 16 * 60, AT),
        ("Until four.", 16 * 60, BEFORE),
        ("At 9:15 pm.", 21 * 60 + 15, AT),
        ("At quarter to nine in the evening.", 20 * 60 + 45, AT),
        ("At half past two.", 14 * 60 + 30, AT),
        ("First thing on Monday.", 0, AT),
        ("Over lunch.", 12 * 60 + 30, AT),
        ("After dinner.", 19 * 60, AFTER),
        ("This afternoon.", 14 * 60, AT),
    ],
)
def test_an_english_sentence_says_when(text: str, minute: int, relation: int) -> None:
    found = read_hour(text, "en")
    assert found is not None
    assert (found.minute, found.relation) == (minute, relation)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Um zwei Meter länger.", "de"),
        ("Bis vier Leute da sind.", "de"),
        ("Vor dem D&D-Abend.", "de"),
        ("Um 24 Uhr.", "de"),
        ("By two people.", "en"),
        ("At four in the kitchen.", "fr"),
    ],
)
def test_what_is_counted_and_what_is_not_understood_is_no_time(text: str, language: str) -> None:
    assert read_hour(text, language) is None


def test_a_known_time_of_day_tells_early_from_late() -> None:
    assert read_hour("Um sieben.", "de", "evening") == Hour(19 * 60, is_clock=True)
    assert read_hour("Um sechs.", "de", "morning") == Hour(6 * 60, is_clock=True)
    assert read_hour("Um vier.", "de", "morning") == Hour(16 * 60, is_clock=True)


def test_what_something_comes_before_or_after_is_named() -> None:
    assert read_anchor("Nach dem Probelauf im Flur.", "de") == Anchor("probelauf im flur", AFTER)
    assert read_anchor("Before the meeting.", "en") == Anchor("meeting", BEFORE)
    assert read_anchor("Um vier.", "de") is read_anchor("Nach dem Probelauf.", "fr") is None


@pytest.mark.parametrize(
    ("text", "language", "part", "minute"),
    [
        ("Sie lässt nach der Knieprobe um drei den Krepp liegen.", "de", "", 15 * 60),
        ("Vor der kleinen Probe um halb acht.", "de", "evening", 19 * 60 + 30),
        ("Nach der Probe gehen Vera und Emre um drei.", "de", "", None),
        ("Nach der Knieprobe, bis drei.", "de", "", None),
        ("After the kneeling test at three.", "en", "", 15 * 60),
    ],
)
def test_the_hour_right_behind_something_is_its_own(text: str, language: str, part: str, minute: int | None) -> None:
    found = read_anchor(text, language, part)
    assert found is not None
    assert found.minute == minute


def agreed(number: int, text: str, *to: str, by: str = "vera", **others: object) -> Thread:
    return thread(number, by, *(to or ("emre",)), **{"kind": "appointment", "text": text, "due": 2, **others})


def day_with(*threads: Thread, log: tuple[LogEntry, ...] = (), events: tuple[ScheduledEvent, ...] = ()) -> World:
    settings = Settings(places={"flur": "", "kueche": ""}, calendar=CalendarSettings())
    made = world(*CAST, day=2, log=list(log), settings=settings)
    return replace(made, threads=threads, clock=replace(made.clock, scheduled_events=events))


def test_appointments_without_a_clock_stand_where_their_words_put_them() -> None:
    one = day_with(
        agreed(1, "Wir treffen uns um drei.", time="15:00"),
        agreed(2, "Sie reden bis vier darüber."),
        agreed(3, "Irgendwann im Flur."),
        agreed(4, "Am Nachmittag gehen wir hinaus.", time="afternoon"),
        agreed(5, "Als Erstes."),
        agreed(6, "Nach dem Mittagessen."),
        agreed(7, "Um halb fünf.", time="afternoon"),
        agreed(8, "Am Vormittag um halb fünf.", time="noon"),
    )
    assert [thread.number for thread in agreed_on(one, 2)] == [5, 8, 6, 4, 1, 2, 7, 3]
    assert [clock_of(one, thread) for thread in one.threads] == ["15:00", "", "", "", "", "", "16:30", ""]
    assert part_of_day(one, one.threads[1]) == "afternoon"
    assert times_fixed(one) == ["morning", "noon", "noon", *["afternoon"] * 4]


def test_what_comes_before_or_after_something_is_ordered_by_it() -> None:
    run = agreed(1, "Der Probelauf im Flur.", "finn", time="11:00")
    one = day_with(
        run,
        agreed(2, "Nach dem Probelauf reden wir."),
        agreed(3, "Vor dem Besuch der Schule.", "nami"),
        agreed(4, "Nach dem Regen."),
        events=(
            ScheduledEvent(2, "Besuch der Schule", "afternoon", "EVENT", ""),
            ScheduledEvent(3, "Regen", "evening", "EVENT", ""),
        ),
    )
    assert [order_of(one, thread) for thread in one.threads[:3]] == [660, 661, 839]
    assert part_of_day(one, one.threads[3]) == ""


@pytest.mark.parametrize(
    ("language", "test", "after"),
    [
        (
            "de",
            "Nami bringt um drei einen Lautsprecher an den Herd.",
            "Vera lässt nach der Knieprobe um drei den Krepp da.",
        ),
        ("en", "Nami brings a speaker to the hearth at three.", "After the kneeling test at three the tape stays."),
    ],
)
@pytest.mark.parametrize("kind", ["appointment", "promise"])
def test_what_comes_after_something_of_its_own_hour_is_played_after_it(
    language: str, test: str, after: str, kind: str
) -> None:
    late = thread(1, "vera", "emre", kind=kind, text=after, due=2, time="15:00")
    probe = thread(2, "nami", "emre", kind=kind, text=test, due=2, time="15:00")
    one = day_with(late, probe)
    one = replace(one, settings=replace(one.settings, language=language))
    assert [thread.number for thread in agreed_on(one, 2)] == [2, 1]
    assert [item.answers for item in propose(one, "afternoon")] == [("thread-002",)]
    held = replace(one, log=(entry(2, "ENCOUNTER", "nami", "emre", answers=["thread-002"]),))
    (item,) = propose(held, "afternoon")
    assert (item.answers, item.clock) == (("thread-001",), "")
    alone = replace(one, threads=(late,))
    assert clock_of(alone, late) == "15:00", "nothing else has that hour"


def test_what_comes_after_something_at_another_hour_has_its_own() -> None:
    run = agreed(1, "Der Probelauf im Flur.", "finn", time="14:00")
    late = agreed(2, "Nach dem Probelauf um drei reden wir.", time="15:00")
    one = day_with(run, late, agreed(3, "Anderes.", "nami", time="15:00"))
    assert (order_of(one, late), clock_of(one, late)) == (900, "15:00")
    before = agreed(4, "Vor dem Probelauf um zwei reden wir.", time="14:00")
    assert order_of(day_with(run, before), before) == 839
    visit = ScheduledEvent(2, "Besuch der Schule", "afternoon", "EVENT", "")
    assert clock_of(day_with(before, events=(visit,)), before) == "14:00", "an event has no clock time"


def test_a_promise_by_an_hour_is_nothing_that_something_comes_after() -> None:
    by_three = thread(1, "vera", "emre", text="Der Probelauf steht bis drei.", due=2)
    late = agreed(2, "Nach dem Probelauf reden wir.")
    assert [part_of_day(day_with(one, late), late) for one in (by_three, replace(by_three, time="11:00"))] == ["", ""]
    at_two = replace(by_three, text="Der Probelauf beginnt um zwei.")
    assert order_of(day_with(at_two, late), late) == 841


def test_the_one_without_a_clock_is_played_before_a_later_one() -> None:
    late = agreed(1, "Um halb fünf im Flur.", "finn", by="nami", time="16:30")
    one = day_with(late, agreed(2, "Sie reden bis vier darüber."), agreed(3, "Irgendwann."))
    assert [item.answers for item in propose(one, "afternoon")] == [("thread-002",), ("thread-003",)]
    assert [item.answers for item in propose(one, "noon")] == [("thread-003",)], "it has its time"


TONIGHT = "Am Mittwochabend lese ich dir die Hausordnung vor."


def tonight(text: str = TONIGHT, **others: object) -> Thread:
    return thread(1, "vera", "emre", **{"text": text, "due": 2, "opened": "day-002/scene-02", **others})


def test_a_promise_for_the_evening_brings_its_people_together_then() -> None:
    one = day_with(tonight())
    assert [list(propose(one, time)) for time in ("morning", "afternoon")] == [[], []]
    (item,) = propose(one, "evening")
    assert (item.cast, item.answers, item.premise[0]) == (("vera", "emre"), ("thread-001",), "premise_appointment")
    assert item.premise[1]["promise"] == "1"
    assert [item.cast for item in propose_threads(one, "noon")] == [("vera",)], "only the work on it comes before"
    full = day_with(
        tonight(),
        log=tuple(entry(2, "WORK", "finn", "nami", scene=number, time_of_day="noon") for number in range(1, 9)),
    )
    (scene,) = next_step(replace(full, log=(entry(2, "ARRIVAL", "vera"), *full.log)), 1, words).scenes
    assert (scene.answers, scene.time_of_day) == (("thread-001",), "evening")
    held = replace(full, log=(*full.log, entry(2, "ENCOUNTER", "vera", "emre", scene=9, answers=["thread-001"])))
    assert (to_come(held), len(scenes_of_today(held))) == ((), 1)


@pytest.mark.parametrize(
    ("text", "time", "place", "clock"),
    [
        ("Um drei lese ich es dir im Flur vor.", "afternoon", "flur", "15:00"),
        ("Am Mittwochmittag lese ich es dir vor.", "noon", "kueche", ""),
        ("Nach dem Mittagessen lese ich es dir im Flur vor.", "noon", "flur", ""),
    ],
)
def test_so_does_one_for_any_hour(text: str, time: str, place: str, clock: str) -> None:
    one = day_with(tonight(text))
    assert list(propose(one, "morning")) == []
    (item,) = propose(one, time)
    assert (item.cast, item.place, item.clock) == (("vera", "emre"), place, clock)


def test_a_promise_to_tell_a_third_character_brings_that_one_who_does_not_know_of_it() -> None:
    text = "Vera sagt Finn am Mittwoch um drei, was sie getan hat."
    one = day_with(tonight(text))
    (item,) = propose(one, "afternoon")
    assert (item.cast, item.clock, item.answers) == (("vera", "finn"), "15:00", ("thread-001",))
    scene = scene_of(one, item, "afternoon", words)
    assert text in scene.premises["vera"]
    assert "Emre" in scene.premises["vera"]
    assert text not in scene.premise + scene.premises["finn"]
    assert [item.cast for item in propose_threads(one, "noon")] == [("vera",)], "no talk about it with Emre"


def test_a_promise_to_many_is_no_meeting() -> None:
    many = ("emre", "finn", "nami")
    for text in ("Mittags steht die Strecke.", "Um zwölf zeige ich es.", "Am Mittwochabend hängt der Plan."):
        assert agreed_on(day_with(replace(tonight(text), to=many)), 2) == ()


def test_what_is_promised_to_many_for_the_evening_at_a_place_is_an_event_for_all() -> None:
    many = ("emre", "finn", "nami")
    text = "Am Mittwochabend klebt das Haus im Flur, und alle gehen hindurch."
    one = day_with(replace(tonight(text), to=many, time="evening", place="flur"))
    assert [item.cast for item in propose(one, "afternoon")] == []
    (item,) = propose(one, "evening")
    assert (item.type, item.place, item.topic) == ("EVENT", "flur", text)
    assert {*item.cast} == {"vera", *many}
    assert times_fixed(one) == ["evening"]


@pytest.mark.parametrize(
    "other",
    [
        tonight("Bis Mittwochabend überlege ich es mir."),
        tonight("Am Mittwochabend frage ich Finn und Nami danach."),
        tonight(due=3),
        tonight(outcome="kept"),
        replace(tonight(), to=()),
        tonight(kind="question"),
    ],
    ids=["a deadline", "with several others", "another day", "kept", "to nobody", "no promise"],
)
def test_no_other_thread_is_held_like_an_appointment(other: Thread) -> None:
    assert agreed_on(day_with(other), 2) == ()


def talk(clock: str, part: str = "plan") -> Candidate:
    return Candidate("ENCOUNTER", ("vera", "emre"), "hall", (Reason(part, 6.0),), ("premise_visit", {}), clock=clock)


def test_what_is_arranged_says_when_and_not_what_rides_along() -> None:
    arranged = replace(talk("", "appointment"), answers=("thread-001",))
    (first,) = merge_same_people([replace(arranged, reasons=(Reason("appointment", 9.0),)), talk("15:00")])
    (second,) = merge_same_people(
        [talk("15:00"), replace(arranged, clock="12:30", reasons=(Reason("appointment", 1.0),))]
    )
    assert (first.clock, second.clock) == ("", "12:30")


def test_the_time_of_day_and_the_clock_of_a_scene_agree_and_go_on_in_time() -> None:
    def times(clock: str, slot: str, *log: LogEntry) -> tuple[str, str]:
        made = scene_of(day_with(log=log), talk(clock), slot, words)
        return made.time_of_day, made.clock

    three = entry(2, "ENCOUNTER", "finn", "nami", time_of_day="afternoon", clock="15:00")
    assert times("12:30", "afternoon") == ("noon", "12:30")
    assert times("12:30", "afternoon", entry(2, "WORK", "finn", time_of_day="afternoon")) == ("afternoon", "")
    assert times("14:00", "afternoon", three) == ("afternoon", "")
    assert times("16:00", "afternoon", three) == ("afternoon", "16:00")
    assert times("", "afternoon", three) == ("afternoon", "")


def test_candidates_of_a_day_hold_what_is_arranged_in_its_order() -> None:
    one = day_with(agreed(1, "Um zwei.", time="14:00"), agreed(2, "Am Nachmittag um drei.", "finn", by="nami"))
    arranged = [item for item in list_candidates(one, "afternoon") if item.answers]
    assert [(item.answers, item.clock) for item in arranged] == [(("thread-001",), "14:00")]


@pytest.mark.parametrize(("clock", "rest", "bar"), [("17:00", 2, "late"), ("15:00", 2, ""), ("17:00", 1, "")])
def test_an_appointment_late_in_its_part_of_the_day_leaves_others_their_place_before_it(
    clock: str, rest: int, bar: str
) -> None:
    one = day_with(agreed(1, "Wir sehen uns.", time=clock))
    day = look_at_day(one, Slot("afternoon", "afternoon", 4, 7, rest=rest))
    (item,) = propose(one, "afternoon")
    found = find_objection(item, one, day)
    assert (found.part if found else "") == bar


def test_of_several_late_ones_each_has_a_place() -> None:
    one = day_with(agreed(1, "Wir sehen uns.", time="16:30"), agreed(2, "Wir reden.", "nami", by="finn", time="17:00"))
    day = look_at_day(one, Slot("afternoon", "afternoon", 4, 7, rest=2))
    (item,) = propose(one, "afternoon")
    assert find_objection(item, one, day) is None


def test_a_promise_about_a_third_character_is_talked_about_with_that_one() -> None:
    one = day_with(tonight("Vera sagt Finn selbst, was sie getan hat."))
    assert [item.cast for item in propose_threads(one, "noon")] == [("vera", "finn"), ("vera",)]
    both = day_with(tonight("Vera sagt Finn und Nami selbst, was sie getan hat."))
    assert [item.cast for item in propose_threads(both, "noon")] == [("vera", "emre"), ("vera",)]


@pytest.mark.parametrize(("names", "clock"), [(("emre", "finn"), ""), (("finn", "nami"), "15:00")])
def test_who_has_a_scene_at_an_hour_has_the_next_one_after_it(names: tuple[str, ...], clock: str) -> None:
    played = entry(2, "ENCOUNTER", *names, scene=2, time_of_day="afternoon", clock="15:00")
    scene = scene_of(day_with(log=(played,)), talk("15:00", "appointment"), "afternoon", words)
    assert (scene.time_of_day, scene.clock) == ("afternoon", clock)
