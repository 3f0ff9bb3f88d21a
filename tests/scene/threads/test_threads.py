from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.model.clock import Post
from gm.model.logged import LogEntry
from gm.model.scene_reply import Closed, Opened, SceneReply
from gm.model.thread import Thread, ThreadEvent, fold_events
from gm.model.world import World
from gm.scene.candidates import threads as open_threads
from gm.scene.dialogue.turns import Turn
from gm.scene.evening.dusk import dusk
from gm.scene.evening.left_open import close_threads, explain_carried
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.grounding.mentions import content_words
from gm.scene.threads import changes
from gm.scene.threads.awareness import knows, open_threads_of, was_absent
from gm.scene.threads.changes import FoldedThreads, Noted, NotedThreads, fold_threads, noted_so_far
from gm.scene.threads.opened_threads import MOST_DAYS_AHEAD
from tests.build import (
    CAST,
    agent,
    artifact,
    cast_with,
    entry,
    line,
    never,
    promise,
    reply,
    scene,
    thread,
    words,
    world,
)


def fold(
    one: World, *turns: Turn, cast: tuple[str, ...] = ("vera", "emre"), at: str = "day-001/scene-02"
) -> FoldedThreads:
    return fold_threads(one, scene(*cast, type="ENCOUNTER", at=at), turns, words)


def says(*opens: object, closes: tuple[tuple[str, str], ...] = (), text: str = "so") -> SceneReply:
    closed = [Closed.model_validate({"id": name, "outcome": outcome, "text": text}) for name, outcome in closes]
    return reply(line("Du hast mein Wort."), opens=list(opens), closes=closed)


def test_a_promise_becomes_a_thread_with_the_next_number_that_was_never_used() -> None:
    one = cast_with(thread(7, outcome="kept"), log=[entry(1, "WORK", "vera", threads=[{"id": "thread-009"}])])
    (event,) = fold(one, Turn("vera", says(promise("Ich bringe\n dir  die Maße.", to="Emre", due=3)))).events
    assert event == ThreadEvent(
        "thread-010", "day-001/scene-02", "open", "vera", "Ich bringe dir die Maße.", "promise", ("emre",), 3
    )


@pytest.mark.parametrize("to", [None, "all", " Alle ", "`all`"])
def test_what_is_said_to_all_is_said_to_everybody_present(to: str | None) -> None:
    folded = fold(cast_with(), Turn("vera", says(promise(to=to))), cast=("vera", "emre", "finn"))
    assert [event.to for event in folded.events] == [("emre", "finn")]
    assert not folded.warnings


@pytest.mark.parametrize(
    ("to", "kept", "missed"),
    [
        ("finn", (), "'finn'"),
        ("der Bürgermeister", (), "'der Bürgermeister'"),
        ("emre, finn und Onkel Max", ("emre",), "'finn', 'Onkel Max'"),
    ],
)
def test_an_absent_character_and_an_unknown_name_were_not_addressed_and_it_is_said(
    to: str, kept: tuple[str, ...], missed: str
) -> None:
    folded = fold(cast_with(), Turn("vera", says(promise(to=to))))
    assert [event.to for event in folded.events] == [kept]
    left_out = f"vera: said to {missed}, who did not hear it; kept without: 'Ich bringe dir die Maße.'"
    assert folded.warnings == [left_out]


@pytest.mark.parametrize(("to", "kept"), [("vera", ()), ("emre, vera", ("emre",)), (" ", ("emre",)), (None, ("emre",))])
def test_oneself_and_no_name_are_not_missed(to: str | None, kept: tuple[str, ...]) -> None:
    folded = fold(cast_with(), Turn("vera", says(promise(to=to))))
    assert ([event.to for event in folded.events], folded.warnings) == ([kept], [])


def test_the_same_thing_is_opened_once_in_a_scene_and_while_it_is_open() -> None:
    twice = [Turn("vera", says(promise("Ich bringe dir die Maße.", to="emre"))) for _ in range(2)]
    folded = fold(cast_with(), *twice)
    assert (len(folded.events), len(folded.warnings)) == (1, 1)
    again = fold(cast_with(thread(1, text="ich bringe dir die Maße")), twice[0])
    assert (again.events, len(again.warnings)) == ([], 1)
    assert len(fold(cast_with(thread(1, text="Ich bringe dir die Maße.", outcome="kept")), twice[0]).events) == 1


def test_nearly_the_same_words_are_the_same_thing_and_others_are_not() -> None:
    first = promise("Ich bringe Emre bis Donnerstag die Zeichnung der Schwelle.")
    same = promise("Bis Donnerstag bringe ich dem Emre die Zeichnung der Schwelle!")
    other = promise("Ich bringe Emre bis Donnerstag die Liste der Werkzeuge.")
    folded = fold(cast_with(), Turn("vera", says(first, same, other)))
    assert [event.text for event in folded.events] == [first.text, other.text]


def test_another_number_is_another_thing() -> None:
    first = promise("Ich bringe drei Skizzen der Schwelle, Blatt 3.", due=3)
    second = promise("Ja, ich bringe drei Skizzen der Schwelle, Blatt 4!", due=3)
    assert [event.event for event in fold(cast_with(), Turn("vera", says(first, second))).events] == ["open", "open"]


@pytest.mark.parametrize("kind", ["promise", "question"])
@pytest.mark.parametrize(
    "again", ["Ja, drei Skizzen der Schwelle bringe ich!", "Ich bringe drei Skizzen der Schwelle."]
)
def test_the_same_thing_by_another_day_is_moved(kind: str, again: str) -> None:
    one = cast_with(thread(1, "vera", "emre", kind=kind, text="Ich bringe drei Skizzen der Schwelle.", due=3))
    old, new = fold(one, Turn("vera", says(promise(again, kind=kind, due=5)))).events
    assert (old.id, old.event, old.by, old.outcome) == ("thread-001", "close", "vera", "replaced")
    assert (new.id, new.due, new.replaces) == ("thread-002", 5, "thread-001")


def test_what_is_moved_and_named_by_its_id_as_well_is_replaced_once() -> None:
    one = cast_with(thread(1, "vera", "emre", text="Ich bringe die Maße.", due=3))
    said = promise("Ich bringe die Maße.", due=5, replaces="thread-001")
    assert [event.event for event in fold(one, Turn("vera", says(said))).events] == ["close", "open"]


def test_two_people_may_promise_the_same_words() -> None:
    both = [Turn(name, says(promise("Ich bin da."))) for name in ("vera", "emre")]
    assert [event.by for event in fold(cast_with(), *both).events] == ["vera", "emre"]


def test_what_no_character_heard_is_no_promise() -> None:
    folded = fold(cast_with(), Turn("vera", reply(opens=[promise()])))
    said = "vera: opened without a word said aloud, left out: 'Ich bringe dir die Maße.'"
    assert (folded.events, folded.warnings) == ([], [said])


OUTSIDE = "Creative Director"


@pytest.mark.parametrize("name", [OUTSIDE, "creative-director", '"Creative  Director"'])
def test_a_question_to_the_person_outside_concerns_who_asks_it_alone_and_need_not_be_said_aloud(name: str) -> None:
    asks = promise("Eine Antwort oder sieben?", kind="question", to=name)
    for said in (says(asks), reply(opens=[asks])):
        (event,) = fold(cast_with(), Turn("vera", said)).events
        assert event.to == (OUTSIDE,)
    after = cast_with(*fold_events((), [event]))
    assert [len(open_threads_of(after, one)) for one in ("vera", "emre", "finn")] == [1, 0, 0]
    answered = fold(after, Turn("vera", says(closes=(("thread-001", "answered"),))))
    assert [one.outcome for one in answered.events] == ["answered"]


