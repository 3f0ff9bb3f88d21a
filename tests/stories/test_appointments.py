"""What is arranged happens when and where it was arranged; what is settled is so only to those who have heard of it."""

from __future__ import annotations

from typing import Any

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.model.thread import Thread
from gm.play.report import Report
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Scripted, about, letter, play, play_with, records, set_sections

MATTER = "Wir lassen im Flur das Licht aus und hören die Schritte."
Said = dict[tuple[int, str], dict[str, Any]]
"""What a character adds to its reply on the morning of a day, by the day and its id."""


def mornings(said: Said) -> Scripted:
    """Let characters open or settle something on arriving, and nothing else ever."""

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "closes" not in reply:
            return reply
        scene = about(request).scene
        mine = said.get((scene.ref.day, request.who), {}) if scene.type.name == "ARRIVAL" else {}
        aloud = {"dialogue": [{"to": None, "text": "So."}]} if mine else {}
        return {**reply, "opens": [], "closes": [], **aloud, **mine}

    return Scripted(change)


def opening(kind: str, to: str | None, text: str, **values: Any) -> dict[str, Any]:
    more = {"due": None, "time": "", "place": "", "replaces": "", **values}
    return {"opens": [{"kind": kind, "to": to, "text": text, **more}]}


def threads_of(layout: Layout, kind: str) -> list[Thread]:
    return [one for one in load_world(layout).world.threads if one.kind == kind]


def scene_for(layout: Layout, day: int, thread: Thread) -> dict[str, Any]:
    (played,) = (line for line in records(layout.day_log(day)) if thread.id in line.get("answers", ()))
    return played


def letters_in(backend: Scripted, place: str) -> dict[str, str]:
    """The first letter of each character in a scene."""
    found: dict[str, str] = {}
    for request in backend.asked:
        if request.place == place and request.who:
            found.setdefault(request.who, letter(request))
    return found


def test_two_meet_at_the_time_and_the_place_that_they_agreed_and_both_letters_say_so(studio: Layout) -> None:
    agreed = opening("appointment", "emre", MATTER, time="15:00", place="flur")
    backend = mornings({(1, "vera"): agreed})
    play(studio, backend=backend)
    (thread,) = threads_of(studio, "appointment")
    played = scene_for(studio, 1, thread)
    assert (played["time_of_day"], played["clock"], played["location"]) == ("afternoon", "15:00", "flur")
    assert set(played["participants"]) == {"vera", "emre"}
    letters = letters_in(backend, f"day-001/scene-{played['scene']:02d}")
    assert set(letters) == {"vera", "emre"}
    for text in letters.values():
        assert "Tag 1, Montag, 15:00." in text
        assert "Ort: flur" in text
        assert text.count(MATTER) == 1, "said once"
        assert f"`{thread.id}` heute, 15:00, flur" in text
    assert (thread.outcome, thread.closed_by) == ("kept", "gm")


def test_what_both_say_in_their_own_words_is_one_appointment_and_the_later_word_moves_it(studio: Layout) -> None:
    backend = mornings(
        {
            (1, "vera"): opening("appointment", "emre", MATTER, due=2, time="15:00", place="flur"),
            (1, "emre"): opening("appointment", "vera", "Vera und ich gehen am Dienstag den Flur ab.", due=2),
            (2, "emre"): opening("appointment", "vera", "Lieber erst abends.", time="evening", replaces="thread-001"),
        }
    )
    play(studio, days=2, backend=backend)
    old, new = threads_of(studio, "appointment")
    assert ({*old.people}, old.time, old.place) == ({"vera", "emre"}, "15:00", "flur")
    assert (old.outcome, old.closed_by) == ("replaced", "emre")
    assert (new.replaces, new.outcome) == (old.id, "kept")
    assert scene_for(studio, 2, new)["time_of_day"] == "evening"


PROBES = "Darius hört die Proben im Dunkeln."


