"""Days in worlds that ask for importance in another way: by facets, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.errors import ReplyError
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.llm.content import text_of
from gm.memory.importance import weigh_facets
from gm.model.importance_source import FACETS, HEURISTIC
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import ReflectionReply
from gm.scene.directing.choosing import SceneRequest
from tests.replies import TEXTS
from tests.stories.playing import Counting, Heard, Scripted, nodes_of, play, play_with, set_sections

LITE = "importance: {from: heuristic}\nreflection: {enabled: false}\n"
BY_FACETS = "importance: {from: facets}\nreflection: {threshold: 20}\n"


def own(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what the Game Master writes by itself."""
    return [node for node in nodes if node["metadata"].get("importance_by") != "gm"]


def everything_asked(request: Request) -> str:
    contents = (text_of(content) for _, content in request.messages)
    return "\n".join((*(block.text for block in request.system), *contents))


def optional_and_unions(schema: dict[str, Any]) -> tuple[int, int]:
    parts = [schema, *schema["$defs"].values()]
    optional = sum(len(set(part["properties"]) - set(part.get("required", ()))) for part in parts)
    return optional, sum("anyOf" in value for part in parts for value in part["properties"].values())


@pytest.mark.parametrize("source", [FACETS, HEURISTIC])
def test_other_forms_have_fewer_optional_keys_and_unions_than_the_usual_one(source: str) -> None:
    usual = optional_and_unions(schema_of(SceneReply, TEXTS))
    other = optional_and_unions(schema_of(SceneReply, TEXTS, frozenset(), source))
    assert other[0] < usual[0] <= 24
    assert other[1] < usual[1] <= 16


def test_the_usual_form_knows_no_facets() -> None:
    for form in (SceneReply, PlanningReply, ReflectionReply):
        assert "acet" not in json.dumps(schema_of(form, TEXTS))
        assert "importance" not in json.dumps(schema_of(form, TEXTS, frozenset(), HEURISTIC))
        assert "importance" not in json.dumps(schema_of(form, TEXTS, frozenset(), FACETS)).replace(
            "What makes a memory", ""
        )


SAID = {"goal_relevance": 1, "emotional_impact": 0.5, "novelty": 0}


def memory(**others: Any) -> str:
    return json.dumps({"mood": "ruhig", "memories": [{"type": "observation", "description": "Text.", **others}]})


def test_the_game_master_weighs_the_facets() -> None:
    parsed = parse_reply(memory(facets=SAID), SceneReply, importance_from=FACETS)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].importance == weigh_facets(SAID) == 6
    assert parsed.reply.memories[0].facets is not None


def test_facets_that_were_not_asked_for_are_ignored() -> None:
    parsed = parse_reply(memory(importance=4, facets="viel"), SceneReply)
    assert parsed.reply is not None
    assert (parsed.reply.memories[0].importance, parsed.reply.memories[0].facets) == (4, None)


def test_a_number_that_was_not_asked_for_is_ignored_where_the_rule_rates() -> None:
    parsed = parse_reply(memory(importance=99), SceneReply, importance_from=HEURISTIC)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].importance is None


def test_a_number_in_the_place_of_facets_counts() -> None:
    parsed = parse_reply(memory(importance=7), SceneReply, importance_from=FACETS)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].importance == 7


@pytest.mark.parametrize("wrong", [{"novelty": 1}, {**SAID, "novelty": True}, "viel"])
def test_facets_that_are_none_are_shown_as_a_problem(wrong: Any) -> None:
    parsed = parse_reply(memory(facets=wrong), SceneReply, importance_from=FACETS)
    assert parsed.reply is None
    assert any("facets" in problem for problem in parsed.problems)


def test_a_facet_beyond_its_measure_is_taken_as_its_end_and_recorded() -> None:
    parsed = parse_reply(memory(facets={**SAID, "novelty": 7}), SceneReply, importance_from=FACETS)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].importance == weigh_facets({**SAID, "novelty": 1})
    assert parsed.repairs == ("memories.0.facets.novelty: 7 read as 1",)


@pytest.mark.parametrize(
    ("facets", "importance"),
    [((0, 0, 0), 1), ((1, 1, 1), 10), ((0.5, 0.5, 0.5), 6), ((1, 0, 0), 5), ((0, 1, 0), 4), ((0, 0, 1), 4)],
)
def test_three_facets_come_to_one_importance(facets: tuple[float, float, float], importance: int) -> None:
    names = ("goal_relevance", "emotional_impact", "novelty")
    assert weigh_facets(dict(zip(names, facets, strict=True))) == importance


def test_a_day_by_facets_keeps_them_beside_what_they_come_to(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_FACETS)
    backend = Counting()
    play(dinner, backend=backend)
    kept = [node for node in own(nodes_of(dinner)) if "facets" in node["metadata"]]
    assert {node["type"] for node in kept} >= {"observation", "plan", "conversation", "artifact", "reflection"}
    assert all(node["importance"] == weigh_facets(node["metadata"]["facets"]) for node in kept)
    for request in backend.asked:
        text = everything_asked(request)
        assert '"facets": {"goal_relevance": 0–1' in text
        assert '"importance": 1–10' not in text
    assert [problem for problem in check_world(dinner).problems if problem.severity != "info"] == []


def test_all_scene_questions_of_a_world_carry_the_same_form(dinner: Layout) -> None:
    set_sections(dinner.settings, BY_FACETS)
    backend = Counting()
    play(dinner, backend=backend)
    forms = {json.dumps(request.schema) for request in backend.asked if request.purpose == "scene"}
    assert len(forms) == 1


def test_missing_facets_are_an_error_where_missing_importance_is(dinner: Layout) -> None:
    set_sections(dinner.settings, "importance: {from: facets, missing: error}\n")

    def change(_request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        for item in reply.get("memories", ()):
            item.pop("facets")
        return reply

    with pytest.raises(ReplyError, match="importance: missing"):
        play_with(
            dinner, Scripted(change), Heard(), lambda master: master.play_requested(SceneRequest("work", ("alex",)))
        )


@pytest.mark.parametrize("missing", ["heuristic", "llm", "batch", "error"])
def test_in_lite_mode_no_character_is_asked_how_important_something_is_and_none_reflects(
    dinner: Layout, missing: str
) -> None:
    set_sections(dinner.settings, LITE.replace("heuristic}", f"heuristic, missing: {missing}}}"))
    backend, heard = Counting(), Heard()
    play(dinner, days=2, backend=backend, report=heard)
    assert {request.purpose for request in backend.asked} == {"scene"}
    for request in backend.asked:
        assert "importance" not in json.dumps(request.schema)
        text = everything_asked(request)
        assert '"importance"' not in text
        assert "from 1 to 10" not in text
    assert {node["metadata"]["importance_by"] for node in own(nodes_of(dinner))} == {"heuristic"}
    assert "REFLECTION" not in {scene.type.name for scene in heard.scenes}