def test_the_person_outside_may_be_asked_beside_a_colleague_but_is_promised_nothing() -> None:
    both = promise("Eine Antwort oder sieben?", kind="question", to="emre, Creative Director")
    asked = fold(cast_with(), Turn("vera", says(both)))
    assert ([event.to for event in asked.events], asked.warnings) == ([("emre", OUTSIDE)], [])
    promised = fold(cast_with(), Turn("vera", says(promise("Ich schicke die Antwort.", to=OUTSIDE))))
    assert [event.to for event in promised.events] == [()]
    assert "said to 'Creative Director', who did not hear it" in promised.warnings[0]
    nameless = promise("Und ihr?", kind="question")
    assert [event.to for event in fold(cast_with(), Turn("vera", says(nameless))).events] == [("emre",)]


def test_a_question_to_the_person_outside_is_no_reason_for_a_talk_and_the_evening_says_that_it_waits() -> None:
    asked = thread(1, "vera", OUTSIDE, kind="question", opened="day-001/scene-02")
    one = replace(cast_with(asked, day=3), clock=replace(cast_with(day=3).clock, day_open=True))
    assert list(open_threads.propose(one, "morning")) == []
    assert list(open_threads.propose(replace(one, threads=(replace(asked, to=("emre",)),)), "morning"))
    assert explain_carried(one, close_threads(one, words), words) == [
        {"thread": "thread-001", "reason": f"<carried_outside> others=['{OUTSIDE}']"}
    ]


def test_what_a_piece_announces_counts_as_said() -> None:
    pinned = reply(opens=[arranged("Um drei im Stehen.", time="15:00")], artifact=artifact("Plan der Woche"))
    (event,) = fold(cast_with(), Turn("vera", pinned)).events
    assert (event.kind, event.to, event.time) == ("appointment", ("emre",), "15:00")


@pytest.mark.parametrize(
    ("audience", "to"), [([], ("emre", "finn")), (["finn"], ("finn",)), (["board"], ("emre", "finn", "nami"))]
)
def test_the_text_of_a_piece_is_known_to_its_readers(audience: list[str], to: tuple[str, ...]) -> None:
    one = replace(world(*CAST, agent("nami")), threads=())
    pinned = reply(opens=[arranged()], artifact=artifact("Plan der Woche", audience=audience))
    (event,) = fold(one, Turn("vera", pinned), cast=("vera", "emre", "finn")).events
    assert event.to == to


def test_what_is_said_aloud_beside_a_piece_for_some_is_said_to_all() -> None:
    said = reply(line("Um drei."), opens=[arranged()], artifact=artifact("Plan der Woche", audience=["finn"]))
    (event,) = fold(cast_with(), Turn("vera", said), cast=("vera", "emre", "finn")).events
    assert event.to == ("emre", "finn")


@pytest.mark.parametrize("to", ["finn", "der Bürgermeister"])
def test_nothing_is_arranged_with_one_who_is_not_there(to: str) -> None:
    folded = fold(cast_with(), Turn("vera", says(arranged(to=to))))
    assert folded.warnings == ["vera: arranged with no one present, left out: 'Wir treffen uns im Flur.'"]
    assert folded.events == []


PROBES = "Darius hört die Proben im Dunkeln."


def test_an_appointment_is_with_all_it_names_including_those_to_be_fetched() -> None:
    one = replace(world(*CAST, agent("darius")), threads=())
    said = arranged(PROBES, to="darius,finn,der Bürgermeister,vera", due=3, time="09:00")
    (event,) = fold(one, Turn("vera", says(said)), cast=("vera", "finn")).events
    assert event.to == ("finn", "darius"), "first who has heard it"
    met = replace(one, threads=fold_events((), [event]), log=(entry(1, "ENCOUNTER", "vera", "finn", scene=2),))
    assert [[thread.text for thread in open_threads_of(met, name)] for name in ("darius", "emre")] == [[PROBES], []]
    assert [was_absent(met, met.threads[0], name) for name in ("vera", "finn", "darius")] == [False, False, True]
    missed = dusk(replace(met, clock=replace(met.clock, day=3)), words)
    assert missed is not None
    assert sorted(missed.nodes) == ["darius", "finn", "vera"]


@pytest.mark.parametrize(
    ("hers", "his", "people"),
    [
        ({"to": "finn, darius"}, {"to": "vera", "time": "09:00"}, ("vera", "finn", "darius")),
        ({"to": "finn"}, {"to": "vera, darius"}, ("vera", "finn", "darius")),
        ({"to": "finn, darius"}, {"to": "vera, emre"}, ("vera", "finn", "darius", "emre")),
        ({"to": "finn", "time": "09:00"}, {"to": "vera, darius", "time": "09:00"}, ("finn", "vera", "darius")),
    ],
)
def test_one_of_two_who_arrange_the_same_may_name_those_they_fetch(
    hers: dict[str, Any], his: dict[str, Any], people: tuple[str, ...]
) -> None:
    one = replace(world(*CAST, agent("darius")), threads=())
    said = [Turn("vera", says(arranged(PROBES, due=3, **hers))), Turn("finn", says(arranged("Gut.", due=3, **his)))]
    open_ = [one for one in fold_events((), fold(one, *said, cast=("vera", "finn")).events) if one.is_open]
    assert [(one.people, one.time) for one in open_] == [(people, his.get("time", ""))]


@pytest.mark.parametrize("kind", ["promise", "question", "silence"])
def test_all_else_is_only_with_those_who_have_heard_it(kind: str) -> None:
    (event,) = fold(cast_with(), Turn("vera", says(promise(kind=kind, to="emre,finn")))).events
    assert event.to == ("emre",)


def test_a_day_is_named_in_words_that_stay_true() -> None:
    (event,) = fold(cast_with(), Turn("vera", says(promise("Ich bringe dir morgen die Maße.")))).events
    assert event.text == "Ich bringe dir am Dienstag die Maße."


@pytest.mark.parametrize("due", [2, 20261122])
def test_a_day_that_is_over_or_years_away_is_no_day_to_do_something_by(due: int) -> None:
    folded = fold(cast_with(), Turn("vera", says(promise(due=due))), at="day-003/scene-02")
    assert ([event.due for event in folded.events], len(folded.warnings)) == ([None], 1)


def arranged(text: str = "Wir treffen uns im Flur.", **others: Any) -> Opened:
    return promise(text, kind="appointment", **others)


def test_an_appointment_keeps_its_day_its_time_and_its_place() -> None:
    one = replace(cast_with(), settings=Settings(places={"Flur": "Lang.", "kontor": ""}))
    (event,) = fold(one, Turn("vera", says(arranged(to="emre", due=2, time="9.05", place="`flur`")))).events
    assert (event.kind, event.to, event.due, event.time, event.place) == ("appointment", ("emre",), 2, "09:05", "Flur")
    assert event.replaces == ""


def test_an_appointment_without_a_day_is_today_and_a_promise_without_one_has_neither_time_nor_place() -> None:
    when = {"time": "15:00", "place": "flur"}
    said = (arranged(time="»Noon«"), promise("Ich bringe es.", **when), promise("Ich sage es ihm.", due=2, **when))
    meeting, other, timed = fold(cast_with(), Turn("vera", says(*said))).events
    assert (meeting.due, meeting.time, meeting.place) == (1, "noon", "")
    assert (other.due, other.time, other.place) == (None, "", "")
    assert (timed.due, timed.time) == (2, "15:00")