def test_who_is_to_be_fetched_reads_who_has_arranged_it_and_is_there_on_the_day(studio: Layout) -> None:
    probes = opening("appointment", "darius,finn", PROBES, due=2, time="09:00", place="schallkammer")["opens"]

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "closes" not in reply:
            return reply
        said = about(request).scene
        mine = said.ref.day == 1 and request.who == "nami" and set(said.cast) == {"nami", "finn"}
        aloud = {"dialogue": [{"to": "finn", "text": "Hol Darius dazu."}]} if mine else {}
        return {**reply, "closes": [], **aloud, "opens": probes if mine else []}

    backend = Scripted(change)
    play_with(
        studio, backend, Report(), lambda master: master.play_requested(SceneRequest("encounter", ("nami", "finn")))
    )
    play(studio, days=2, backend=backend)
    (thread,) = threads_of(studio, "appointment")
    assert thread.people == ("nami", "finn", "darius")
    line = f"`{thread.id}` Dienstag, Tag 2, 09:00, schallkammer, mit Nami, Finn"
    shown = {request.who: letter(request) for request in backend.asked if about(request).scene.ref.day == 1}
    assert f"{line} (von Nami so ausgemacht; du sollst dazukommen): {PROBES}" in shown["darius"]
    assert f"`{thread.id}` Dienstag, Tag 2, 09:00, schallkammer, mit Nami, Darius: {PROBES}" in shown["finn"]
    assert PROBES not in shown["vera"]
    played = scene_for(studio, 2, thread)
    assert (set(played["participants"]), thread.outcome) == ({"nami", "finn", "darius"}, "kept")


def test_who_has_promised_something_for_its_hour_is_there_and_reads_its_promise(studio: Layout) -> None:
    lift = "Tobi sperrt am Montag um fünf vor drei den Aufzug und schreibt mit."
    probe = "Darius und Finn knien am Montag um drei vor dem Herd im Flur."
    backend = mornings(
        {
            (1, "nami"): opening("appointment", "finn,darius", probe, due=1, time="15:00", place="flur"),
            (1, "tobi"): opening("promise", "finn,nami,darius", lift, due=1, time="14:55", place="flur"),
            (1, "darius"): opening(
                "promise",
                "tobi",
                "Darius lässt nach der Knieprobe um drei den Krepp im Flur liegen.",
                due=1,
                time="15:00",
                place="flur",
            ),
        }
    )
    play(studio, backend=backend)
    (meeting,) = threads_of(studio, "appointment")
    promised = {one.by: one for one in threads_of(studio, "promise")}
    played, later = (scene_for(studio, 1, one) for one in (meeting, promised["darius"]))
    assert set(played["participants"]) == {"nami", "finn", "darius", "tobi"}
    assert played["answers"] == [meeting.id, promised["tobi"].id]
    assert played["clock"] == "15:00"
    assert later["scene"] > played["scene"], "it comes after the test"
    letters = letters_in(backend, f"day-001/scene-{played['scene']:02d}")
    told = f"Du hast Darius, Finn, Nami heute etwas zugesagt: »{lift}«"
    assert [name for name, text in letters.items() if told in text] == ["tobi"]


def test_a_silence_is_shown_and_nothing_is_due_about_it(studio: Layout) -> None:
    text = "Vera verrät niemandem, wer das Licht ausgemacht hat."
    backend = mornings({(1, "vera"): opening("silence", "emre", text, due=1)})
    play(studio, days=2, backend=backend)
    (thread,) = threads_of(studio, "silence")
    assert thread.is_open
    shown = letters_in(backend, "day-002/scene-01")
    assert text in shown["vera"]
    assert text in shown["emre"]
    assert not any(text in shown[name] for name in shown if name not in ("vera", "emre"))
    assert not any(thread.id in line.get("answers", ()) for day in (1, 2) for line in records(studio.day_log(day)))
    assert "überfällig" not in shown["vera"]


def test_tomorrow_is_called_by_its_name_when_it_is_over(studio: Layout) -> None:
    backend = mornings({(1, "vera"): opening("promise", "emre", "Vera bringt Emre morgen die Maße.", due=2)})
    play(studio, days=3, backend=backend)
    shown = letters_in(backend, "day-003/scene-01")["emre"]
    assert "Vera bringt Emre am Dienstag die Maße." in shown
    assert "überfällig seit Dienstag" in shown


