"""What players of a cast missed in their letters, and how the letters say it now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.off_scene import render_evening
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import CalendarSettings, Settings
from gm.files.packaged.shipped import shipped_prompts
from gm.memory.retrieve import Selection
from gm.model.clock import NOTE, Post
from gm.model.scene import Scene
from gm.model.solo_replies import DiaryReply
from gm.model.thread import fold_events
from gm.model.world import World
from gm.scene.candidates.threads import thread_values
from gm.scene.dialogue.turns import Spoken
from gm.scene.evening.off_scene import close_evening
from gm.scene.folding.conversation import EarlierTalk, earlier_talk
from gm.scene.threads.awareness import open_threads_of
from tests.build import agent, entry, node, scene, thread, world

PROMPTS = {language: Prompts(Path("no-prompts-here"), shipped_prompts(), language) for language in ("de", "en")}
SHEET = "gallery/planning/sheet.md"
NOON = "Mit Nami sprechen: Suppe (mittags, hall)"
OPEN = "Mit Emre sprechen: die Tür"
PLAN = node(
    2,
    agent="vera",
    type="plan",
    tags=["plan"],
    created="day-001/scene-01",
    metadata={
        "kind": "plan",
        "items": [
            {"text": NOON, "kind": "talk", "with": "nami", "time": "noon", "place": "hall"},
            {"text": OPEN, "kind": "talk", "with": "emre"},
        ],
    },
)


def house(language: str = "de", **more: Any) -> World:
    vera = agent("vera", plan=[NOON, OPEN], stream=[PLAN], home="hall")
    settings = Settings(language=language, places={"hall": "Wide and cold."})
    there = world(vera, agent("emre"), agent("nami"), day=1, settings=settings)
    return replace(there, scene_types=PROMPTS[language].scene_types(), **more)


def letter(one: World, played: Scene, moment: TurnContext) -> str:
    return Assembler(PROMPTS[one.settings.language]).question(one, one.agents["vera"], played, moment)


def talk(one: World, time: str = "afternoon") -> Scene:
    return scene("vera", "emre", type="ENCOUNTER", at="day-001/scene-04", time=time, place="hall")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "(offen; zu dieser Zeit war Nami für sich und du auch; hingegangen ist keiner)"),
        ("en", "(open; at that time Nami was alone, and so were you; neither went to the other)"),
    ],
)
def test_a_planned_talk_whose_time_is_over_is_marked_as_that(language: str, said: str) -> None:
    one = house(language)
    assert f"1. {NOON} {said}" in letter(one, talk(one), TurnContext())
    assert said not in letter(one, talk(one, "noon"), TurnContext())
    assert f"2. {OPEN}\n" in letter(one, talk(one), TurnContext())
    with_nami = scene("vera", "nami", type="ENCOUNTER", at="day-001/scene-04", time="afternoon", place="hall")
    assert said not in letter(one, with_nami, TurnContext()), "it may be held now"
    assert f"1. {NOON} {said}" in render_evening(PROMPTS[language], one, one.agents["vera"], frozenset())


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "zu dieser Zeit wart ihr beide in einer großen Runde (hall)"),
        ("en", "at that time you were both in a larger round (hall)"),
    ],
)
def test_a_round_of_many_is_why_a_planned_talk_was_not_held(language: str, said: str) -> None:
    log = (entry(1, "MEETING", "vera", "emre", "nami", "finn", scene=2, time_of_day="noon"),)
    one = house(language, log=log)
    assert said in letter(one, talk(one), TurnContext())


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "(offen; Nami ist heute nicht im Haus)"), ("en", "(open; Nami is not in the house today)")],
)
def test_a_planned_talk_was_not_held_because_the_other_could_not_be_met(language: str, said: str) -> None:
    one = house(language)
    away = CalendarSettings(away=({"who": "nami", "day": 1, "how": "off"},))
    gone = replace(one, settings=replace(one.settings, calendar=away))
    assert said in letter(gone, talk(gone), TurnContext())


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "einen anderen Raum, dann geh hinüber. Leere Liste in `audience` heißt: Wer später vorbeikommt"),
        ("en", "another room, go there. In `audience`, an empty list means that people who come by later"),
    ],
)
def test_a_lone_worker_may_go_to_the_work_and_knows_its_reader(language: str, said: str) -> None:
    one = house(language)
    kind = one.scene_types["WORK"]
    alone = replace(scene("vera", type="WORK", at="day-001/scene-04", place="hall"), type=kind)
    assert said in letter(one, alone, TurnContext())
    assert said not in letter(one, replace(alone, cast=("vera", "emre")), TurnContext())


@pytest.mark.parametrize(("language", "said"), [("de", "« Heute ist es fällig."), ("en", "” It is due today.")])
@pytest.mark.parametrize("kind", ["own", "others"])
def test_a_promise_for_an_hour_of_today_is_not_put_off_until_the_evening(language: str, said: str, kind: str) -> None:
    promise = thread(3, "vera", "emre", text="The bag is gone before lunch.", due=1, time="noon")
    one = house(language, threads=(promise,))
    told = PROMPTS[language].words(f"premise_{kind}_promise", **thread_values(one, promise), name="Emre")
    met = replace(talk(one), premises={"vera": told}, answers=(promise.id,))
    assert f"The bag is gone before lunch.{said}" in letter(one, met, TurnContext())


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Ein Tag hat hier meist Platz für 6 Szenen, und ihr seid 3: Rechne mit 2 Treffen für dich"),
        ("en", "A day here usually has room for 6 scenes, and there are 3 of you: count on 2 talks of your own"),
    ],
)
def test_the_morning_says_for_how_many_meetings_a_day_has_room(language: str, said: str) -> None:
    one = house(language)
    morning = scene("vera", "emre", "nami", type="ARRIVAL", at="day-001/scene-01")
    kind = one.scene_types["ARRIVAL"]
    assert said in letter(one, replace(morning, type=kind), TurnContext())
    alone = replace(one, agents={"vera": one.agents["vera"]})
    assert said[:20] not in letter(alone, replace(morning, type=kind, cast=("vera",)), TurnContext())


@pytest.mark.parametrize(("language", "said"), [("de", "Über dich steht darin: »"), ("en", "In it, about you: “")])
def test_the_board_shows_the_lines_that_name_the_reader(language: str, said: str) -> None:
    one = house(language, posts=(Post(0, "nami", NOTE, "Sheet: who owes what.", 1, 2, SHEET),))
    text = letter(one, talk(one), TurnContext(named_in={SHEET: ("Vera | a door\n# by Friday",)}))
    line = next(line for line in text.splitlines() if said in line)
    assert line.strip().startswith(f"{said}Vera | a door # by Friday"), "one line, whatever stands in it"
    assert said not in letter(one, talk(one), TurnContext())


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "»Sheet«; was es ist, steht in deinen Erinnerungen (`vera-003`)"),
        ("en", "“Sheet”; you have what it is among your memories (`vera-003`)"),
    ],
)
def test_the_board_does_not_say_that_the_memory_of_a_piece_is_the_piece(language: str, said: str) -> None:
    text, seen = "who owes what.", {"artifact_path": SHEET, "title": "Sheet"}
    known = node(3, agent="vera", description=f"Nami has finished “Sheet”: {text}", metadata=seen, tags=["nami"])
    one = house(language, posts=(Post(0, "nami", NOTE, f"Sheet: {text}", 1, 2, SHEET),))
    vera = replace(one.agents["vera"], stream=(PLAN, known))
    one = replace(one, agents={**one.agents, "vera": vera})
    assert f": {said}\n" in letter(one, talk(one), TurnContext(remembered=frozenset({"vera-003"})))


def test_what_was_left_out_of_an_earlier_talk_is_marked() -> None:
    lines = (Spoken("vera", "Darf ich?"), Spoken("emre", "Nein."), Spoken("vera", "Gut."))
    text = letter(house(), talk(house()), TurnContext(earlier=EarlierTalk(1, lines, frozenset((2,)))))
    assert "Vera: Darf ich?\nEmre: Nein.\n[…] Vera: Gut." in text


def test_the_evening_tells_how_a_scene_ended_in_whole_sentences() -> None:
    deed = "Vera legt das Blatt auf den Tisch und streicht es mit beiden Händen glatt, bis es liegen bleibt. "
    talks = [("vera", "emre"), ("emre", "vera")] * 12
    tower = "Der Turm steht schief. " * 6
    turns = [
        {"agent": by, "action": f"{deed}Tat {number}.", "lines": [{"to": to, "text": f"Satz {number}. {tower}"}]}
        for number, (by, to) in enumerate(talks)
    ]
    one = house(log=(entry(1, "ENCOUNTER", "vera", "emre", scene=2, turns=turns),))
    text = render_evening(PROMPTS["de"], one, one.agents["vera"], frozenset()).partition("## Was heute war")[2]
    head, *told = text.strip().split("\n\n")[0].split("\n")
    assert head == f"- hall, mit Emre: […] {deed}Tat 20. {deed}Tat 22.", "whole actions"
    assert [line.split("»")[1].split(" Der")[0] for line in told][-3:] == ["Satz 21.", "Satz 22.", "Satz 23."]
    assert sum("Emre zu dir: »" in line for line in told) > sum("du zu Emre: »" in line for line in told)


def test_the_end_of_an_earlier_speech_is_shown_from_a_sentence_on() -> None:
    speech = "*Er sieht auf. Er geht zur Tür.* " + "Der Turm steht schief. " * 45 + "Kommst du morgen?"
    said = [{"agent": "vera", "text": "Was ist?"}, {"agent": "emre", "text": speech}]
    talked = node(3, type="conversation", metadata={"with": ["emre"], "exchange": said})
    one = house()
    vera = replace(one.agents["vera"], stream=(PLAN, talked))
    one = replace(one, agents={**one.agents, "vera": vera})
    text = letter(one, talk(one), TurnContext(earlier=earlier_talk(one, vera, talk(one))))
    (line,) = (line for line in text.splitlines() if line.endswith("Kommst du morgen?"))
    assert line.startswith("[…] Emre: Der Turm steht schief. Der")


@pytest.mark.parametrize(("language", "said"), [("de", "Du hast {} gefragt (heute)"), ("en", "You asked {} (today)")])
def test_a_question_to_the_person_outside_is_the_askers_alone(language: str, said: str) -> None:
    outside = "Creative Director"
    one = house(language, threads=(thread(8, "vera", outside, kind="question", text="One answer or seven?"),))
    assert f"`thread-008` {said.format(outside)}: One answer or seven?" in letter(one, talk(one), TurnContext())
    emre = Assembler(PROMPTS[language]).question(one, one.agents["emre"], talk(one), TurnContext())
    assert "One answer or seven?" not in emre
    form = Assembler(PROMPTS[language]).system(one, one.agents["vera"], Selection("last", (), ()))
    assert f'`"{outside}"` in `to`' in "\n".join(form)


@pytest.mark.parametrize(
    ("language", "said"), [("de", "nachher, in deinem Tagebuch"), ("en", "afterwards, in your diary")]
)
def test_who_looks_back_knows_that_the_diary_still_comes(language: str, said: str) -> None:
    looking = scene("vera", type="REFLECTION", at="day-001/scene-09", time="evening")
    one = house(language)
    keeps = replace(one, settings=replace(one.settings, diary="on"))
    assert said in letter(keeps, looking, TurnContext())
    assert said not in letter(one, looking, TurnContext()), "there are no diaries"
    idle = replace(keeps, agents={**keeps.agents, "vera": agent("vera")})
    assert said not in letter(idle, looking, TurnContext()), "nothing is open"


@pytest.mark.parametrize("language", ["de", "en"])
def test_in_the_evening_a_promise_can_be_settled_without_a_scene(language: str) -> None:
    prompts, promise = PROMPTS[language], thread(3, "vera", "emre", text="I lay the sheet on your desk.", due=1)
    one = house(language, threads=(promise,))
    assert "`thread-003`" in render_evening(prompts, one, one.agents["vera"], frozenset())
    assert "`closes`: `[]`" in render_evening(prompts, house(language), one.agents["vera"], frozenset())
    said = {
        "text": "Done.",
        "mood": "calm",
        "closes": [{"id": "thread-003", "outcome": "kept", "text": "There it is."}],
    }
    change = close_evening(one, {"vera": DiaryReply.model_validate(said)}, "", prompts.words)
    (settled,) = fold_events(one.threads, change.threads)
    assert (settled.outcome, settled.closed_by, settled.touched, settled.reason) == (
        "kept", "vera", "day-001", "There it is.",
    )  # fmt: skip
    after = house(language, threads=(settled,))
    assert open_threads_of(after, "vera") == []
    assert [item.id for item in open_threads_of(after, "emre")] == ["thread-003"], "nobody has told him"


def test_in_the_evening_no_character_settles_what_does_not_concern_it() -> None:
    one = house(threads=(thread(3, "nami", "emre", text="I bring soup."),))
    said = {"text": "Done.", "mood": "calm", "closes": [{"id": "thread-003", "outcome": "kept"}]}
    change = close_evening(one, {"vera": DiaryReply.model_validate(said)}, "", PROMPTS["de"].words)
    assert not any(event.event == "close" for event in change.threads)
    assert "vera: closes thread-003, which does not concern them; it stays as it is" in change.warnings
