"""The rehearsal arranges to meet, keeps silent, shows a piece to few, and says what became of its plan."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings
from gm.llm.base import Request
from gm.llm.rehearsal.arrange import AGREED
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.model.calendar import time_rank
from gm.model.node import Node
from gm.model.persona import Persona
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import DiaryReply
from gm.model.thread import Thread, ThreadKind, read_time, time_of_day
from tests.llm.cues import cue_of
from tests.llm.test_rehearsal import weeks

Reply = dict[str, Any]
OTHERS = [{"id": "ada", "name": "Ada Brook"}, {"id": "joe", "name": "Joe Hill"}]
WEEK = ["Monday", "Tuesday", "Wednesday"]
PLAN = ["Get ready: the map", "Talk to Ada: the signal", "DONE: Get ready: the lamp"]


def talk(scene: int = 1, **more: Any) -> Cue:
    """The last turn of a talk of two."""
    told = {"day": 2, "scene": scene, "type": "ENCOUNTER", "time_of_day": "noon", "play": "sequential"}
    said = [{"agent": "ada", "text": "The signal came back last night.", "to": None}]
    facts = {"scene": told, "others": OTHERS[:1], "turn": 2, "turns": 4, "dialogue": said, "weekdays": WEEK}
    return cue_of({**facts, "places": ["bridge", "galley"], "agent": {"today_plan": PLAN}, **more})


def ask(cue: Cue) -> Reply:
    asked = Request("x", "scene", (), (("user", "now"),), {}, 4000, cue)
    return dict(json.loads(Rehearsal().ask(asked).text))


def opened(*kinds: str, scenes: int = 400) -> list[Reply]:
    found = [item for scene in range(1, scenes) for item in ask(talk(scene))["opens"]]
    return [item for item in found if item["kind"] in kinds]


def test_about_one_promise_in_four_is_an_appointment_and_silence_is_rare() -> None:
    number = Counter(item["kind"] for item in opened("promise", "appointment", "question", "silence"))
    assert number["appointment"] / (number["promise"] + number["appointment"]) == pytest.approx(0.25, abs=0.08)
    assert 0 < number["silence"] < number["appointment"]


def test_an_appointment_is_later_today_or_on_the_next_day_at_a_time_and_sometimes_at_a_place() -> None:
    found = opened("appointment")
    assert {item["due"] for item in found} == {2, 3}
    assert all(item["time"] == read_time(item["time"]) != "" for item in found)
    assert all(time_rank(time_of_day(item["time"])) > time_rank("noon") for item in found if item["due"] == 2)
    assert {item["place"] for item in found} == {"", "bridge", "galley"}
    for item in found:
        assert f"on {WEEK[item['due'] - 1]}" in item["text"]
        assert item["place"] in item["text"]
        assert item["time"].split(":")[0] in item["text"]


def test_in_the_afternoon_the_next_day_is_meant_and_a_day_off_is_passed_over() -> None:
    cue = talk()
    off = replace(cue.world.settings.calendar, off=("Wednesday",))
    world = replace(cue.world, settings=replace(cue.world.settings, calendar=off))
    assert (cue.here.next_day, replace(cue, world=world).here.next_day) == (3, 4)
    late = [talk(scene) for scene in range(1, 200)]
    late = [replace(one, scene=replace(one.scene, time_of_day="afternoon")) for one in late]
    found = [item for one in late for item in ask(one)["opens"] if item["kind"] == "appointment"]
    assert {item["due"] for item in found} == {3}


def test_without_places_and_weekdays_two_agree_on_a_day_by_its_number() -> None:
    found = [item for scene in range(1, 200) for item in ask(talk(scene, places=[], weekdays=[]))["opens"]]
    met = [item for item in found if item["kind"] == "appointment"]
    assert met
    assert all(item["place"] == "" and f"on day {item['due']}" in item["text"] for item in met)


def test_whether_two_arrange_to_meet_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = [ask(talk(scene)) for scene in range(1, 60)]
    monkeypatch.setattr("gm.llm.rehearsal.arrange.INSTEAD_OF_PROMISE", 1.0)
    monkeypatch.setattr("gm.llm.rehearsal.arrange.QUIET", 1.0)
    agreed = [ask(talk(scene)) for scene in range(1, 60)]
    kinds = [item["kind"] for reply in agreed for item in reply["opens"]]
    assert "promise" not in kinds
    assert {"appointment", "silence"} <= set(kinds)
    for one, other in zip(plain, agreed, strict=True):
        same = ("mood", "memories", "conversation", "artifact", "plan", "current_task", "go_to", "done")
        assert {key: one[key] for key in same} == {key: other[key] for key in same}


@pytest.mark.parametrize("kind", ["appointment", "silence"])
def test_neither_an_appointment_nor_a_silence_is_settled_by_a_reply(kind: ThreadKind) -> None:
    thread = Thread("thread-001", kind, "kim", ("ada",), "We meet about “the signal”.", "day-001/scene-02", due=2)
    promise = replace(thread, id="thread-002", kind="promise")
    cues = [talk(scene) for scene in range(1, 60)]
    closed = [ask(replace(one, world=replace(one.world, threads=(thread, promise))))["closes"] for one in cues]
    assert {item["id"] for items in closed for item in items} == {"thread-002"}


@pytest.mark.parametrize("language", ["de", "en"])
def test_over_weeks_some_talks_of_plans_have_a_time(language: str) -> None:
    played = weeks(language, True).played
    talks = [item for _, _, reply in played if reply.get("plan") for item in reply["plan"]["talk_to"]]
    timed = [item["time"] for item in talks if "time" in item]
    assert len(timed) / len(talks) == pytest.approx(0.2, abs=0.08)
    assert all(read_time(time) == time for time in timed)


def test_nobody_plans_to_talk_to_one_who_is_away() -> None:
    def planned(*away: dict[str, Any]) -> set[str]:
        found = set()
        for day in range(1, 12):
            told = {"day": day, "type": "ARRIVAL"}
            cue = cue_of({"scene": told, "others": OTHERS, "wants_plan": True, "seed": day})
            calendar = CalendarSettings(away=away)
            world = replace(cue.world, settings=replace(cue.world.settings, calendar=calendar))
            found |= {item["to"] for item in ask(replace(cue, world=world))["plan"]["talk_to"]}
        return found

    assert planned() == {"ada", "joe"}
    assert planned({"who": "joe", "days": [1, None]}) == {"ada"}


def test_at_the_end_of_a_scene_its_intent_is_mostly_done_and_now_and_then_moved() -> None:
    def status(item: str, **more: Any) -> Counter[str]:
        cues = [talk(scene, **more) for scene in range(1, 300)]
        replies = [ask(replace(one, scene=replace(one.scene, intent=item))) for one in cues]
        reports = [report for reply in replies for report in reply["plan_status"]]
        assert all(report["item"] == PLAN.index(item) + 1 for report in reports)
        assert all(bool(report["text"]) == (report["status"] == "moved") for report in reports)
        return Counter(report["status"] for report in reports)

    number = status(PLAN[1])
    assert number["done"] / 299 == pytest.approx(0.7, abs=0.08)
    assert number["moved"] / 299 == pytest.approx(0.1, abs=0.05)
    assert number.keys() == {"done", "moved"}
    assert status(PLAN[2]) == status(PLAN[1], turn=1, last_turn=False) == Counter()
    assert ask(talk())["plan_status"] == []


MAP = {"task": "Get ready: the map", "title": "The ring map"}
MADE = Node("kim-009", "day-002/scene-03", "artifact", 0, "The ring map: Get ready: the map: It has a key.", 6)

LAMP = replace(MADE, id="kim-010", description="The blue lamp: Mend the lamp: It burns.")


def with_works(cue: Cue, *stream: Node) -> Cue:
    persona = Persona({"works": [MAP, {"task": "Mend the lamp", "title": "The blue lamp"}]})
    return replace(cue, agent=replace(cue.agent, persona=persona, stream=stream), memories=(*cue.memories, *stream))


@pytest.mark.parametrize("is_in_scene", [True, False])
def test_an_item_whose_piece_was_finished_today_is_reported_as_done(is_in_scene: bool) -> None:
    artifact = {"title": "The ring map", "kind": "tech", "description": "A map.", "body": "A key.", "importance": 6}
    reply = SceneReply.model_validate({"mood": "calm", "artifact": artifact})
    statuses = []
    for scene in range(1, 60):
        cue = with_works(talk(scene), *(() if is_in_scene else (MADE,)))
        context = replace(cue.context, own=(reply,) if is_in_scene else ())
        asked = replace(cue, scene=replace(cue.scene, intent=PLAN[0]), context=context)
        statuses += [[report["status"] for report in ask(asked)["plan_status"]]]
    assert statuses == [["done"]] * 59


def test_in_the_evening_what_was_finished_today_is_done_and_not_what_was_finished_before() -> None:
    made = Node("kim-001", "day-002/scene-01", "plan", 0, "", 4, metadata={"kind": "plan"})

    def evening(seed: int, piece: Node) -> set[str]:
        cue = cue_of({"kind": "diary", "scene": {"day": 2}, "agent": {"today_plan": PLAN}, "seed": seed})
        reports = DiaryReply.model_validate(ask(with_works(cue, made, piece))).plan_status
        return {report.status for report in reports if report.item == 1}

    assert [evening(seed, MADE) for seed in range(1, 40)] == [{"done"}] * 39
    older = replace(MADE, created="day-001/scene-03")
    assert "moved" in set().union(*(evening(seed, older) for seed in range(1, 40)))


def test_what_is_promised_is_a_piece_of_ones_own_that_is_not_finished() -> None:
    said = [{"agent": "ada", "text": "Look at “The tide book”, Kim.", "to": None}]
    theirs = [{"title": "The tide book", "maker": "ada", "path": "gallery/tech/tide.md"}]

    def promised(*stream: Node) -> list[str]:
        cues = [talk(scene, dialogue=said, artifacts=theirs) for scene in range(1, 200)]
        replies = [ask(with_works(cue, *cue.agent.stream, *stream)) for cue in cues]
        return [item["text"] for reply in replies for item in reply["opens"] if item["kind"] == "promise"]

    assert len(promised()) > 20
    assert all("“Get ready: the map”" in text or "“Mend the lamp”" in text for text in promised())
    assert all("“Mend the lamp”" in text for text in promised(MADE))
    assert all("(version 1b)”" in text for text in promised(MADE, LAMP))


def test_a_promise_of_a_piece_that_is_finished_is_kept_before_its_day() -> None:
    promise = Thread("thread-001", "promise", "kim", ("ada",), "You get “Get ready: the map”, Ada.", "day-002", due=9)

    def outcomes(*stream: Node) -> list[str]:
        cues = [with_works(talk(scene), *stream) for scene in range(1, 60)]
        closed = [ask(replace(one, world=replace(one.world, threads=(promise,))))["closes"] for one in cues]
        return [item["outcome"] for items in closed for item in items]

    assert outcomes() == []
    assert len(outcomes(MADE)) > 45
    assert set(outcomes(MADE)) == {"kept"}


def test_what_was_reported_in_the_scene_is_not_reported_again() -> None:
    told = SceneReply.model_validate({"mood": "calm", "plan_status": [{"item": 2, "status": "done", "text": ""}]})
    for scene in range(1, 20):
        cue = talk(scene)
        context = replace(cue.context, own=(told,))
        again = replace(cue, scene=replace(cue.scene, intent=PLAN[1]), context=context)
        assert ask(again)["plan_status"] == []


def test_in_the_evening_some_of_what_is_open_is_moved_dropped_or_done() -> None:
    statuses: Counter[str] = Counter()
    for day in range(1, 60):
        cue = cue_of({"kind": "diary", "scene": {"day": day}, "agent": {"today_plan": PLAN}})
        made = Node("kim-001", f"day-{day:03}/scene-01", "plan", 0, "", 4, metadata={"kind": "plan"})
        evening = replace(cue, agent=replace(cue.agent, stream=(made,)))
        reports = DiaryReply.model_validate(ask(evening)).plan_status
        statuses.update(report.status for report in reports)
        assert {report.item for report in reports} <= {1, 2}, "the third is done already"
        assert ask(cue)["plan_status"] == [], "no plan was made today"
    assert statuses.keys() == {"moved", "dropped", "done"}
    assert max(statuses, key=statuses.__getitem__) == "moved"
    assert statuses.total() < 2 * 59


@pytest.mark.parametrize(("others", "audience"), [(OTHERS, ["ada", "joe"]), (OTHERS[:1], ["board"]), ([], ["board"])])
def test_one_piece_in_twelve_is_for_one_of_several_or_for_all_by_the_board(others: Any, audience: list[str]) -> None:
    replies = []
    for scene in range(1, 400):
        told = {"day": 2, "scene": scene, "type": "WORK", "play": "parallel"}
        replies.append(ask(cue_of({"scene": told, "others": others, "people": OTHERS})))
    shown = [reply for reply in replies if reply["artifact"]["audience"]]
    assert len(shown) / len(replies) == pytest.approx(1 / 12, abs=0.04)
    assert sorted({name for reply in shown for name in reply["artifact"]["audience"]}) == audience
    assert all(len(reply["artifact"]["audience"]) == 1 for reply in shown)
    if len(others) > 1:
        titles = [reply["artifact"]["title"] in json.dumps(reply["dialogue"]) for reply in shown]
        assert not any(titles), "what not all may see is not shown aloud"


def test_who_will_be_asked_afterwards_remembers_then_and_not_before() -> None:
    cue = talk(turn=1)
    long = replace(cue.scene, type=replace(cue.scene.type, rounds=(4, 6)))
    asked = replace(cue, scene=long, context=replace(cue.context, memories_later=True, last_turn=False))
    during = SceneReply.model_validate(ask(asked))
    assert (during.memories, during.conversation, during.done) == ([], None, False)
    ending = replace(talk(), context=replace(talk().context, memories_later=True))
    assert ask(ending)["memories"], "the one who closes the scene is not asked afterwards"
    assert asked.as_data()["memories_later"]
    assert "memories_later" not in cue.as_data()
    over = replace(cue, context=replace(cue.context, turn=3, own=(during,), last_word=True))
    after = SceneReply.model_validate(ask(over))
    assert after.memories
    assert after.conversation is not None
    assert (after.dialogue, after.action, after.done) == ([], "", True)


def test_who_has_recorded_the_scene_already_adds_at_most_what_was_said_afterwards() -> None:
    before = SceneReply.model_validate(ask(talk()))
    assert before.conversation
    added = []
    for scene in range(1, 60):
        cue = talk(scene)
        over = replace(cue, context=replace(cue.context, turn=3, own=(before,), last_word=True))
        reply = ask(over)
        assert reply["conversation"] is None
        added.append(len(reply["memories"]))
    assert set(added) == {0, 1}


@pytest.mark.parametrize("language", ["de", "en"])
def test_there_are_many_ways_to_say_it(language: str) -> None:
    for slot in ("agree", "keep_quiet", "why_moved", "why_dropped"):
        assert len(load_pack(language)[slot]) >= 8, slot


def test_dice_of_a_purpose_of_its_own_leave_the_others_alone() -> None:
    voice, other = Voice(talk()), Voice(talk())
    voice.dice_for(AGREED).random()
    assert voice.dice.random() == other.dice.random()