def test_who_has_not_heard_that_something_is_settled_takes_it_for_open_until_the_two_meet(studio: Layout) -> None:
    text = "Darius hält Finn das Maßband."
    settled = {"closes": [{"id": "thread-001", "outcome": "dropped", "text": "Das Maßband ist weg."}]}
    backend = mornings({(1, "darius"): opening("promise", "finn", text), (2, "darius"): settled})
    play(studio, days=4, backend=backend)
    (thread,) = threads_of(studio, "promise")
    assert (thread.outcome, thread.closed_by, thread.touched) == ("dropped", "darius", "day-002/scene-01")
    met = next(
        f"day-{day:03d}/scene-{line['scene']:02d}"
        for day in (2, 3, 4)
        for line in records(studio.day_log(day))
        if line["type"] not in ("ARRIVAL", "SUMMARY") and {"darius", "finn"} <= {*line["participants"]}
    )
    told = "Für Darius ist es erledigt: »Das Maßband ist weg.«"
    for request in backend.asked:
        if request.who == "finn" and request.place > thread.touched and about(request).kind == "scene":
            shown = letter(request)
            assert (f"`{thread.id}`" in shown) == (request.place <= met), request.place
            assert (told in shown) == (request.place == met), request.place


def test_what_is_arranged_in_words_comes_before_what_has_a_later_clock(studio: Layout) -> None:
    early = "Vera und Emre klären bis vier, ob die Schwelle hohl klingt."
    late = "Finn und Nami gehen um halb fünf durch den Flur."
    backend = mornings(
        {
            (1, "finn"): opening("appointment", "nami", late, time="afternoon"),
            (1, "vera"): opening("appointment", "emre", early),
        }
    )
    play(studio, backend=backend)
    first, second = (
        scene_for(studio, 1, next(one for one in threads_of(studio, "appointment") if one.text == text))
        for text in (early, late)
    )
    assert first["scene"] < second["scene"]
    assert second["clock"] == "16:30"
    letters = letters_in(backend, f"day-001/scene-{second['scene']:02d}")
    assert all("Tag 1, Montag, 16:30." in text for text in letters.values())
    after = [line for line in records(studio.day_log(1)) if line.get("scene", 0) > second["scene"]]
    assert all(line["time_of_day"] in ("afternoon", "evening") for line in after if line["type"] != "SUMMARY")


def test_a_promise_for_tonight_has_its_scene_tonight(studio: Layout) -> None:
    text = "Vera liest Emre heute Abend die Hausordnung vor."
    backend = mornings({(1, "vera"): opening("promise", "emre", text, due=1)})
    play(studio, backend=backend)
    (thread,) = threads_of(studio, "promise")
    played = scene_for(studio, 1, thread)
    assert (played["time_of_day"], set(played["participants"])) == ("evening", {"vera", "emre"})
    for letter_ in letters_in(backend, f"day-001/scene-{played['scene']:02d}").values():
        assert "Tag 1, Montag, abends." in letter_
        assert "Wie zugesagt treffen sich Vera und Emre" in letter_
        assert letter_.count("liest Emre") == 1, "said once"
    assert thread.outcome == "", "whether she has kept it, she says herself"


def test_a_matter_that_is_promised_and_arranged_stands_once_in_the_letters(studio: Layout) -> None:
    both = opening("promise", "emre", "Vera liest Emre die sieben Sätze der Hausordnung vor.", due=2)
    arranged = "Vera liest Emre um drei die sieben Sätze der Hausordnung vor, laut."
    both["opens"] += opening("appointment", "emre", arranged, due=2)["opens"]
    backend = mornings({(1, "vera"): both})
    play(studio, backend=backend)
    (appointment,) = threads_of(studio, "appointment")
    (promise,) = threads_of(studio, "promise")
    assert (promise.outcome, appointment.replaces, appointment.time) == ("replaced", promise.id, "15:00")
    later = [
        letter(request) for request in backend.asked if request.who == "emre" and request.place > "day-001/scene-01"
    ]
    assert later
    assert all(text.count("die sieben Sätze der Hausordnung") <= 1 for text in later)


