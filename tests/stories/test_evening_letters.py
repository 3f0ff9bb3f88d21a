"""What characters are sent when the day is over: the day, the plan, what is open, a form of reply of its own."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.llm.content import text_of
from gm.scene.planning.marks import is_struck
from tests.stories.playing import Counting, Heard, Scripted, about, play, records, set_sections

CAST = ("alex", "casey", "jordan")
EVENINGS = "diary: on\nreflection: {threshold: 20}\n"
BY_QUESTIONS = "diary: on\nreflection: {threshold: 20, method: questions}\n"


def letters(asked: list[Request], purpose: str, who: str = "") -> list[str]:
    """Return the whole prompts sent to a character for a purpose."""
    return [
        "\n".join((*(block.text for block in request.system), text_of(request.messages[0][1])))
        for request in asked
        if request.purpose == purpose and who in ("", request.who)
    ]


def faults(layout: Layout) -> list[str]:
    """Return what is found in a world; insights of a scene may stand before the first look back."""
    return [str(problem) for problem in check_world(layout).problems if problem.code != "last-reflection-null"]


@pytest.mark.parametrize("settings", [EVENINGS, BY_QUESTIONS], ids=["at once", "by questions"])
def test_an_evening_letter_has_the_day_the_plan_and_no_form_of_a_scene(dinner: Layout, settings: str) -> None:
    set_sections(dinner.settings, settings)
    backend = Counting()
    play(dinner, backend=backend)
    evening = [*letters(backend.asked, "reflection"), *letters(backend.asked, "diary")]
    assert len(evening) > len(CAST)
    assert all("- `action`: " not in text for text in letters(backend.asked, "reflection"))
    assert all("- `action`: what is last seen of you" in text for text in letters(backend.asked, "diary"))
    for text in evening:
        assert "## What happened today\n\n- " in text
        assert "\n1. For Sunday: " in text
        assert "`move_to`" not in text
        assert "replaces the usual" not in text
        assert text.count("exactly one JSON object") == 1
    assert all("- `action`: " in text for text in letters(backend.asked, "scene"))


def test_a_reflection_names_the_span_of_its_memories_and_says_how_important_things_are(dinner: Layout) -> None:
    set_sections(dinner.settings, EVENINGS)
    backend = Counting()
    play(dinner, backend=backend)
    for text in letters(backend.asked, "reflection"):
        assert " memories since day 1, scene 1." in text
        assert "1–2: " in text, "the scale of importance"


def test_what_is_open_between_two_is_in_the_evening_letters_of_both(dinner: Layout) -> None:
    set_sections(dinner.settings, EVENINGS)
    said = "Casey, the box stays shut until the soup is served."

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "opens" in reply:
            reply = {**reply, "opens": [], "closes": []}
        if request.who == "alex" and request.place == "day-001/scene-01":
            reply["dialogue"] = [{"to": "casey", "text": said}]
            reply["opens"] = [{"kind": "promise", "to": "casey", "text": said, "due": 1}]
        return reply

    backend = Scripted(change)
    play(dinner, backend=backend)
    for who, whose in (("alex", "Your promise to Casey"), ("casey", "Alex’s promise to you")):
        (diary,) = letters(backend.asked, "diary", who)
        assert f"- `thread-001` {whose}, due today: {said}" in diary
        (looks_back,) = letters(backend.asked, "reflection", who)
        assert f"- {whose}, due today: {said}" in looks_back


def test_an_appointment_that_came_to_nothing_is_known_before_a_character_looks_back(dinner: Layout) -> None:
    set_sections(dinner.settings, EVENINGS)
    opened = {"id": "thread-001", "at": "day-000", "event": "open", "by": "alex", "kind": "appointment", "to": []}
    line = {**opened, "due": 1, "text": "The box is opened by nobody but me."}
    dinner.threads.write_text(json.dumps(line) + "\n", encoding="utf-8")
    backend = Scripted(lambda _request, reply: {**reply, "opens": [], "closes": []} if "opens" in reply else reply)
    play(dinner, backend=backend)
    told = "“The box is opened by nobody but me.” Nothing came of it."
    assert all(told in text for text in letters(backend.asked, "diary", "alex"))
    assert all(told in text for text in letters(backend.asked, "reflection", "alex"))
    assert not any(told in text for who in ("casey", "jordan") for text in letters(backend.asked, "diary", who))
    (thread,) = load_world(dinner).world.threads
    assert (thread.outcome, thread.closed_by, thread.touched) == ("missed", "gm", "day-001")
    assert records(dinner.day_log(1))[-1]["missed"] == ["thread-001"]
    (fault,) = faults(dinner)
    assert "an appointment without others is never played" in fault


def test_what_the_diary_says_of_the_plan_counts_and_each_item_comes_to_something(dinner: Layout) -> None:
    set_sections(dinner.settings, "diary: on")
    beyond = {"item": 99, "status": "done", "text": ""}
    dropped: list[int] = []

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose == "diary" and request.who == "jordan":
            number = int(re.findall(r"^(\d+)\. .* \(open\)$", text_of(request.messages[0][1]), re.MULTILINE)[0])
            dropped.append(number)
            end = {"item": number, "status": "dropped", "text": "Nobody wants it."}
            return {**reply, "plan_status": [end, beyond]}
        return reply

    heard = Heard()
    play(dinner, backend=Scripted(change), report=heard)
    assert [text for text in heard.notices if text.startswith("day-001 jordan: item 99 of a plan of ")]
    world = load_world(dinner).world
    assert all(is_struck(item) for agent in world.agents.values() for item in agent.state.today_plan)
    (number,) = dropped
    assert world.agents["jordan"].state.today_plan[number - 1].startswith("DROPPED: ")
    plans = records(dinner.day_log(1))[-1]["plans"]
    assert sorted(plans) == sorted(CAST)
    assert plans["jordan"][number - 1]["why"] == "Nobody wants it."
    assert {end["status"] for ends in plans.values() for end in ends} <= {"done", "moved", "dropped"}
    backend = Counting()
    play(dinner, backend=backend)
    morning = letters(backend.asked, "scene", "jordan")[0]
    assert "\nWhat you last planned to do " in morning
    assert " (dropped)" in morning
    assert "Still on my plan on " in morning
    assert faults(dinner) == []


def test_who_looks_back_in_the_middle_of_a_script_does_so_before_dusk(dinner: Layout) -> None:
    with dinner.settings.open("a", encoding="utf-8") as file:
        file.write("\ndirector: script\nreflection: {threshold: 20}\n")
    dinner.scripts.mkdir()
    script = "scenes: [{type: reflection, with: [alex]}, {type: work, with: [casey, jordan]}]\n"
    (dinner.scripts / "every-day.yaml").write_text(script, encoding="utf-8")
    play(dinner)
    left = [node for node in records(dinner.stream("alex")) if node["metadata"].get("kind") == "plan-left"]
    last = max(line["scene"] for line in records(dinner.day_log(1)) if "scene" in line)
    assert [node["created"] for node in left] == [f"day-001/scene-{last:02d}"]


def test_a_command_that_is_run_again_between_dusk_and_the_diaries_finds_that_it_has_fallen(dinner: Layout) -> None:
    set_sections(dinner.settings, "diary: on")

    def stop(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose == "diary":
            raise BackendError("the line is dead")
        return reply

    with pytest.raises(BackendError):
        play(dinner, backend=Scripted(stop))
    assert faults(dinner) == [], "no summary lists these memories yet"
    before = {name: dinner.stream(name).read_bytes() for name in CAST}
    assert b'"plan-left"' not in b"".join(before.values()), "the diaries say what is left"
    play(dinner)
    for name, text in before.items():
        assert dinner.stream(name).read_bytes().removeprefix(text).count(b'"plan-left"') == 1
    assert faults(dinner) == []


def test_a_promise_that_was_kept_in_a_scene_is_open_in_no_evening_letter(dinner: Layout) -> None:
    set_sections(dinner.settings, EVENINGS)
    said = "Casey, I carry the sealed Tannery box out of the study."

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        reply = {**reply, "opens": [], "closes": [], "plan_status": []} if "opens" in reply else reply
        if request.who == "alex" and request.place == "day-001/scene-01":
            reply["dialogue"] = [{"to": "casey", "text": said}]
            reply["opens"] = [{"kind": "promise", "to": "casey", "text": said, "due": 1}]
            reply["plan"] = {"work": ["Carry the sealed Tannery box out of the study"], "talk_to": []}
        elif request.who == "alex" and request.purpose == "scene" and "casey" in about(request).scene.cast:
            reply["closes"] = [{"id": "thread-001", "outcome": "kept", "text": "It is open."}]
        return {**reply, "plan": None} if request.place != "day-001/scene-01" and "opens" in reply else reply

    backend = Scripted(change)
    play(dinner, backend=backend)
    assert load_world(dinner).world.threads[0].outcome == "kept"
    for who in ("alex", "casey"):
        for purpose in ("diary", "reflection"):
            (text,) = letters(backend.asked, purpose, who)
            opened = text.partition("## What is open")[2]
            assert "thread-001" not in text, purpose
            assert said not in opened, purpose
            assert (
                who == "casey" or "\n1. For Sunday: Carry the sealed Tannery box out of the study (done)\n" in text
            ), purpose


def test_a_reflection_lists_no_bare_ids(dinner: Layout) -> None:
    set_sections(dinner.settings, EVENINGS)
    backend = Counting()
    play(dinner, backend=backend)
    for text in letters(backend.asked, "reflection"):
        shown = re.sub(r"  \(rests on .*\)$", "", text, flags=re.MULTILINE)
        assert not re.search(r"(?:`?\w+-\d{3}`?, ){2}", shown)
