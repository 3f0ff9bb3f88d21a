"""The rehearsal backend: always valid, always the same, never two characters with one sentence."""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from gm.base.errors import BackendError
from gm.base.untyped import items_of
from gm.llm.base import Block, Request
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import DirectorFacts, NarratorFacts
from gm.llm.rehearsal.quoting import question_in, quotable, to_slot, to_tag
from gm.llm.rehearsal.voice import load_pack, share_of
from gm.model.logged import LogEntry
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import ReflectionReply
from gm.play.ask import ASK
from tests import build
from tests.llm.cues import cue_of

Facts = dict[str, Any]
ROOT = Path(__file__).parents[2]
WORLDS = {"de": ROOT, "en": ROOT / "gm" / "worlds" / "dinner"}
DAYS = 15
TAG = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")


def ask(facts: Facts) -> dict[str, Any]:
    request = Request("x", "scene", (Block("rules"),), (("user", "now"),), {}, 4000, cue_of(facts))
    reply: dict[str, Any] = json.loads(Rehearsal().ask(request).text)
    return reply


@lru_cache
def cast_of(language: str) -> dict[str, dict[str, Any]]:
    files = sorted((WORLDS[language] / "state" / "personas").glob("*.md"))
    return {f.stem: yaml.safe_load(f.read_text(encoding="utf-8").split("---\n", 2)[1]) for f in files}