@pytest.mark.parametrize(("first", "then"), [("17:00", "afternoon"), ("afternoon", "17:00")])
def test_a_meeting_by_the_clock_and_one_in_that_part_of_the_day_are_one(first: str, then: str) -> None:
    one = Turn("vera", says(arranged("Ich zeige dir den Knochen.", time=first, due=2)))
    other = Turn("emre", says(arranged("Ich hole den Wirbel ab.", time=then, due=2)))
    (event,) = fold(cast_with(), one, other).events
    assert (event.text, event.time) == ("Ich zeige dir den Knochen.", "17:00")
    later = cast_with(thread(1, "vera", "emre", kind="appointment", time=first, due=2))
    opened = [event for event in fold(later, other).events if event.event == "open"]
    assert [event.time for event in opened] == ["17:00"]


@pytest.mark.parametrize("is_first", [True, False])
def test_two_of_a_round_meet_in_it_and_not_besides(is_first: bool) -> None:
    cast = ("vera", "emre", "nami")
    of_all = Turn("vera", says(arranged("Stand um zehn.", to=None, time="10:00", place="flur", due=2)))
    of_two = Turn("emre", says(arranged("Ich komme zum Stand.", to="vera", time="10:00", due=2)))
    one = world(agent("vera"), agent("emre"), agent("nami"), settings=Settings(places={"flur": ""}))
    turns = (of_all, of_two) if is_first else (of_two, of_all)
    opened = {event.id: event for event in fold(one, *turns, cast=cast).events if event.event == "open"}
    closed = {event.id for event in fold(one, *turns, cast=cast).events if event.event == "close"}
    (left,) = (event for event in opened.values() if event.id not in closed)
    assert left.text == "Stand um zehn."


@pytest.mark.parametrize("wrong", [{"time": "gegen drei"}, {"time": "25:00"}, {"place": "am Meer"}])
def test_what_is_no_time_or_no_place_is_left_out_of_an_appointment(wrong: dict[str, str]) -> None:
    folded = fold(cast_with(), Turn("vera", says(arranged(**wrong))))
    assert ([(event.time, event.place) for event in folded.events], len(folded.warnings)) == ([("", "")], 1)


def test_an_appointment_that_both_sides_name_in_their_own_words_is_one() -> None:
    mine = Turn("vera", says(arranged("Morgen um drei im Flur.", to="emre", due=2, time="15:00")))
    yours = arranged("Vera kommt am Dienstag zu mir.", to="vera", due=2)
    folded = fold(cast_with(), mine, Turn("emre", says(yours)))
    assert ([event.by for event in folded.events], len(folded.warnings)) == (["vera"], 1)
    for other in ({"due": 3}, {"due": 2, "time": "16:00"}, {"due": 2, "to": "finn"}):
        later = arranged("Und noch etwas anderes.", **{"to": "vera", **other})
        both = fold(cast_with(), mine, Turn("emre", says(later)), cast=("vera", "emre", "finn"))
        assert [event.by for event in both.events] == ["vera", "emre"], other


@pytest.mark.parametrize("order", [1, -1])
def test_a_promise_for_some_day_beside_an_appointment_of_the_same_reply_is_a_second_thing(order: int) -> None:
    both = arranged("Um elf messen wir neun Meter zwischen den Schwellen.", to="emre", due=1, time="11:00")
    mine = promise("Vera sagt Emre den Grund für neun Meter zwischen den Schwellen.", to="emre")
    opens = [both, mine][::order]
    folded = fold(cast_with(), Turn("vera", says(*opens)))
    assert [event.text for event in folded.events] == [one.text for one in opens]
    apart = fold(cast_with(), *(Turn("vera", says(one)) for one in opens))
    assert [event.kind for event in apart.events if event.event == "open"][-1:] == ["appointment"]
    assert len(apart.events) == (1 if order == 1 else 3)


def test_of_one_meeting_the_second_to_speak_may_add_the_time_and_the_place() -> None:
    one = replace(cast_with(), settings=Settings(places={"flur": "Lang."}))
    mine = Turn("vera", says(promise("Der Kaffee."), arranged("Wir sehen es uns an.", to="emre")))
    yours = Turn("emre", says(arranged("Um drei.", to="vera", time="15:00", place="flur")))
    folded = fold(one, mine, yours)
    assert [(event.by, event.time, event.place) for event in folded.events] == [
        ("vera", "", ""),
        ("vera", "15:00", "flur"),
    ]
    assert folded.warnings == ["emre: arranged already, kept once: 'Um drei.'"]


def test_a_text_may_name_the_place() -> None:
    one = replace(cast_with(), settings=Settings(places={"flur": "Lang.", "hall": ""}))
    said = (arranged("Um drei im Flur.", time="15:00"), arranged("Um vier, Flur oder Hall.", time="16:00"))
    assert [event.place for event in fold(one, Turn("vera", says(*said))).events] == ["flur", ""]


def test_a_time_of_today_that_is_over_is_left_out() -> None:
    def at(time: str, due: int | None = None) -> tuple[list[str], int]:
        afternoon = replace(scene("vera", "emre", type="ENCOUNTER"), time_of_day="afternoon")
        folded = fold_threads(cast_with(), afternoon, [Turn("vera", says(arranged(time=time, due=due)))], words)
        return [event.time for event in folded.events], len(folded.warnings)

    assert at("noon") == at("09:30") == ([""], 1)
    assert at("14:30") == (["14:30"], 0)
    assert at("09:30", due=2) == (["09:30"], 0)


MEETING = "Wir gehen die Schwelle im Flur durch."


def agreed(**others: Any) -> World:
    return cast_with(thread(1, "vera", "emre", kind="appointment", text=MEETING, due=1, **others))


def test_the_newer_word_about_a_meeting_of_the_same_people_on_a_day_replaces_the_older() -> None:
    old, new = fold(agreed(place="flur"), Turn("emre", says(arranged("Dann um drei.", to="vera", time="15:00")))).events
    assert (old.id, old.by, old.outcome) == ("thread-001", "emre", "replaced")
    assert (new.time, new.place, new.replaces) == ("15:00", "flur", "thread-001"), "the place stays as it was"


@pytest.mark.parametrize("name", ["vera", "emre"])
def test_a_meeting_that_is_arranged_again_in_nearly_the_same_words_is_kept_once(name: str) -> None:
    other = "emre" if name == "vera" else "vera"
    folded = fold(agreed(time="15:00"), Turn(name, says(arranged(f"Ja, {MEETING.lower()}", to=other))))
    assert (folded.events, len(folded.warnings)) == ([], 1)


def test_the_same_meeting_at_another_hour_is_moved_and_another_one_is_not() -> None:
    def at_four(text: str) -> list[tuple[str, str]]:
        folded = fold(agreed(time="15:00"), Turn("emre", says(arranged(text, to="vera", time="16:00"))))
        return [(event.event, event.outcome or event.time) for event in folded.events]

    assert at_four("Wir gehen die Schwelle im Flur erst um vier durch.") == [("close", "replaced"), ("open", "16:00")]
    assert at_four("Wir spielen um vier Tischtennis.") == [("open", "16:00")]


@pytest.mark.parametrize("other", [{"due": 2}, {"to": "finn"}])
def test_another_day_or_other_people_are_another_meeting(other: dict[str, Any]) -> None:
    turn = Turn("vera", says(arranged(MEETING, **{"to": "emre", "time": "15:00", **other})))
    folded = fold(agreed(time="15:00"), turn, cast=("vera", "emre", "finn"))
    assert [(event.event, event.replaces) for event in folded.events] == [("open", "")]