def test_a_promise_about_a_third_character_is_kept_with_that_one_who_does_not_know_of_it(studio: Layout) -> None:
    text = "Vera sagt Finn am Montag um drei, was mit dem Maßband war."
    backend = mornings({(1, "vera"): opening("promise", "emre", text, due=1)})
    play(studio, backend=backend)
    (thread,) = threads_of(studio, "promise")
    played = scene_for(studio, 1, thread)
    assert (played["clock"], played["participants"]) == ("15:00", ["vera", "finn"])
    letters = letters_in(backend, f"day-001/scene-{played['scene']:02d}")
    assert ("Maßband" in letters["vera"], "Maßband" in letters["finn"]) == (True, False)
    assert f"Du hast Emre heute etwas zugesagt: »{text}«" in letters["vera"]


def test_who_calls_all_together_in_its_plan_has_a_meeting_then_and_there(studio: Layout) -> None:
    call = {"to": "all", "about": "der Wochenplan, im Stehen", "time": "09:30", "place": "flur"}

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        reply = {**reply, "opens": [], "closes": []} if "opens" in reply else reply
        talks = [call] if request.who == "tobi" else []
        return {**reply, "plan": {**reply["plan"], "talk_to": talks}} if reply.get("plan") else reply

    backend = Scripted(change)
    play(studio, days=2, backend=backend)
    # on the first day the brief on the board is talked over in the morning
    (called,) = (line for line in records(studio.day_log(2)) if line["type"] == "MEETING")
    letters = letters_in(backend, f"day-002/scene-{called['scene']:02d}")
    assert set(letters) == {*studio.agent_names()}
    for text in letters.values():
        assert "Tag 2, Dienstag, 09:30." in text
        assert "Ort: flur" in text
        assert "Tobi hat alle zusammengerufen." in text
    assert "Mit allen sprechen: der Wochenplan, im Stehen (09:30, flur)\n" in letters["tobi"]


def test_a_promise_with_a_place_has_its_scene_there(studio: Layout) -> None:
    text = "Vera zeigt Emre, wo die Mulde liegt."
    backend = mornings({(1, "vera"): opening("promise", "emre", text, due=1, time="15:00", place="flur")})
    play(studio, backend=backend)
    (thread,) = threads_of(studio, "promise")
    letters = letters_in(backend, f"day-001/scene-{scene_for(studio, 1, thread)['scene']:02d}")
    assert set(letters) == {"vera", "emre"}
    assert all("Tag 1, Montag, 15:00." in shown and "Ort: flur" in shown for shown in letters.values())


def test_a_promise_for_friday_does_not_bring_the_two_together_day_after_day(studio: Layout) -> None:
    text = "Vera sagt Emre bis Freitag, was sie gehört hat."
    backend = mornings({(1, "vera"): opening("promise", "emre", text, due=5)})
    play(studio, days=5, backend=backend)
    told = f"etwas zugesagt: »{text}«"
    days = {about(request).scene.ref.day for request in backend.asked if told in letter(request)}
    assert days <= {4, 5}
    assert 5 in days


def test_that_a_promise_is_let_go_is_said_to_both_once(studio: Layout) -> None:
    set_sections(studio.settings, "threads: {days: 2}\n")
    text = "Vera bringt Emre die Maße der Schwelle."
    backend = mornings({(1, "vera"): opening("promise", "emre", text)})
    play(studio, days=6, backend=backend)
    (thread,) = threads_of(studio, "promise")
    assert (thread.outcome, thread.closed_by) == ("dropped", "gm")
    day = int(thread.touched[4:7]) + 1
    shown = letters_in(backend, f"day-{day:03d}/scene-01")
    told = "## Nicht mehr offen"
    for name in ("vera", "emre"):
        assert f"- {text}\n" in shown[name].partition(told)[2], name
        assert not any(
            text in letter(request)
            for request in backend.asked
            if request.who == name and request.place > f"day-{day:03d}/scene-01"
        )
    assert not any(text in shown[name] for name in shown if name not in ("vera", "emre"))