@lru_cache
def settings_of(language: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((WORLDS[language] / "gm.yaml").read_text(encoding="utf-8"))
    return loaded


class Stage:
    """A small Game Master: plays days, keeps memories, records every question and reply."""

    def __init__(self, language: str, persona: bool = True, cast: dict[str, dict[str, Any]] | None = None) -> None:
        self.language = language
        self.persona = persona
        self.people = cast if cast is not None else cast_of(language)
        self.ids = sorted(self.people)
        self.memories: dict[str, list[dict[str, Any]]] = {one: [] for one in self.ids}
        self.plans: dict[str, list[str]] = {one: [] for one in self.ids}
        self.tasks = dict.fromkeys(self.ids, "")
        self.artifacts: list[dict[str, str]] = []
        self.threads: list[dict[str, Any]] = []
        self.opened = 0
        self.settled: list[tuple[int, dict[str, Any], dict[str, Any]]] = []
        self.played: list[tuple[str, Facts, dict[str, Any]]] = []
        self.log: list[LogEntry] = []

    def person(self, one: str) -> dict[str, str]:
        name = self.people[one]["name"]
        return {"id": one, "name": name, "call_name": name.split()[0], "role": ""}

    def facts(self, one: str, cast: list[str], day: int, scene: int, type_: str, **more: Any) -> Facts:
        settings = settings_of(self.language)
        days = settings["calendar"]["weekdays"]
        agent = {**self.person(one), "index": self.ids.index(one), "count": len(self.ids)}
        agent |= {"persona": self.people[one] if self.persona else {}, "mood": "", "position": ""}
        agent |= {"current_task": self.tasks[one], "today_plan": self.plans[one]}
        place = list(settings["places"])[scene % 4]
        told = {"ref": f"day-{day:03}/scene-{scene:02}", "day": day, "scene": scene, "type": type_, "place": place}
        told |= {"play": more.pop("play", "parallel"), "premise": ""}
        told |= {"time_of_day": "morning", "topic": more.pop("topic", ""), "starter": cast[0]}
        facts: Facts = {"kind": "scene", "seed": 1, "language": self.language, "agent": agent, "scene": told}
        facts |= {"others": [self.person(other) for other in cast if other != one], "turn": 1, "turns": 1}
        facts |= {"dialogue": [], "wants_plan": type_ == "ARRIVAL", "replan": [], "brief": settings["start"]["brief"]}
        facts |= {"artifacts": [made for made in self.artifacts if made["maker"] != one][-4:]}
        facts |= {"places": list(settings["places"]), "memories": self.memories[one][-50:], "insights": [3, 5]}
        facts |= {"weekdays": list(days), "log": list(self.log)}
        concerned = [item for item in self.threads if one == item["by"] or one in item["to"]]
        facts |= {"threads": [{**item, "mine": item["by"] == one} for item in concerned]}
        facts["people"] = [self.person(other) for other in self.ids if other != one]
        return facts | more

    def turn(self, facts: Facts) -> dict[str, Any]:
        one, reply = facts["agent"]["id"], ask(facts)
        self.played.append((one, facts, reply))
        self.log.append(told_by(one, facts["scene"]["day"], reply))
        for memory in reply.get("memories", []) + reply.get("insights", []):
            self.keep(one, memory.get("type", "reflection"), memory)
        for key, kind in (("plan", "plan"), ("conversation", "conversation"), ("artifact", "artifact")):
            if node := reply.get(key):
                text = "; ".join(node["work"]) if key == "plan" else node.get("title") or node["description"]
                self.keep(one, kind, {**node, "description": text})
        self.tie(one, facts["scene"]["day"], reply)
        if reply.get("artifact"):
            self.artifacts.append({"title": reply["artifact"]["title"], "maker": one, "path": "x"})
        if reply.get("plan"):
            self.plans[one] = reply["plan"]["work"]
        self.tasks[one] = reply.get("current_task") or self.tasks[one]
        return reply

    def tie(self, one: str, day: int, reply: dict[str, Any]) -> None:
        for opened in reply.get("opens", []):
            self.opened += 1
            told = {"id": f"thread-{self.opened:03}", "by": one, "since": day}
            self.threads.append({**opened, **told, "to": [opened["to"]]})
        for closed in reply.get("closes", []):
            (thread,) = (item for item in self.threads if item["id"] == closed["id"])
            self.threads.remove(thread)
            self.settled.append((day, thread, closed))

    def keep(self, one: str, kind: str, node: dict[str, Any]) -> None:
        known = {memory["id"]: memory for memory in self.memories[one]}
        cited = [known[ref]["depth"] for ref in node.get("evidence", [])]
        depth = 1 + max(cited, default=0) if kind == "reflection" else 0
        kept = {"id": f"{one}-{len(known) + 1:03}", "type": kind, "depth": depth, "tags": node.get("tags", [])}
        self.memories[one].append({**kept, "description": node["description"], "importance": node["importance"]})

    def scene(self, day: int, number: int, type_: str, cast: list[str], play: str, topic: str = "") -> None:
        dialogue: list[dict[str, Any]] = []
        turns = 2 * len(cast) if play == "sequential" else len(cast)
        for n in range(turns):
            one = cast[n % len(cast)]
            more = {"play": play, "topic": topic, "dialogue": list(dialogue), "turn": 1 + n // len(cast)}
            more["last_turn"] = play != "sequential" or n + len(cast) >= turns
            facts = self.facts(one, cast, day, number, type_, **more, turns=turns if play == "sequential" else 1)
            reply = self.turn(facts)
            if play == "sequential":
                name = self.person(one)["call_name"]
                dialogue += [{"agent": one, "name": name, **line} for line in reply["dialogue"]]

    def day(self, day: int) -> None:
        dice = random.Random(f"stage-{day}")
        self.scene(day, 1, "ARRIVAL", self.ids, "parallel")
        kinds = ("ENCOUNTER", "WORK", "ENCOUNTER", "WORK", "MEETING", "EVENT" if day % 5 == 4 else "WORK")
        for number, type_ in enumerate(kinds[: 6 if len(self.ids) > 3 else 4], start=2):
            size = {"ENCOUNTER": 2, "WORK": 3, "MEETING": 5, "EVENT": 9}[type_]
            cast = dice.sample(self.ids, min(size, len(self.ids)))
            topics = [topic["words"] for topic in self.people[cast[0]].get("topics", [])]
            topic = dice.choice(topics) if topics and type_ != "WORK" and dice.random() < 0.7 else ""
            self.scene(
                day, number, type_, cast, "sequential" if type_ in ("ENCOUNTER", "MEETING") else "parallel", topic
            )
        held = [item for item in self.threads if item["kind"] == "appointment" and item["due"] <= day]
        self.threads = [item for item in self.threads if item not in held]
        for one in self.ids if day % 3 == 0 else []:
            nodes = self.memories[one][-30:]
            self.turn(self.facts(one, [one], day, 9, "REFLECTION", kind="reflection", memories=nodes, play="solo"))


def told_by(one: str, day: int, reply: dict[str, Any]) -> LogEntry:
    """Return what one turn adds to a logbook."""
    texts = {
        "dialogue": [line["text"] for line in reply.get("dialogue", [])],
        "actions": [reply.get("action", "")],
        "thoughts": [reply.get("thoughts", "")],
    }
    told = {key: [{"agent": one, "text": text} for text in found] for key, found in texts.items()}
    return LogEntry(day, {"day": day, **told})


@lru_cache
def weeks(language: str, persona: bool) -> Stage:
    stage = Stage(language, persona)
    for day in range(1, DAYS + 1):
        stage.day(day)
    return stage


EVERY = pytest.mark.parametrize(("language", "persona"), [(lang, p) for lang in ("de", "en") for p in (True, False)])


def sentences(reply: dict[str, Any]) -> list[str]:
    told = [line["text"] for line in reply.get("dialogue", [])] + [reply.get("thoughts", "")]
    told += [node["description"] for node in reply.get("memories", []) + reply.get("insights", [])]
    told += [reply["conversation"]["description"]] if reply.get("conversation") else []
    return [part.strip() for text in told for part in re.split(r"[.!?]", text) if part.strip()]


@pytest.mark.matrix
@EVERY
def test_every_reply_of_three_weeks_fits_its_model(language: str, persona: bool) -> None:
    for _, facts, reply in weeks(language, persona).played:
        model = ReflectionReply if facts["kind"] == "reflection" else SceneReply
        (PlanningReply if facts["wants_plan"] else model).model_validate(reply)


@EVERY
def test_no_two_characters_ever_use_the_same_sentence(language: str, persona: bool) -> None:
    users: dict[str, set[str]] = defaultdict(set)
    for one, _, reply in weeks(language, persona).played:
        for sentence in sentences(reply):
            users[sentence].add(one)
    assert [sentence for sentence, who in users.items() if len(who) > 1] == []


def large_cast(language: str) -> Stage:
    """Two days of more characters than there are shares; one is called by no plain word."""
    names = [*(f"{letter}{letter.lower()}ra Test" for letter in string.ascii_uppercase[:20]), "..!/Ymir Test"]
    stage = Stage(language, persona=False, cast={name.split()[0].lower(): {"name": name} for name in names})
    for day in (1, 2):
        stage.day(day)
    return stage


def test_no_two_characters_share_a_sentence_in_a_cast_larger_than_the_shares() -> None:
    stage = large_cast("de")
    users: dict[str, set[str]] = defaultdict(set)
    for one, _, reply in stage.played:
        for sentence in sentences(reply):
            users[sentence].add(one)
    assert [sentence for sentence, who in users.items() if len(who) > 1] == []


@pytest.mark.parametrize(("language", "mark"), [("de", "so sieht es"), ("en", "that is how")])
def test_in_a_large_cast_a_name_is_woven_into_a_whole_sentence_once(language: str, mark: str) -> None:
    stage = large_cast(language)
    told = [sentence for _, _, reply in stage.played for sentence in sentences(reply)]
    assert any(mark in sentence for sentence in told)
    assert [sentence for sentence in told if sentence.count(mark) > 1 or sentence.startswith("–")] == []
    for _, _, reply in stage.played:
        artifact, plan = reply.get("artifact") or {}, reply.get("plan") or {}
        parts = [reply.get("mood", ""), reply.get("action", ""), artifact.get("title", ""), plan.get("description", "")]
        assert not [text for text in parts if mark in text]


@EVERY
def test_importance_is_spread_around_five(language: str, persona: bool) -> None:
    weights = []
    for _, _, reply in weeks(language, persona).played:
        parts = [*reply.get("memories", []), reply.get("plan"), reply.get("conversation"), reply.get("artifact")]
        weights += [part["importance"] for part in parts if part]
    assert sum(weights) / len(weights) == pytest.approx(5.0, abs=0.3)
    assert set(range(1, 10)) <= set(weights)
    assert Counter(weights)[10] < len(weights) / 50


def test_a_question_out_of_scene_is_answered_with_what_is_remembered_or_not_at_all() -> None:
    def memory(number: int, text: str) -> dict[str, object]:
        return {
            "id": f"kim-{number:03}",
            "type": "observation",
            "depth": 0,
            "description": text,
            "importance": 5,
            "tags": (),
        }

    skiff = "I patched the bow of the skiff with a tea tray."
    promise = {
        "id": "thread-001",
        "kind": "promise",
        "by": "kim",
        "to": ["ada"],
        "text": "The log is yours on Friday.",
        "since": 1,
    }
    facts = {
        "others": [{"id": "ada", "name": "Ada"}],
        "memories": [
            memory(1, "The stove smoked all morning."),
            memory(2, skiff),
            memory(3, "I do not know what they said."),
        ],
        "threads": [promise],
    }

    def answer(question: str) -> str:
        cue = cue_of(facts)
        asked = replace(cue.scene, type=ASK, cast=("kim",), topic=question)
        request = Request("kim", "ask", (), (("user", question),), {}, 100, replace(cue, scene=asked))
        return str(json.loads(Rehearsal().ask(request).text)["answer"])

    assert skiff in answer("Tell me what you know about the skiff.")
    assert "stove" not in answer("Tell me what you know about the skiff.")
    told = answer("What have you promised, and to whom?")
    assert "Ada" in told
    assert "The log is yours on Friday" in told
    assert answer("Do you know anything about dragons?") in load_pack("en")["nothing_recalled"]


@EVERY
def test_artifacts_come_from_work_alone_and_always_from_who_starts_it(language: str, persona: bool) -> None:
    for one, facts, reply in weeks(language, persona).played:
        if facts["scene"]["type"] != "WORK":
            assert not reply.get("artifact")
        elif facts["scene"]["starter"] == one:
            assert reply["artifact"]


@EVERY
def test_artifacts_have_a_full_body_that_says_what_it_is(language: str, persona: bool) -> None:
    signature = load_pack(language)["signature"][0]
    for made in [reply["artifact"] for _, _, reply in weeks(language, persona).played if reply.get("artifact")]:
        assert 120 <= len(made["body"].split()) <= 300
        assert made["body"].startswith(f"# {made['title']}\n")
        assert signature in made["body"].splitlines()[-1]
        assert made["tags"][0] == "own-work"
        assert 6 <= made["importance"] <= 8


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_title_of_an_artifact_comes_twice(language: str) -> None:
    titles = Counter(made["title"] for made in weeks(language, True).artifacts)
    assert [title for title, number in titles.items() if number > 1] == []


@EVERY
def test_evidence_names_memories_that_were_given(language: str, persona: bool) -> None:
    for _, facts, reply in weeks(language, persona).played:
        given = {node["id"] for node in facts["memories"]}
        for node in reply.get("memories", []) + reply.get("insights", []):
            assert given.issuperset(node["evidence"])
        for node in reply.get("insights", []):
            assert 2 <= len(node["evidence"]) <= 4
            assert 6 <= node["importance"] <= 9


@EVERY
def test_a_reflection_has_three_to_five_insights_and_cites_an_earlier_one(language: str, persona: bool) -> None:
    for _, facts, reply in weeks(language, persona).played:
        if facts["kind"] == "reflection":
            assert 3 <= len(reply["insights"]) <= 5
            deep = {node["id"] for node in facts["memories"] if node["depth"]}
            assert not deep or any(deep & set(node["evidence"]) for node in reply["insights"])


@EVERY
def test_tags_are_few_plain_and_never_the_own_id(language: str, persona: bool) -> None:
    for one, _, reply in weeks(language, persona).played:
        for node in reply.get("memories", []) + reply.get("insights", []):
            assert 2 <= len(node["tags"]) <= 5
            assert len(set(node["tags"])) == len(node["tags"])
            assert one not in node["tags"]
            assert all(TAG.match(tag) for tag in node["tags"])


@EVERY
def test_plans_name_every_other_character_within_two_weeks(language: str, persona: bool) -> None:
    stage = weeks(language, persona)
    named: dict[str, set[str]] = defaultdict(set)
    for one, facts, reply in stage.played:
        if facts["scene"]["day"] <= 14 and reply.get("plan"):
            named[one] |= {talk["to"] for talk in reply["plan"]["talk_to"]}
    assert all(named[one] == set(stage.ids) - {one} for one in stage.ids)


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_character_repeats_a_spoken_line_on_the_same_day(language: str) -> None:
    spoken = Counter(
        (one, facts["scene"]["day"], line["text"])
        for one, facts, reply in weeks(language, True).played
        for line in reply.get("dialogue", [])
    )
    assert [line for line, number in spoken.items() if number > 1] == []


@pytest.mark.matrix
@pytest.mark.slow
@EVERY
def test_over_thirty_days_hardly_anything_is_said_done_or_thought_twice(language: str, persona: bool) -> None:
    stage = Stage(language, persona)
    for day in range(1, 31):
        stage.day(day)
    for key, least in (("dialogue", 500), ("actions", 400), ("thoughts", 400)):
        texts = Counter(item["text"] for line in stage.log for item in items_of(line.record[key]) if item["text"])
        assert texts.total() >= least, key
        assert sum(number for number in texts.values() if number > 1) <= 0.02 * texts.total(), texts.most_common(3)


def test_what_was_said_before_decides_the_answer_and_names_the_question() -> None:
    stage = weeks("en", True)
    facts = next(f for _, f, reply in stage.played if f["scene"]["type"] == "ENCOUNTER" and reply["dialogue"])
    reply = ask(facts)
    again = {**facts, "log": [*facts["log"], told_by(facts["agent"]["id"], facts["scene"]["day"], reply)]}
    said = {line["text"] for line in reply["dialogue"]} | {reply["action"], reply["thoughts"]}
    assert not said & {line["text"] for line in ask(again)["dialogue"]}
    assert cue_of(again).as_data()["said"] != cue_of(facts).as_data()["said"]
    another = {**facts, "log": [*facts["log"], told_by(facts["others"][0]["id"], 1, reply)]}
    assert cue_of(another).as_data() == cue_of(facts).as_data()
    assert "said" not in cue_of({**facts, "log": []}).as_data()


def test_a_line_of_more_than_a_month_ago_may_return() -> None:
    line = {"day": 1, "dialogue": [{"agent": "kim", "text": "Long ago."}]}
    asked: list[range] = []

    def logbook(days: range) -> tuple[LogEntry, ...]:
        asked.append(days)
        return (LogEntry(9, line),) if 9 in days else ()

    cue = cue_of({"scene": {"day": 12}, "log": [{"day": 11, "thoughts": [{"agent": "kim", "text": "Now."}]}]})
    assert replace(cue, logbook=logbook).said == "long ago.\nnow."
    cue = cue_of({"scene": {"day": 40}, "log": [{"day": 39, "dialogue": "not a list"}]})
    assert replace(cue, logbook=logbook).said == ""
    assert asked == [range(-18, 11), range(10, 39)]


def test_the_same_facts_give_the_same_answer() -> None:
    for _, facts, reply in weeks("de", True).played[:60]:
        told = {**facts, "log": [entry.record for entry in facts.get("log", ())]}
        assert ask(json.loads(json.dumps(told))) == reply


def test_another_seed_gives_another_day() -> None:
    facts = weeks("de", True).played[0][1]
    assert ask({**facts, "seed": 2}) != ask(facts)


def test_who_is_asked_answers_the_one_who_asked() -> None:
    stage = Stage("de")
    asked = {
        "agent": "emre",
        "name": stage.person("emre")["call_name"],
        "text": "Wo liegt bei dir das Gewicht?",
        "to": "vera",
    }
    more = {"play": "sequential", "dialogue": [asked], "turn": 1, "turns": 4}
    reply = ask(stage.facts("vera", ["emre", "vera", "tobi"], 2, 3, "ENCOUNTER", **more))
    assert {line["to"] for line in reply["dialogue"]} == {"emre"}


def test_the_last_turn_is_done_and_keeps_a_takeaway() -> None:
    stage = weeks("de", True)
    for _, facts, reply in stage.played:
        if facts["scene"]["type"] == "ENCOUNTER" and facts["turn"] == 2:
            assert reply["done"]
            assert reply["conversation"]
            assert reply["memories"]


@EVERY
def test_what_is_left_open_and_what_is_settled_is_said_aloud(language: str, persona: bool) -> None:
    stage = weeks(language, persona)
    for _, facts, reply in stage.played:
        spoken = {line["text"] for line in reply.get("dialogue", [])}
        present = {other["id"] for other in facts["others"]}
        for item in reply.get("opens", []):
            assert item["text"] in spoken
            assert item["to"] in present
            assert (item["due"] is not None) == (item["kind"] in ("promise", "appointment"))
        assert all(item["text"] in spoken for item in reply.get("closes", []))
    outcomes = {(thread["kind"], closed["outcome"]) for _, thread, closed in stage.settled}
    assert {("promise", "kept"), ("question", "answered")} <= outcomes
    assert outcomes <= {("promise", "kept"), ("promise", "broken"), ("question", "answered")}


@EVERY
def test_nearly_everything_is_settled_within_a_week(language: str, persona: bool) -> None:
    stage = weeks(language, persona)
    took = [day - thread["since"] for day, thread, _ in stage.settled if thread["since"] <= DAYS - 7]
    late = [item for item in stage.threads if item["since"] <= DAYS - 7 and item["kind"] != "silence"]
    assert len(took) >= 4
    assert sum(days <= 7 for days in took) >= 0.9 * (len(took) + len(late))


def test_a_promise_and_an_appointment_name_their_day_in_words() -> None:
    given = [item for _, _, reply in weeks("de", True).played for item in reply.get("opens", []) if item["due"]]
    week = settings_of("de")["calendar"]["weekdays"]
    before = {"promise": "is", "appointment": "am"}
    assert {item["kind"] for item in given} == before.keys()
    assert all(f"{before[item['kind']]} {week[(item['due'] - 1) % len(week)]}" in item["text"] for item in given)


def test_no_character_speaks_for_another_or_settles_before_the_day() -> None:
    stage = Stage("de")
    theirs = {"id": "thread-001", "kind": "promise", "mine": False, "by": "emre", "to": ["vera"], "text": "»Turm«"}
    early = {**theirs, "id": "thread-002", "mine": True, "by": "vera", "to": ["emre"], "since": 2, "due": 9}
    more = {"threads": [{**theirs, "since": 1, "due": 2}, early], "play": "parallel"}
    for scene in range(2, 30):
        assert ask(stage.facts("vera", ["vera", "emre"], 5, scene, "WORK", **more))["closes"] == []


def test_what_happened_since_changes_about_half_of_the_plans() -> None:
    stage = Stage("de")
    told = [
        ask(stage.facts("vera", ["emre", "vera"], day, 3, "WORK", replan=[{"title": "Tobi hat etwas umgebaut."}]))
        for day in range(1, 41)
    ]
    changed = [reply["plan"] for reply in told if reply["plan"]]
    assert 10 <= len(changed) <= 30
    assert all("Tobi hat etwas umgebaut" in plan["work"][0] for plan in changed)


def test_an_unknown_language_is_played_in_english() -> None:
    facts = weeks("en", False).played[0][1]
    assert ask({**facts, "language": "xx"})["plan"]["work"] == ask(facts)["plan"]["work"]


@pytest.mark.parametrize("type_", ["ARRIVAL", "ENCOUNTER", "WORK", "MEETING", "EVENT", "DND"])
def test_bare_facts_and_odd_personas_are_played_all_the_same(type_: str) -> None:
    odd = {"lines": "not a list", "works": [None, {"task": ""}], "topics": {"a": 1}, "friends": ["x"], "questions": [1]}
    for persona in ({}, odd):
        agent = {"id": "kim", "name": "Kim", "persona": persona}
        reply = ask({"kind": "scene", "agent": agent, "scene": {"type": type_}, "wants_plan": type_ == "ARRIVAL"})
        (PlanningReply if type_ == "ARRIVAL" else SceneReply).model_validate(reply)


def test_a_reflection_on_hardly_anything_still_cites_it() -> None:
    node = {"id": "kim-001", "type": "observation", "depth": 0, "description": "Es regnet", "importance": 2, "tags": []}
    reply = ask({"kind": "reflection", "agent": {"id": "kim", "name": "Kim"}, "language": "de", "memories": [node]})
    assert {ref for insight in reply["insights"] for ref in insight["evidence"]} == {"kim-001"}


def test_usage_is_estimated_from_prompt_and_answer() -> None:
    facts = weeks("de", True).played[0][1]
    short = Rehearsal().ask(Request("x", "scene", (), (("user", "ja"),), {}, 100, cue_of(facts)))
    long = Rehearsal().ask(Request("x", "scene", (Block("wort " * 100),), (("user", "ja"),), {}, 100, cue_of(facts)))
    assert long.usage.input_tokens > short.usage.input_tokens > 0
    assert long.usage.output_tokens == short.usage.output_tokens > 0


def test_both_packs_have_the_same_slots_with_the_same_fields() -> None:
    german, english = load_pack("de"), load_pack("en")
    assert german.keys() == english.keys()
    for slot in german:
        fields = [
            {f for text in pack[slot] for _, f, _, _ in string.Formatter().parse(text) if f}
            for pack in (german, english)
        ]
        assert fields[0] == fields[1], slot


@pytest.mark.parametrize("language", ["de", "en"])
def test_shares_of_a_slot_never_overlap_and_leave_nothing_out(language: str) -> None:
    for slot, texts in load_pack(language).items():
        shared = [text for index in range(7) for text in share_of(language, slot, index, 7)]
        assert sorted(shared) == sorted(texts)
        assert len(set(texts)) == len(texts), slot


def test_a_quotation_has_no_full_stop_and_no_quotation_marks_of_its_own() -> None:
    assert quotable("Nein. Das steht nicht, das lehnt an nichts.") == "Das steht nicht, das lehnt an nichts"
    assert quotable("Wer war das?") == ""
    assert question_in("Gut. Wer war das?") == "Wer war das"
    assert to_slot("Auf »Zettel Nr. 1: Was gilt« hin.") == "Auf ›Zettel Nr. 1: Was gilt‹ hin"
    assert to_slot("Er sagte »nein«. Dann ging er.") == "Er sagte ›nein‹ – Dann ging er"
    assert to_slot("I promised it to Mr. Dunmore. He laughed.") == "I promised it to Mr. Dunmore – He laughed"
    assert quotable("Nobody told Mr. Dunmore anything. So.") == "Nobody told Mr. Dunmore anything"
    assert to_slot("Er sagte: »Nein, das steht nicht, das lehnt.«", 24) == "Er sagte: ›Nein …‹"
    assert to_slot("She said: “No, that's leaning on nothing at all.”", 24) == "She said: ‘No …’"
    assert to_tag("Die Knochentürme") == "die-knochentuerme"


def test_a_rehearsal_chooses_the_best_or_the_second_best_scene_in_the_words_of_the_list() -> None:
    options = tuple(replace(build.scene("kim"), why=f"why {n}", premise=f"premise {n}") for n in (1, 2, 3))

    def choose(seed: int, of: int = 3) -> dict[str, Any]:
        facts = DirectorFacts("director", seed, "en", "day-001/scene-02", options[:of])
        request = Request("director", "director", (), (("user", "?"),), {}, 400, facts)
        return dict(json.loads(Rehearsal().ask(request).text))

    chosen = [choose(seed) for seed in range(40)]
    assert {reply["number"] for reply in chosen} == {1, 2}
    assert all(reply["why"] == f"why {reply['number']}" for reply in chosen)
    assert all(reply["premise"] == f"premise {reply['number']}" for reply in chosen)
    assert [choose(seed) for seed in range(40)] == chosen
    assert {choose(seed, of=1)["number"] for seed in range(10)} == {1}


@pytest.mark.parametrize(
    ("language", "told", "nobody"),
    [
        ("de", "Ada, Bo und Cy trafen sich (Küche). Ada und Bo trafen sich.", "Niemand sprach mit jemandem."),
        ("en", "Ada, Bo and Cy met (Küche). Ada and Bo met.", "Nobody talked to anybody."),
    ],
)
def test_a_rehearsal_retells_each_meeting_of_a_day_once(language: str, told: str, nobody: str) -> None:
    def retell(*met: tuple[tuple[str, ...], str]) -> str:
        facts = NarratorFacts("narrator", language, "day-001", met)
        request = Request("narrator", "narrator", (), (("user", "?"),), {}, 400, facts)
        return str(json.loads(Rehearsal().ask(request).text)["text"])

    assert retell((("Ada", "Bo", "Cy"), "Küche"), (("Ada", "Bo"), ""), (("Ada", "Bo"), "")) == told
    assert retell() == nobody


def test_a_rehearsed_chapter_has_a_paragraph_for_each_talk_and_ends_it_with_its_last_line() -> None:
    met = ((("Ada", "Bo"), "kitchen"), (("Ada", "Cy"), ""), (("Bo", "Cy"), ""))
    said = ((("Ada", "No."), ("Bo", "She said “no”.")), (), (("Cy", "Later."),))
    facts = NarratorFacts("narrator", "en", "day-001", met, said)
    request = Request("chapter", "narrator", (), (("user", "?"),), {}, 400, facts)
    text = json.loads(Rehearsal().ask(request).text)["body"]
    assert text.split("\n\n") == [
        "Ada and Bo met (kitchen). Bo said last: “She said ‘no’.”",
        "Ada and Cy met.",
        "Bo and Cy met. Cy said last: “Later.”",
    ]


def test_a_question_without_values_is_refused() -> None:
    with pytest.raises(BackendError, match="was not told what x is about"):
        Rehearsal().ask(Request("x", "scene", (), (("user", "now"),), {}, 4000))


def test_facts_are_plain_data_without_what_no_world_asks_for() -> None:
    cue = cue_of({"seed": 7, "others": [{"id": "ada", "name": "Ada"}], "soul": ("Patient.",)})
    plain = json.loads(json.dumps(cue.as_data()))
    assert (plain["seed"], plain["soul"], plain["others"][0]["id"]) == (7, ["Patient."], "ada")
    assert (
        not {"page", "regards", "exchange", "importance_from", "looked_up", "met", "questions", "asked"} & plain.keys()
    )
    assert "note" not in plain["scene"]