def round_of(name: str, to: str, **others: Any) -> Turn:
    return Turn(name, says(arranged(MEETING, to=to, **others)))


def test_who_names_its_own_round_anew_keeps_it_for_all() -> None:
    cast = ("vera", "emre", "finn")
    turns = [
        round_of("vera", "emre, finn", time="afternoon"),
        round_of("finn", "emre", time="15:00", place="flur"),
        Turn(
            "vera", says(arranged(f"{MEETING} Alle!", to="emre, finn", time="15:00", place="flur", replaces="here-1"))
        ),
    ]
    folded = fold(cast_with(), *turns, cast=cast)
    open_ = [one for one in fold_events((), folded.events) if one.is_open]
    assert [(one.people, one.time) for one in open_] == [(("vera", "emre", "finn"), "15:00")]


@pytest.mark.parametrize("named", ["", "thread-002"])
def test_a_round_whose_hour_becomes_known_takes_in_what_some_of_it_had_arranged_for_then(named: str) -> None:
    cast = ("vera", "emre", "finn")
    turns = [
        round_of("vera", "emre, finn", time="afternoon", place="flur"),
        round_of("finn", "emre", time="15:00", place="flur"),
        round_of("emre", "vera, finn", time="15:00", place="flur", replaces=named),
    ]
    folded = fold(cast_with(), *turns, cast=cast)
    assert [event.id for event in folded.events if event.event == "close"] == ["thread-002"]
    open_ = [one for one in fold_events((), folded.events) if one.is_open]
    assert [(one.id, one.people, one.time) for one in open_] == [("thread-001", cast, "15:00")]


def test_a_round_whose_hour_becomes_known_leaves_what_some_of_it_have_arranged_for_another_day() -> None:
    turns = [
        round_of("vera", "emre, finn", due=2, time="afternoon", place="flur"),
        round_of("finn", "emre", due=3, time="15:00", place="flur"),
        round_of("emre", "vera, finn", due=2, time="15:00", place="flur"),
    ]
    folded = fold(cast_with(), *turns, cast=("vera", "emre", "finn"))
    open_ = [(one.people, one.due, one.time) for one in fold_events((), folded.events) if one.is_open]
    assert open_ == [(("vera", "emre", "finn"), 2, "15:00"), (("finn", "emre"), 3, "15:00")]


def noted(*turns: Turn, cast: tuple[str, ...] = ("vera", "emre"), one: World | None = None) -> list[NotedThreads]:
    at = one or replace(cast_with(), settings=Settings(places={"flur": "Lang."}))
    return [noted_so_far(at, scene(*cast, type="ENCOUNTER"), turns, name, words) for name in cast]


def test_what_others_have_arranged_with_one_in_a_running_scene() -> None:
    told = noted(round_of("vera", "emre"), Turn("vera", says(promise())), cast=("vera", "emre", "finn"))
    assert [one.others for one in told] == [(), (Noted(MEETING),), ()]
    assert [one.id for one in told[0].own] == ["here-1", "here-2"]
    assert noted(Turn("vera", says())) == [NotedThreads(), NotedThreads()]


WITHOUT = "Leo schiebt am Dienstag den Gipsstaub weg."
AT_FOUR = Turn("emre", says(arranged("Um vier im Zeichenraum.", to="vera", due=2, time="16:00", place="flur")))


def test_what_two_arrange_is_noted_once_with_the_time_that_the_second_adds() -> None:
    hers = Turn("vera", says(promise("Kaffee."), arranged(WITHOUT, to="emre", due=2)))
    vera, emre = noted(hers, AT_FOUR)
    completed = {"text": WITHOUT, "time": "16:00", "place": "flur"}
    assert vera == NotedThreads((Noted("Kaffee.", "here-1"), Noted(id="here-2", **completed)))
    assert emre == NotedThreads((Noted(id="here-1", **completed),))
    again = Turn("vera", says(arranged(WITHOUT, to="emre", due=2, time="16:00")))
    assert noted(AT_FOUR, again)[0].own == (Noted("Um vier im Zeichenraum.", "here-1"),), "it has its time already"
    third = Turn("vera", says(arranged(WITHOUT, to="emre,finn", due=2)))
    fourth = Turn("finn", says(arranged("Um vier.", to="vera,emre", due=2, time="16:00")))
    assert noted(third, fourth, cast=("vera", "emre", "finn"))[1].others == (Noted(WITHOUT, time="16:00"),)


def test_what_is_left_out_closed_or_said_twice_is_not_noted_as_open() -> None:
    absent, twice = arranged(to="finn"), promise("Die Maße.")
    first = Turn("vera", says(absent, twice, twice, promise("Kaffee.")))
    vera, _ = noted(first, Turn("vera", says(closes=(("here-4", "kept"),))))
    assert vera.own == (Noted("Die Maße.", "here-2"),)
    known = cast_with(thread(1, "vera", text="Die Maße."))
    assert noted(Turn("vera", says(twice)), one=known)[0].own == (Noted("Die Maße.", "here-1"),)


def test_who_drops_what_another_has_arranged_as_well_takes_only_its_own_word_back() -> None:
    hers = Turn("vera", says(arranged(WITHOUT, to="emre", due=2)))
    dropped = says(closes=(("here-1", "dropped"),), text="Steht doppelt.")
    folded = fold(cast_with(), hers, AT_FOUR, Turn("vera", dropped))
    assert [(event.event, event.time) for event in folded.events] == [("open", "16:00")]
    assert folded.warnings[-1] == "vera: closes thread-001, which emre opened here as well; it stays open"
    vera, emre = noted(hers, AT_FOUR, Turn("vera", dropped))
    assert ([one.id for one in vera.own], [one.text for one in vera.others]) == ([], [WITHOUT])
    assert [one.id for one in emre.own] == ["here-1"]
    both = fold(cast_with(), hers, AT_FOUR, Turn("vera", dropped), Turn("emre", dropped))
    assert [(event.by, event.outcome) for event in both.events] == [("vera", ""), ("emre", "dropped")]


@pytest.mark.parametrize("outcome", ["kept", "broken"])
def test_any_other_end_of_what_both_have_arranged_counts(outcome: str) -> None:
    hers = Turn("vera", says(arranged(WITHOUT, to="emre", due=2)))
    folded = fold(cast_with(), hers, AT_FOUR, Turn("vera", says(closes=(("here-1", outcome),))))
    assert [event.outcome for event in folded.events] == ["", outcome]


