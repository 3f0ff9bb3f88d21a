"""Evenings on which characters reflect by questions that they put to their own memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.accumulators import describe_accumulators
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.llm.choose import Choice
from gm.play.master import game_master
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import (
    Counting,
    Heard,
    Scripted,
    about,
    letter,
    nodes_of,
    play,
    play_with,
    records,
    set_sections,
    tree,
)

BY_QUESTIONS = "reflection: {method: questions, threshold: 20}\n"
FEW = "reflection: {method: questions, threshold: 20, questions: {recent: 5, questions: 2, memories_per_question: 3}}\n"


def asked_in_the_evening(backend: Counting | Scripted) -> list[Request]:
    return [request for request in backend.asked if request.purpose == "reflection"]


def insights(layout: Layout) -> dict[str, list[dict[str, Any]]]:
    """The insights of reflection scenes, by character."""
    found = {}
    for name in layout.agent_names():
        last = json.loads(layout.agent(name).read_text(encoding="utf-8"))["last_reflection"]
        nodes = records(layout.stream(name))
        scene = next((node["created"] for node in nodes if node["id"] == last), None)
        found[name] = [node for node in nodes if node["created"] == scene and node["type"] == "reflection"]
    return found


def test_the_second_of_two_calls_needs_the_first(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_QUESTIONS)
    backend = Counting()
    play(dinner, backend=backend)
    asked = asked_in_the_evening(backend)
    names = sorted({request.who for request in asked})
    assert names
    half = len(asked) // 2
    assert sorted(request.label for request in asked[:half]) == [f"{name}-questions" for name in names]
    assert sorted(request.label for request in asked[half:]) == names
    assert {request.schema["title"] for request in asked[:half]} == {"QuestionsReply"}
    assert {request.schema["title"] for request in asked[half:]} == {"AnsweringReply"}


def test_insights_say_which_questions_they_answer_and_what_they_rest_on(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_QUESTIONS)
    backend = Counting()
    play(dinner, backend=backend)
    for name, nodes in insights(dinner).items():
        for node in nodes:
            assert node["metadata"]["questions"]
            assert node["evidence"]
            assert node["depth"] >= 1
            assert all(item.startswith(f"{name}-") for item in node["evidence"])
    assert any(insights(dinner).values())


def test_the_accumulator_starts_over_and_the_last_insight_is_named(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_QUESTIONS)
    play(dinner)
    for name, nodes in insights(dinner).items():
        if nodes:
            state = json.loads(dinner.agent(name).read_text(encoding="utf-8"))
            stream = records(dinner.stream(name))
            after = stream[stream.index(nodes[-1]) + 1 :]
            assert state["importance_accumulator"] == sum(node["importance"] for node in after)
            assert state["last_reflection"] == nodes[-1]["id"]


def test_no_more_is_asked_and_looked_up_than_the_settings_say(dinner: Layout) -> None:
    set_sections(dinner.settings, FEW)

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.label.endswith("-questions"):
            return {"questions": [f"Warum {word}?" for word in ("eins", "zwei", "drei", "vier")]}
        return reply

    backend = Scripted(change)
    play(dinner, backend=backend)
    for request in asked_in_the_evening(backend):
        if request.label.endswith("-questions"):
            memories = about(request).memories
            assert len(memories) <= 5
            assert all(node.depth == 0 for node in memories)
        else:
            asked = about(request).asked or ()
            assert len(asked) == 2
            assert all(len(ids) <= 3 for ids in asked)
            assert "Warum eins?" in request.messages[0][1]
            assert "Warum drei?" not in request.messages[0][1]


def test_an_interrupted_evening_goes_on_without_asking_anything_twice(dinner: Layout, tmp_path: Path) -> None:
    set_sections(dinner.settings, BY_QUESTIONS)
    whole = Counting()
    play(dinner, backend=whole)
    questions = [place for place, request in enumerate(whole.asked) if request.label.endswith("-questions")]
    fresh = create_world(tmp_path / "fresh", "dinner")
    set_sections(fresh.settings, BY_QUESTIONS)
    cut = Counting(limit=questions[-1] + 1)
    with pytest.raises(BackendError):
        play(fresh, backend=cut)
    rest = Counting()
    play(fresh, backend=rest)
    assert len(cut.asked) + len(rest.asked) == len(whole.asked)
    assert tree(fresh.root) == tree(dinner.root)


def test_a_number_that_stands_for_no_question_is_told_from_the_evidence(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_QUESTIONS)

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        for insight in reply.get("insights", ()):
            insight["questions"] = [0, 99]
        return reply

    play(dinner, backend=Scripted(change))
    nodes = [node for found in insights(dinner).values() for node in found]
    assert nodes
    assert all(node["metadata"].get("questions", ["?"]) for node in nodes)
    assert any("questions" in node["metadata"] for node in nodes)


def test_insights_weigh_at_least_what_the_settings_say(dinner: Layout) -> None:
    set_sections(dinner.settings, "reflection: {threshold: 20, min_importance: 8}\n")

    def change(_request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        for number, insight in enumerate(reply.get("insights", ())):
            insight["importance"] = 3 if number else 9
        return reply

    play(dinner, backend=Scripted(change))
    nodes = [node for found in insights(dinner).values() for node in found]
    assert {(node["importance"], node["metadata"].get("importance_given")) for node in nodes} == {(9, None), (8, 3)}


def test_reset_before_lets_the_insights_count_for_the_next_reflection(dinner: Layout) -> None:
    set_sections(dinner.settings, "reflection: {threshold: 20, reset: before}\n")
    play(dinner)
    for name, nodes in insights(dinner).items():
        if nodes:
            state = json.loads(dinner.agent(name).read_text(encoding="utf-8"))
            stream = records(dinner.stream(name))
            counted = stream[stream.index(nodes[0]) :]
            assert state["importance_accumulator"] == sum(node["importance"] for node in counted)
    found = as_json(describe_accumulators(load_world(dinner).world, recompute=True))["agents"]
    assert all(item["difference"] == 0 for item in found.values())


def test_a_character_can_be_made_to_reflect_by_questions_at_any_time(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_QUESTIONS)
    backend, heard = Counting(), Heard()
    play_with(dinner, backend, heard, lambda master: master.play_requested(SceneRequest("work", ("alex",))))
    with game_master(dinner, Choice(backend, "a test"), heard, command="test") as master:
        master.play_requested(SceneRequest("reflection", ("alex",)))
    assert [request.label for request in asked_in_the_evening(backend)] == ["alex-questions", "alex"]


@pytest.mark.matrix
@pytest.mark.parametrize("prompts", ["full", "short"])
@pytest.mark.parametrize("template", ["dinner", "studio"])
def test_without_reflection_none_enters_a_stream_and_no_question_asks_for_one(
    template: str, prompts: str, request: pytest.FixtureRequest
) -> None:
    layout: Layout = request.getfixturevalue(template)
    set_sections(layout.settings, f"reflection: {{enabled: false}}\nprompts: {prompts}")
    backend, heard = Counting(), Heard()
    play(layout, days=4, backend=backend, report=heard)
    assert {node["type"] for node in nodes_of(layout)} >= {"observation", "plan"}
    assert not [node["id"] for node in nodes_of(layout) if node["type"] == "reflection" or node["depth"]]
    assert not [text for text in heard.notices if "reflection" in text]
    for asked in backend.asked:
        assert "`reflection`" not in letter(asked)
        assert '"reflection' not in json.dumps(asked.schema)