def test_who_has_not_arranged_it_calls_it_off_for_all() -> None:
    known = cast_with(thread(1, "emre", "vera", kind="appointment", text=MEETING, due=2))
    again = Turn("emre", says(arranged(MEETING, to="vera", due=2)))
    folded = fold(known, again, Turn("vera", says(closes=(("thread-001", "dropped"),))))
    assert [(event.id, event.by, event.outcome) for event in folded.events] == [("thread-001", "vera", "dropped")]


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        (
            ("question", "vera", "Wie viele Leute stehen an der Wand?"),
            ("question", "emre", "Wie viele stehen an der Wand, fragt Vera."),
            "question",
        ),
        (
            ("question", "vera", "Wie viele Leute stehen an der Wand?"),
            ("promise", "emre", "Emre sagt, wie viele Leute an der Wand stehen."),
            "promise",
        ),
        (
            ("promise", "emre", "Emre sagt, wie viele Leute an der Wand stehen."),
            ("question", "vera", "Wie viele Leute stehen an der Wand?"),
            "promise",
        ),
        (
            ("question", "vera", "Wie viele Leute stehen mittags an der Wand, und zählt Emre sie mit?"),
            ("appointment", "emre", "Emre und Vera zählen, wie viele Leute mittags an der Wand stehen."),
            "appointment",
        ),
    ],
)
def test_a_question_and_its_answer_to_come_are_one_matter(
    first: tuple[str, str, str], second: tuple[str, str, str], left: str
) -> None:
    def turn(kind: str, name: str, text: str) -> Turn:
        other = "emre" if name == "vera" else "vera"
        return Turn(name, says({"kind": kind, "to": other, "text": text}))

    folded = fold(cast_with(), turn(*first), turn(*second))
    assert [one.kind for one in fold_events((), folded.events) if one.is_open] == [left]
    apart = fold(cast_with(), turn(*first), turn("promise", "emre", "Emre bringt Kuchen mit."))
    assert len([one for one in fold_events((), apart.events) if one.is_open]) == 2


@pytest.mark.parametrize("name", ["vera", "emre"])
def test_each_side_of_a_silence_can_end_it(name: str) -> None:
    kept = thread(1, "vera", "emre", kind="silence")
    (event,) = fold(cast_with(kept), Turn(name, says(closes=(("thread-001", "dropped"),)))).events
    assert (event.id, event.by, event.outcome) == ("thread-001", name, "dropped")


def test_what_is_promised_in_other_words_where_it_was_asked_for_grants_it_and_later_it_does_not() -> None:
    asked = "Vera hat Emre gebeten, Finn zu sagen, was beim Spiel herauskam: dass keiner an die Glut gedacht hat."
    granted = "Emre sagt Finn selbst, was das Spiel mit den Hölzern ergeben hat, woran also keiner gedacht hat."
    asks = Turn("vera", says({"kind": "question", "to": "emre", "text": asked}))
    promises = Turn("emre", says(promise(granted, to="vera")))

    def left(*turns: Turn, one: World) -> list[str]:
        return [item.kind for item in fold_events(one.threads, fold(one, *turns).events) if item.is_open]

    assert left(asks, promises, one=cast_with()) == ["promise"]
    assert left(promises, asks, one=cast_with()) == ["promise", "question"], "it was not asked for before"
    before = cast_with(thread(1, "vera", "emre", kind="question", text=asked))
    assert left(promises, one=before) == ["question", "promise"]
    elsewhere = Turn("emre", says(promise("Emre bringt das Spiel zurück.", to="vera")))
    assert left(asks, elsewhere, one=cast_with()) == ["question", "promise"]
    key = Turn("vera", says({"kind": "question", "to": "emre", "text": "Wer hat am Montag zur Probe den Schlüssel?"}))
    chairs = Turn("emre", says(promise("Emre bringt am Montag zur Probe drei Stühle mit.", to="vera")))
    assert left(key, chairs, one=cast_with()) == ["question", "promise"], "another matter on the same occasion"


def test_what_two_promise_each_other_for_the_same_clock_time_is_one() -> None:
    def turn(name: str, other: str, text: str, time: str = "14:45") -> Turn:
        return Turn(name, says(promise(text, to=other, due=1, time=time)))

    def kept(second: Turn) -> list[str]:
        first = turn("vera", "emre", "Vera holt Emre am Montag im Flur ab.")
        return [event.by for event in fold(cast_with(), first, second).events if event.event == "open"]

    assert kept(turn("emre", "vera", "Emre steht am Montag da und hat gegessen.")) == ["vera"]
    assert kept(turn("emre", "vera", "Emre steht am Montag da und hat gegessen.", "15:00")) == ["vera", "emre"]
    assert kept(turn("vera", "emre", "Vera bringt am Montag die Waage mit.")) == ["vera", "vera"]


def held(
    *turns: Turn, cast: tuple[str, ...] = ("vera", "emre"), one: World | None = None
) -> list[tuple[str, str, str]]:
    playing = replace(scene(*cast, type="ENCOUNTER"), answers=("thread-001",))
    folded = fold_threads(one or agreed(), playing, turns, words)
    return [(event.id, event.by, event.outcome or event.event) for event in folded.events]


def test_an_appointment_that_a_scene_was_played_for_is_kept() -> None:
    assert held(Turn("vera", says())) == [("thread-001", "gm", "kept")]


def test_an_appointment_is_not_held_without_one_who_could_have_come() -> None:
    three = cast_with(thread(1, "vera", "emre", "finn", kind="appointment", due=1))
    assert held(Turn("vera", says()), one=three) == []
    away = Settings(calendar=CalendarSettings(away=({"who": "finn", "day": 1},)))
    assert held(Turn("vera", says()), one=replace(three, settings=away)) == [("thread-001", "gm", "kept")]


def test_an_appointment_is_held_without_one_who_only_promised_something_for_it() -> None:
    meeting = thread(1, "vera", "emre", kind="appointment", due=1, time="15:00")
    lift = thread(2, "finn", "vera", due=1, time="15:00")
    assert held(Turn("vera", says()), one=cast_with(meeting, lift)) == [("thread-001", "gm", "kept")]


def test_its_people_have_the_first_word_about_an_appointment() -> None:
    assert held(Turn("vera", says(closes=(("thread-001", "dropped"),)))) == [("thread-001", "vera", "dropped")]
    moved = arranged("Lieber an einem anderen Tag.", to="emre", due=2, replaces="thread-001")
    assert held(Turn("vera", says(moved))) == [("thread-001", "vera", "replaced"), ("thread-002", "vera", "open")]


def test_who_meets_as_arranged_may_arrange_to_meet_again() -> None:
    again = Turn("vera", says(arranged("Heute noch einmal.", to="emre")))
    assert held(again) == [("thread-002", "vera", "open"), ("thread-001", "gm", "kept")]


def test_only_appointments_are_held() -> None:
    assert held(Turn("vera", says()), one=cast_with(thread(1, "vera", "emre"))) == []


def test_a_silence_has_no_day() -> None:
    (event,) = fold(cast_with(), Turn("vera", says(promise("Kein Wort davon.", kind="silence", due=3)))).events
    assert (event.kind, event.due) == ("silence", None)


def test_what_is_arranged_in_place_of_something_open_settles_it() -> None:
    one = cast_with(thread(1, "emre", "vera", kind="appointment", text="Wir treffen uns im Flur."))
    moved = arranged("Wir treffen uns im Flur.", to="emre", due=4, replaces="`thread-001`")
    old, new = fold(one, Turn("vera", says(moved))).events
    assert (old.id, old.event, old.by, old.outcome) == ("thread-001", "close", "vera", "replaced")
    assert old.text == words("thread_closed", outcome="replaced")
    assert (new.id, new.due, new.replaces) == ("thread-002", 4, "thread-001")


def test_both_sides_may_say_that_something_is_replaced() -> None:
    one = cast_with(thread(1, "emre", "vera", kind="appointment", text="Wir treffen uns im Flur.", due=1))
    mine = Turn("vera", says(arranged("Erst um vier.", to="emre", time="16:00", replaces="thread-001")))
    yours = Turn("emre", says(arranged("Um vier also.", to="vera", time="16:00", replaces="thread-001")))
    folded = fold(one, mine, yours)
    assert [(event.event, event.by) for event in folded.events] == [("close", "vera"), ("open", "vera")]
    assert folded.warnings == ["emre: arranged already, kept once: 'Um vier also.'"]


@pytest.mark.parametrize("which", ["thread-001", "thread-002", "thread-003", "thread-009", "die Verabredung"])
def test_nothing_is_replaced_that_is_not_open_or_not_theirs(which: str) -> None:
    one = cast_with(thread(1, "finn", "emre"), thread(2, outcome="kept"), thread(3, "vera", "emre", text="Anderes."))
    turn = Turn("vera", says(arranged(replaces=which), closes=(("thread-003", "kept"),)))
    folded = fold(one, turn)
    assert [event.replaces for event in folded.events if event.event == "open"] == [""]
    assert [event.outcome for event in folded.events if event.event == "close"] == ["kept"]
    assert len(folded.warnings) == 1


@pytest.mark.parametrize("name", ["vera", "emre"])
def test_either_side_may_settle_what_concerns_them(name: str) -> None:
    one = cast_with(thread(1, "vera", "emre", kind="question"))
    (event,) = fold(one, Turn(name, says(closes=(("`thread-001`", "answered"),)))).events
    assert event == ThreadEvent("thread-001", "day-001/scene-02", "close", name, "so", outcome="answered")


@pytest.mark.parametrize(
    ("who", "which"), [("finn", "thread-001"), ("vera", "thread-002"), ("vera", "thread-009"), ("vera", "die Maße")]
)
def test_no_character_closes_what_is_not_its_own_is_settled_or_does_not_exist(who: str, which: str) -> None:
    one = cast_with(thread(1, "vera", "emre"), thread(2, "vera", "emre", outcome="broken"))
    folded = fold(one, Turn(who, says(closes=((which, "kept"),))), cast=("vera", "emre", "finn"))
    assert (folded.events, len(folded.warnings)) == ([], 1)


def test_the_first_word_about_an_outcome_counts_and_the_same_word_twice_is_no_matter() -> None:
    one = cast_with(thread(1, "vera", "emre"))
    for second, warnings in (("kept", 0), ("broken", 1)):
        turns = [
            Turn("vera", says(closes=(("thread-001", "kept"),))),
            Turn("emre", says(closes=(("thread-001", second),))),
        ]
        folded = fold(one, *turns)
        assert [event.outcome for event in folded.events] == ["kept"]
        assert len(folded.warnings) == warnings


@pytest.mark.parametrize(
    ("kind", "said", "meant"),
    [
        ("promise", "answered", "kept"),
        ("question", "kept", "answered"),
        ("question", "broken", "dropped"),
        ("appointment", "answered", "kept"),
        ("silence", "answered", "kept"),
    ],
)
def test_an_outcome_of_the_other_kind_is_taken_as_it_is_meant(kind: str, said: str, meant: str) -> None:
    folded = fold(cast_with(thread(1, "vera", kind=kind)), Turn("vera", says(closes=(("thread-001", said),))))
    assert [event.outcome for event in folded.events] == [meant]


def test_a_settlement_without_words_gets_the_game_masters() -> None:
    (event,) = fold(cast_with(thread()), Turn("vera", says(closes=(("thread-001", "kept"),), text=" "))).events
    assert event.text == "<thread_closed> outcome=kept"


def test_what_was_settled_may_be_promised_anew_in_the_same_breath() -> None:
    again = promise("Ich bringe die Maße.", due=4)
    folded = fold(cast_with(thread(1, "vera", "emre")), Turn("vera", says(again, closes=(("thread-001", "broken"),))))
    assert [(event.id, event.event) for event in folded.events] == [("thread-001", "close"), ("thread-002", "open")]


def test_a_scene_lands_its_threads_and_names_them_in_its_line() -> None:
    turns = [Turn("vera", says(promise(to="emre", due=2))), Turn("emre", reply("Gut."))]
    change = fold_scene(cast_with(), scene("vera", "emre", type="ENCOUNTER"), turns, words, taken=never)
    assert change.line.record["threads"] == [
        {"id": "thread-001", "event": "open", "by": "vera", "kind": "promise", "due": 2}
    ]
    assert [item.id for item in advance(cast_with(), change).threads] == ["thread-001"]


def test_open_threads_are_seen_by_those_they_concern_the_most_urgent_first() -> None:
    one = cast_with(
        thread(1, "vera"),
        thread(2, "vera", "emre"),
        thread(3, "finn", "vera", due=4),
        thread(4, "vera", due=3),
        thread(5, "vera", due=2),
        thread(6, "vera", outcome="kept"),
        thread(7, "finn", "emre", due=1),
        day=3,
    )
    assert [item.number for item in open_threads_of(one, "vera", ("vera", "emre"))] == [5, 4, 2, 3, 1]
    assert [item.number for item in open_threads_of(one, "emre")] == [7, 2]


def settled(by: str = "emre", at: str = "day-002/scene-03", **others: Any) -> Thread:
    return thread(1, "vera", "emre", outcome="dropped", closed_by=by, touched=at, **others)


def unaware(one: Thread, *log: LogEntry, day: int = 3, days: int | None = 7) -> list[str]:
    """Who still takes the thread for open."""
    known = cast_with(one, day=day, log=list(log), days=days)
    seen = [name for name in known.agents if open_threads_of(known, name)]
    assert seen == [name for name in known.agents if not knows(known, one, name)]
    return seen


def test_who_was_not_there_when_it_was_settled_still_takes_it_for_open() -> None:
    assert unaware(settled(), entry(2, "WORK", "emre", "finn", scene=3)) == ["vera"]
    assert unaware(settled(), entry(2, "WORK", "emre", "vera", scene=3)) == []


def test_it_is_known_from_the_next_scene_with_the_one_who_settled_it_on() -> None:
    before = entry(2, "ENCOUNTER", "vera", "emre", scene=2)
    assert unaware(settled(), before, entry(2, "WORK", "emre", scene=3)) == ["vera"]
    assert unaware(settled(), before, entry(3, "ENCOUNTER", "vera", "emre", scene=2)) == []
    assert unaware(settled(), before, entry(3, "ENCOUNTER", "vera", "finn", scene=2)) == ["vera"]
    assert unaware(settled(), before, entry(3, "ARRIVAL", "vera", "emre", "finn", scene=1)) == ["vera"]


def test_everybody_knows_what_the_game_master_settled_and_what_a_person_outside_did() -> None:
    assert unaware(settled("gm")) == unaware(settled("somebody")) == []


def test_what_is_kept_by_hanging_something_up_is_known_to_all() -> None:
    log = [entry(2, "WORK", "emre", scene=3)]
    for post, taken_for_open in (
        (Post(0, "emre", "note", "The list", 2, 3, "gallery/planning/list.md"), []),
        (Post(0, "emre", "note", "The list", 2, 2, "gallery/planning/list.md"), ["vera"]),
        (Post(0, "emre", "note", "Only words", 2, 3), ["vera"]),
    ):
        known = replace(cast_with(settled(), day=3, log=log, days=7), posts=(post,))
        assert [name for name in known.agents if open_threads_of(known, name)] == taken_for_open


def test_after_some_days_no_character_thinks_of_it_any_more() -> None:
    assert [unaware(settled(), day=day) for day in (8, 9)] == [["vera"], []]
    assert unaware(settled(), day=99, days=None) == ["vera"]
    assert unaware(settled(at="bald"), day=99, days=None) == []


def test_what_is_settled_unknown_to_a_character_may_be_settled_or_replaced_again_without_a_word() -> None:
    one = cast_with(settled(), day=3)
    closed = fold(one, Turn("vera", says(closes=(("thread-001", "kept"),))), at="day-003/scene-01")
    assert ([(event.event, event.by, event.outcome) for event in closed.events], closed.warnings) == (
        [("close", "vera", "kept")],
        [],
    )
    (after,) = (item for item in fold_events(one.threads, closed.events) if item.id == "thread-001")
    assert after.closed_by != "vera", "who closed it first stays"
    assert knows(replace(one, threads=(after,)), after, "vera"), "what one has closed oneself is open no more"
    moved = fold(one, Turn("vera", says(arranged(to="emre", replaces="thread-001"))), at="day-003/scene-01")
    assert ([event.replaces for event in moved.events], moved.warnings) == ([""], [])


def test_a_logbook_written_by_hand_has_no_numbers_to_tell() -> None:
    odd: tuple[object, ...] = (None, 7, "thread-050", ["thread-060"], [{"id": 7}], [{}])
    lines = [entry(1, "WORK", "vera"), *(entry(1, "WORK", "vera", threads=item) for item in odd)]
    known = entry(1, "WORK", "vera", threads=[{"id": "thread-004"}])
    folded = fold(cast_with(log=[*lines, known]), Turn("vera", says(promise())))
    assert [event.id for event in folded.events] == ["thread-005"]


def warned(one: World, *turns: Turn) -> list[str]:
    return list(fold(one, *turns).warnings)


def test_what_cannot_be_closed_or_opened_is_told_in_words() -> None:
    mine = thread(1, "vera", "emre")
    settled = replace(thread(2, "vera", "emre"), outcome="kept")
    one = cast_with(mine, settled, thread(3, "finn", "emre"), day=1)
    assert warned(one, Turn("vera", says(closes=(("thread-009", "kept"),)))) == [
        "vera: closes 'thread-009', which does not exist"
    ]
    assert warned(one, Turn("vera", says(closes=(("thread-003", "kept"),)))) == [
        "vera: closes thread-003, which does not concern them; it stays as it is"
    ]
    assert warned(one, Turn("vera", says(closes=(("thread-002", "broken"),)))) == [
        "vera: closes thread-002 as broken, it is kept already"
    ]
    both = (
        Turn("vera", says(closes=(("thread-001", "kept"),))),
        Turn("emre", says(closes=(("`thread-001`", "broken"),))),
    )
    assert warned(one, *both) == ["emre: closes thread-001 as broken, it is kept already"]


def test_a_promise_that_is_kept_once_or_without_its_day_is_told_with_its_beginning() -> None:
    one, long = cast_with(day=1), "x" * 61
    twice = Turn("vera", says(promise("x" * 60), promise("x" * 60)))
    assert warned(one, twice) == [f"vera: opened already, kept once: '{'x' * 60}'"]
    assert warned(one, Turn("vera", says(promise(long, due=0)))) == [
        f"vera: due on day 0, which is over; kept without a day: '{'x' * 59}…'"
    ]
    assert "which is years away" in warned(one, Turn("vera", says(promise(long, due=9999))))[0]
    assert warned(one, Turn("vera", says(promise(due=1)))) == []


def test_several_things_that_are_opened_in_a_scene_have_numbers_of_their_own() -> None:
    folded = fold(cast_with(), Turn("vera", says(promise("Die Maße."), promise("Der Kaffee für alle."))))
    assert [event.id for event in folded.events] == ["thread-001", "thread-002"]


def test_a_day_may_be_named_or_left_out_for_the_same_thing_and_the_last_day_is_a_day() -> None:
    one = cast_with(day=1)
    for first, second in ((None, 5), (5, None), (5, 5)):
        turn = Turn("vera", says(promise("Die Maße.", due=first), promise("Die Maße.", due=second)))
        assert len(fold(one, turn).events) == 1
    last = fold(one, Turn("vera", says(promise(due=1 + MOST_DAYS_AHEAD)))).events
    over = fold(one, Turn("vera", says(promise(due=2 + MOST_DAYS_AHEAD)))).events
    assert [event.due for event in (*last, *over)] == [1 + MOST_DAYS_AHEAD, None]


@pytest.mark.parametrize(("first", "second"), [(5, 5), (None, 5), (5, None), (None, None)])
def test_other_words_for_a_thing_are_the_same_thing_unless_both_name_a_day_and_not_the_same(
    first: int | None, second: int | None
) -> None:
    said = promise("Ich bringe Emre die Zeichnung der Schwelle.", due=first)
    again = promise("Die Zeichnung der Schwelle bringe ich dem Emre!", due=second)
    assert len(fold(cast_with(), Turn("vera", says(said, again))).events) == 1


@pytest.mark.parametrize(
    ("first", "second", "opened"),
    [
        ("Zeichne Schwelle gerade.", "Schwelle zeichne gerade", 1),  # three words that carry meaning are enough
        ("Zeichne Schwelle um.", "Schwelle zeichne um", 2),  # two are not
        ("Zeichne Schwelle gerade heute", "Heute zeichne Schwelle gerade, unbedingt", 1),  # four of five
        ("Zeichne Schwelle gerade heute", "Zeichne Schwelle gerade morgen", 2),  # three of five
    ],
)
def test_four_of_five_words_in_common_are_nearly_all(first: str, second: str, opened: int) -> None:
    turn = Turn("vera", says(promise(first), promise(second)))
    assert len(fold(cast_with(), turn).events) == opened


@pytest.mark.parametrize(
    "text", ["Ich verspreche dir Gericht Nummer {n}.", "Ich verspreche dir das Gericht wort{n}lang."]
)
def test_a_thousand_promises_are_not_compared_each_with_each(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    split: list[str] = []

    def noted(text: str) -> frozenset[str]:
        split.append(text)  # twice for each promise, and once for each comparison
        return content_words(text)

    monkeypatch.setattr("gm.scene.threads.verdict.content_words", noted)
    opens = [promise(text.replace("{n}", str(number))) for number in range(1000)]
    folded = fold(cast_with(), Turn("vera", says(*opens)))
    assert len(folded.events) + len(folded.warnings) == 1000
    assert folded.events
    assert 1000 < len(split) <= 12 * 1000


def test_the_numbers_of_the_past_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[World] = []
    next_number = changes.next_number

    def counted(one: World) -> int:
        asked.append(one)
        return next_number(one)

    monkeypatch.setattr(changes, "next_number", counted)
    folded = fold(cast_with(), Turn("vera", says(*(promise(f"Gericht {number}") for number in range(50)))))
    assert [event.id for event in folded.events][-1] == "thread-050"
    assert len(asked) == 1


def test_what_was_opened_in_the_scene_is_closed_by_its_number() -> None:
    asked = Turn("vera", says(Opened(kind="question", to="emre", text="Wie breit ist die Tür?"), promise("Brot")))
    over = Turn("vera", says(closes=(("here-1", "answered"), ("here-2", "kept"))))
    folded = fold(cast_with(), asked, Turn("emre", says()), over)
    told = [(event.id, event.event, event.outcome) for event in folded.events]
    opened = [("thread-001", "open", ""), ("thread-002", "open", "")]
    assert told == [*opened, ("thread-001", "close", "answered"), ("thread-002", "close", "kept")]
    assert not folded.warnings


def test_what_was_opened_in_the_scene_is_replaced_by_its_number() -> None:
    first = Turn("vera", says(promise("Brot am Montag")))
    folded = fold(cast_with(), first, Turn("vera", says(promise("Kuchen bis acht", replaces="here-1"))))
    told = [(event.id, event.event, event.outcome, event.replaces) for event in folded.events]
    assert told == [
        ("thread-001", "open", "", ""),
        ("thread-001", "close", "replaced", ""),
        ("thread-002", "open", "", "thread-001"),
    ]
    assert not folded.warnings


@pytest.mark.parametrize("number", ["here-0", "here-3", "here-x", "here-1"])
def test_a_number_that_names_nothing_opened_here_closes_nothing(number: str) -> None:
    silent = Turn("vera", SceneReply(mood="still", opens=[promise("Brot")]))
    folded = fold(
        cast_with(), silent, Turn("vera", SceneReply(mood="still", closes=[Closed(id=number, outcome="kept", text="")]))
    )
    assert folded.events == []
    assert f"'{number}', which does not exist" in folded.warnings[-1]


READS = "Emre liest Vera am Mittwoch um zwei alle Zettel vom Probelauf vor."
MEETS = "Emre liest Vera am Mittwoch um zwei die Antworten vom Probelauf vor, ohne Namen, alle Zettel."


def test_an_appointment_carries_the_promise_that_says_the_same() -> None:
    known = thread(1, "emre", "vera", text=READS, due=3)
    others = (thread(2, "emre", "vera", text="Emre gießt die Tomaten.", due=3), replace(known, id="thread-003", due=4))
    arranged = promise(MEETS, kind="appointment", due=3, to="Vera")
    folded = fold(cast_with(known, *others), Turn("emre", says(arranged)))
    assert [(event.id, event.event, event.outcome) for event in folded.events] == [
        ("thread-001", "close", "replaced"),
        ("thread-004", "open", ""),
    ]
    assert (folded.events[1].time, folded.events[1].replaces) == ("14:00", "thread-001")


def test_a_promise_that_says_what_is_arranged_is_not_noted_again() -> None:
    both = says(promise(MEETS, kind="appointment", due=3), promise(READS, due=3))
    folded = fold(cast_with(), Turn("emre", both))
    assert [event.kind for event in folded.events] == ["appointment"]
    assert "arranged already, kept once" in folded.warnings[0]
    first = says(promise(READS, due=3), promise(MEETS, kind="appointment", due=3))
    assert [event.outcome for event in fold(cast_with(), Turn("emre", first)).events] == ["", "replaced", ""]
    alone = replace(thread(1, "emre", text=READS, due=3), to=())
    assert len(fold(cast_with(alone), Turn("emre", says(promise(MEETS, kind="appointment", due=3)))).events) == 1
    with_finn = thread(1, "emre", "vera", "finn", text=READS, due=3)
    assert len(fold(cast_with(with_finn), Turn("emre", says(promise(MEETS, kind="appointment", due=3)))).events) == 1


BRINGS = "Vera bringt am Mittwoch einen trockenen Rinderknochen mit."
EATS = "Nami und Vera essen zusammen in der Schallkammer."


READS_ANEW = "Vera liest Emre die neue Fassung von »Der Platz ist noch warm« vor, und Emre sagt ihr, wer darin fehlt."
LISTENS = "Vera liest Emre ihre halbe Seite zur Frau vor, die alles abzählt, und Emre sagt, wer darin fehlt."


@pytest.mark.parametrize("place", ["flur", ""])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_promise_for_the_place_and_time_of_day_at_which_the_same_two_meet_needs_few_of_the_same_words(
    is_first: bool, place: str
) -> None:
    at = {"due": 3, "time": "morning", "place": place}
    reads = Turn("vera", says(promise(READS_ANEW, **at, to="emre")))
    listens = Turn("emre", says(promise(LISTENS, kind="appointment", **at, to="vera")))
    one = replace(cast_with(), settings=Settings(places={"flur": ""}))
    folded = fold(one, *((reads, listens) if is_first else (listens, reads)))
    still_open = [event.text for event in fold_events((), folded.events) if event.is_open]
    assert sorted(still_open) == ([LISTENS] if place else [READS_ANEW, LISTENS])


@pytest.mark.parametrize("is_first", [True, False])
def test_a_promise_for_the_hour_at_which_the_same_two_meet_is_that_meeting_in_any_words(is_first: bool) -> None:
    brings = Turn("vera", says(promise(BRINGS, due=3, time="12:00", to="emre")))
    eats = Turn("emre", says(promise(EATS, kind="appointment", due=3, time="12:00", place="flur", to="vera")))
    folded = fold(cast_with(), *((brings, eats) if is_first else (eats, brings)))
    assert [one.text for one in fold_events((), folded.events) if one.is_open] == [EATS]


@pytest.mark.parametrize(
    "other",
    [{"time": "13:00"}, {"time": "noon"}, {"place": "flur"}, {"due": 4}, {"to": "emre, finn"}],
    ids=["another hour", "no clock", "another place", "another day", "others"],
)
def test_any_other_promise_is_no_meeting(other: dict[str, Any]) -> None:
    one = replace(cast_with(), settings=Settings(places={"flur": "", "hall": ""}))
    said = promise(BRINGS, **{"due": 3, "time": "12:00", "to": "emre", **other})
    eats = promise(EATS, kind="appointment", due=3, time="12:00", place="hall", to="vera")
    folded = fold(one, Turn("vera", says(said)), Turn("emre", says(eats)), cast=("vera", "emre", "finn"))
    assert [event.event for event in folded.events] == ["open", "open"]


def test_a_promise_for_a_part_of_the_day_is_no_meeting_in_it() -> None:
    turns = (
        Turn("vera", says(promise(BRINGS, due=3, time="noon", to="emre"))),
        Turn("emre", says(promise(EATS, kind="appointment", due=3, time="noon", to="vera"))),
    )
    assert [event.event for event in fold(cast_with(), *turns).events] == ["open", "open"]


def test_of_one_reply_a_promise_in_other_words_is_a_second_thing() -> None:
    both = (promise(EATS, kind="appointment", due=3, time="12:00"), promise(BRINGS, due=3, time="12:00"))
    assert [event.event for event in fold(cast_with(), Turn("vera", says(*both))).events] == ["open", "open"]


@pytest.mark.parametrize(
    ("said", "text", "time"),
    [
        ("", "Wir treffen uns um halb drei im Flur.", "14:30"),
        ("afternoon", "Wir treffen uns um halb drei im Flur.", "14:30"),
        ("morning", "Wir treffen uns um halb drei im Flur.", "morning"),
        ("16:00", "Wir treffen uns um halb drei im Flur.", "16:00"),
        ("", "Wir reden bis vier.", ""),
        ("", "Wir reden am Nachmittag.", ""),
    ],
)
def test_an_appointment_is_at_the_clock_time_that_its_text_names(said: str, text: str, time: str) -> None:
    folded = fold(cast_with(), Turn("emre", says(promise(text, kind="appointment", due=2, time=said))))
    assert [event.time for event in folded.events] == [time]


def test_a_clock_time_that_has_passed_in_the_scene_is_over() -> None:
    def arranged(time: str) -> str:
        late = scene("vera", "emre", type="ENCOUNTER", at="day-001/scene-02", time="afternoon", clock="15:00")
        reply = says(promise("Wir messen nach.", kind="appointment", time=time))
        (event,) = fold_threads(cast_with(), late, [Turn("emre", reply)], words).events
        return event.time

    assert [arranged("14:30"), arranged("15:30"), arranged("afternoon"), arranged("noon")] == [
        "",
        "15:30",
        "afternoon",
        "",
    ]
