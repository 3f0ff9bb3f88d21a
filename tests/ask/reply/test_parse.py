from __future__ import annotations

import json
import math
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BeforeValidator, Field

from gm.ask.reply.parse import (
    MOST_KEYS,
    MOST_PROBLEMS,
    bound_reply,
    parse_reply,
    read_importance,
    settle_importance,
    validate_reply,
)
from gm.base.config import ReplySettings
from gm.model.reply_form import Form
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import ReflectionReply

PLAIN: list[tuple[object, int]] = [
    (7, 7), (7.0, 7), (7.5, 8), (6.5, 7), (7.49, 7), (1, 1), (10, 10), ("7", 7), (" 7 ", 7), ("7/10", 7),
    ("7 of 10", 7), ("8 (important)", 8),
    ("**9**", 9), ("7,5", 8), ("importance: 3", 3), ("on a scale of 1 to 10: 4", 4),
]  # fmt: skip
UNUSABLE: list[object] = [
    11, 0, -3, 10.4, 0.9, math.inf, -math.inf, math.nan, 10**30, True, False, "high", "", "5 or 6", "7/12", "-3", "11",
    "9" * 300, [], [7], {}, {"value": 7},
]  # fmt: skip


@pytest.mark.parametrize(("value", "importance"), PLAIN)
def test_a_plain_number_is_read(value: object, importance: int) -> None:
    assert read_importance(value) == importance


@pytest.mark.parametrize("value", UNUSABLE)
def test_what_is_no_number_from_one_to_ten_is_never_guessed(value: object) -> None:
    assert read_importance(value) is None


def test_all_parts_of_a_reply_are_settled() -> None:
    settled = settle_importance(
        {
            "memories": [{"importance": 7.5}, {"importance": "high"}, {"importance": None}, {}, "no object"],
            "conversation": {"importance": [1]},
            "artifact": None,
            "themes": [{"importance": 11}],
            "mood": {"importance": "left alone"},
        }
    )
    assert settled.data == {
        "memories": [{"importance": 8}, {"importance": None}, {"importance": None}, {}, "no object"],
        "conversation": {"importance": None},
        "artifact": None,
        "themes": [{"importance": None}],
        "mood": {"importance": "left alone"},
    }
    assert settled.read == ("memories.0.importance: 7.5 read as 8",)
    assert list(settled.unusable.values()) == [
        "memories.1.importance: 'high' is not a number from 1 to 10; taken as left out",
        "conversation.importance: list is not a number from 1 to 10; taken as left out",
        "themes.0.importance: 11 is not a number from 1 to 10; taken as left out",
    ]


def said(importance: str) -> str:
    memory = f'{{"type": "plan", "description": "Morgen zu Emre.", "importance": {importance}}}'
    return f'{{"mood": "ruhig", "memories": [{memory}]}}'


@pytest.mark.parametrize("importance", ["11", "-3", '"high"', "true", "[]", "1e999", "NaN", "9" * 400, "9" * 5000])
def test_a_memory_of_unusable_importance_is_a_memory_without_one(importance: str) -> None:
    parsed = parse_reply(said(importance), SceneReply)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].importance is None
    assert parsed.repairs[0].endswith("taken as left out")


@pytest.mark.parametrize("number", ["0x" + "F" * 5000, "1:" * 5000 + "1", "1" * 5000])
def test_an_absurd_number_in_yaml_is_no_importance(number: str) -> None:
    text = f"mood: ruhig\nmemories:\n- type: plan\n  description: Morgen zu Emre.\n  importance: {number}\n"
    parsed = parse_reply(text, SceneReply)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].importance is None


def test_a_world_that_wants_importance_is_told_which_cannot_be_read() -> None:
    parsed = parse_reply(said('"high"'), SceneReply, importance_required=True)
    assert parsed.problems == ("memories.0.importance: 'high' is not a number from 1 to 10; taken as left out",)
    insight = {"description": "…", "importance": 7.5, "evidence": ["vera-001"]}
    parsed_insight = parse_reply(json.dumps({"insights": [insight]}), ReflectionReply, importance_required=True)
    assert parsed_insight.reply is not None
    assert parsed_insight.reply.insights[0].importance == 8


WHOLE: dict[str, Any] = {
    "action": "legt den Stift weg",
    "dialogue": [{"to": "emre", "text": "Der Turm steht schief."}],
    "thoughts": "Er wird es merken.",
    "mood": "wach",
    "memories": [{"type": "observation", "description": "Der Turm steht schief.", "importance": 6, "tags": ["turm"]}],
    "conversation": None,
    "done": True,
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_a_reply_that_fits_has_neither_problems_nor_repairs() -> None:
    parsed = parse_reply(json.dumps(WHOLE), SceneReply)
    assert parsed.reply == SceneReply.model_validate(WHOLE)
    assert (parsed.problems, parsed.repairs) == ((), ())


def test_repairs_are_recorded_with_the_reply() -> None:
    parsed = parse_reply("Gern:\n```json\n" + json.dumps({**WHOLE, "depth": 3, "aura": 1}) + "\n```", SceneReply)
    assert parsed.reply == SceneReply.model_validate(WHOLE)
    assert parsed.repairs == (
        "taken out of a fenced block",
        "unknown keys ignored: aura, depth",
    )
    many = parse_reply(json.dumps({**WHOLE, **{f"key{number:02}": 1 for number in range(30)}}), SceneReply)
    assert len(many.repairs) == 1
    assert many.repairs[0].startswith("unknown keys ignored: key00, key01")
    assert many.repairs[0].endswith(f" and {30 - MOST_PROBLEMS} more")


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_answer_is_called_empty(text: str) -> None:
    assert parse_reply(text, SceneReply).problems == ("the answer is empty",)


def test_a_reply_without_an_object_shows_how_it_begins() -> None:
    parsed = parse_reply("  Das kann ich\nnicht beantworten. " + "Wirklich nicht. " * 20, SceneReply)
    assert parsed.reply is None
    (problem,) = parsed.problems
    assert problem.startswith("no JSON object found; the answer begins: 'Das kann ich nicht beantworten.")
    assert len(problem) < 130


def test_every_problem_is_named_by_its_place_and_with_what_was_found() -> None:
    broken = {"dialogue": [{"text": ""}], "memories": [{"type": "dream", "description": "…", "tags": [7]}]}
    problems = parse_reply(json.dumps(broken), SceneReply).problems
    assert [problem.partition(":")[0] for problem in problems] == [
        "dialogue.0.text",
        "mood",
        "memories.0.type",
        "memories.0.tags.0",
    ]
    assert "mood: missing" in problems
    assert problems[3].endswith("(found: 7)")


def test_problems_are_few_and_short_enough_to_be_shown() -> None:
    broken = {"mood": "x", "memories": [{"type": "y" * 500}] * 50}
    problems = parse_reply(json.dumps(broken), SceneReply).problems
    assert len(problems) == 12
    assert all(len(problem) < 250 for problem in problems)


def test_a_reply_of_the_other_kind_does_not_fit() -> None:
    assert parse_reply(json.dumps(WHOLE), ReflectionReply).problems == ("insights: missing",)


def test_yaml_of_a_person_is_a_reply() -> None:
    parsed = parse_reply("mood: ruhig\nmemories:\n- type: plan\n  description: Morgen zu Emre.\n", SceneReply)
    assert parsed.reply is not None
    assert parsed.reply.memories[0].description == "Morgen zu Emre."
    assert parsed.repairs == ("read as YAML",)


@given(st.dictionaries(st.sampled_from(list(SceneReply.model_fields)), json_values))
def test_any_object_is_a_reply_or_a_list_of_problems(data: dict[str, Any]) -> None:
    parsed = parse_reply(json.dumps(data), SceneReply)
    assert (parsed.reply is None) == bool(parsed.problems)


@given(st.text())
def test_any_text_is_a_reply_or_a_list_of_problems(text: str) -> None:
    parsed = parse_reply(text, SceneReply)
    assert (parsed.reply is None) == bool(parsed.problems)


@pytest.mark.parametrize("text", ['{"mood": "\\ud800"}', '{"mood": "ruhig", "\\ud800": 1}'])
def test_half_a_character_leaves_nothing_that_a_file_could_not_hold(text: str) -> None:
    parsed = parse_reply(text, SceneReply)
    for sentence in (*parsed.problems, *parsed.repairs):
        sentence.encode("utf-8")


def test_importance_that_is_required_is_missed_wherever_there_is_room_for_it() -> None:
    parts = {
        "memories": [{"type": "plan", "description": "…", "importance": 4}, {"type": "plan", "description": "…"}],
        "conversation": {"description": "…"},
        "artifact": {"title": "T", "kind": "audio", "description": "…", "body": "…"},
        "plan": {"work": ["…"]},
    }
    text = json.dumps({**WHOLE, **parts})
    assert parse_reply(text, SceneReply).reply is not None
    parsed = parse_reply(text, SceneReply, importance_required=True)
    assert parsed.reply is None
    assert parsed.problems == (
        "memories.1.importance: missing",
        "conversation.importance: missing",
        "artifact.importance: missing",
        "plan.importance: missing",
    )
    insight = {"description": "…", "evidence": ["vera-001"]}
    parsed_insights = parse_reply(json.dumps({"insights": [insight]}), ReflectionReply, importance_required=True)
    assert parsed_insights.problems == ("insights.0.importance: missing",)
    assert parse_reply(json.dumps(WHOLE), SceneReply, importance_required=True).reply is not None


def test_three_facets_become_the_importance_of_any_item() -> None:
    facets = {"goal_relevance": 1, "emotional_impact": 1, "novelty": 1}
    kept = {"type": "plan", "description": "…"}
    data = {**WHOLE, "memories": [{**kept, "facets": facets}, kept], "conversation": {**kept, "facets": facets}}
    parsed = parse_reply(json.dumps(data), SceneReply, importance_from="facets")
    assert parsed.reply is not None
    assert [item.importance for item in parsed.reply.memories] == [10, None]
    assert parsed.reply.conversation is not None
    assert parsed.reply.conversation.importance == 10
    unasked = parse_reply(json.dumps(data), SceneReply)
    assert unasked.reply is not None
    assert unasked.reply.memories[0].importance is None


@pytest.mark.parametrize("share", [True, "viel"])
def test_a_facet_is_a_number(share: object) -> None:
    facets = {"goal_relevance": share, "emotional_impact": 1, "novelty": 1}
    data = {**WHOLE, "memories": [{"type": "plan", "description": "…", "facets": facets}]}
    parsed = parse_reply(json.dumps(data), SceneReply, importance_from="facets")
    assert parsed.reply is None
    assert parsed.problems[0].startswith("memories.0.facets.goal_relevance: ")


@pytest.mark.parametrize(("share", "same"), [(-0.1, 0), (1.1, 1)])
def test_a_facet_beyond_nothing_or_everything_is_nothing_or_everything(share: float, same: int) -> None:
    found = []
    for number in (share, same):
        facets = {"goal_relevance": number, "emotional_impact": 1, "novelty": 1}
        data = {**WHOLE, "memories": [{"type": "plan", "description": "…", "facets": facets}]}
        found.append(parse_reply(json.dumps(data), SceneReply, importance_from="facets"))
    assert found[0].reply == found[1].reply
    assert found[0].repairs == (f"memories.0.facets.goal_relevance: {share:g} read as {same}",)


def test_a_world_that_rates_by_rule_hears_no_importance() -> None:
    facets = {"goal_relevance": 1, "emotional_impact": 1, "novelty": 1}
    data = {**WHOLE, "memories": [{"type": "plan", "description": "…", "importance": 9, "facets": facets}]}
    parsed = parse_reply(json.dumps(data), SceneReply, importance_from="heuristic")
    assert parsed.reply is not None
    assert (parsed.reply.memories[0].importance, parsed.reply.memories[0].facets) == (None, None)


def test_what_was_repaired_is_told_also_when_the_reply_does_not_fit_or_lacks_importance() -> None:
    odd = json.dumps({**WHOLE, "mood": "wa\u0007ch"})
    parsed = parse_reply(odd, SceneReply)
    assert parsed.reply is not None
    assert (parsed.reply.mood, parsed.repairs) == ("wach", ("control characters removed",))
    removed = ("control characters removed",)
    assert parse_reply(json.dumps({"mood": 3, "action": "\u0007"}), SceneReply).repairs == removed
    lacking = json.dumps({**WHOLE, "mood": "\u0007ja", "conversation": {"description": "…"}})
    assert parse_reply(lacking, SceneReply, importance_required=True).repairs == removed
    unknown = json.dumps({"odd": 1, "mood": 3})
    assert parse_reply(unknown, SceneReply).repairs == (), "what does not fit has nothing that was ignored"


def test_what_was_found_instead_is_shown_where_it_is_short_and_else_its_kind() -> None:
    assert parse_reply('{"mood": ["a", 2]}', SceneReply).problems[0].endswith("(found: list)")
    assert parse_reply('{"mood": 7}', SceneReply).problems[0].endswith("(found: 7)")
    assert parse_reply('{"mood": null}', SceneReply).problems == ("mood: missing",)
    assert validate_reply(3, SceneReply, ("found",)).problems[0].startswith("reply: ")
    assert validate_reply(3, SceneReply, ("found",)).repairs == ("found",)


def test_one_item_is_read_as_a_list_of_it_and_texts_as_one_text() -> None:
    said = {"mood": ["wach", "froh"], "thoughts": [], "dialogue": {"to": None, "text": "Ja."}}
    parsed = parse_reply(
        json.dumps(
            {**said, "memories": [{"type": "observation", "description": "Gips.", "importance": 3, "tags": "gips"}]}
        ),
        SceneReply,
    )
    assert parsed.reply is not None
    assert (parsed.reply.mood, parsed.reply.thoughts) == ("wach froh", "")
    assert [line.text for line in parsed.reply.dialogue] == ["Ja."]
    assert parsed.reply.memories[0].tags == ["gips"]
    assert "mood: list read as a text" in parsed.repairs
    assert "dialogue: dict read as a list of it" in parsed.repairs


class OddForm(Form):
    """Reads other shapes than it was given."""

    inner: Annotated[list[SceneReply], BeforeValidator(lambda value: [{"mood": [value]}])] = Field([])
    outer: Annotated[list[str], BeforeValidator(lambda _value: {"a": "b"})] = Field([])


@pytest.mark.parametrize("data", [{"inner": "x"}, {"outer": "x"}])
def test_what_a_form_has_read_in_another_shape_is_not_mended(data: dict[str, str]) -> None:
    assert validate_reply(data, OddForm).problems


def test_of_several_objects_the_one_with_the_keys_of_the_form_is_the_reply() -> None:
    parsed = parse_reply('Erst {"note": "x", "size": 3}, dann {"mood": "wach"}.', SceneReply)
    assert parsed.reply is not None
    assert parsed.reply.mood == "wach"


@pytest.mark.parametrize(("given", "read"), [(37, 1.0), (-2.5, -1.0), (1e999, 1.0), (0.5, 0.5)])
def test_a_measure_that_is_out_of_its_range_counts_as_the_nearest_one(given: float, read: float) -> None:
    data = {"mood": "ruhig", "conversation": {"description": "Mit Leo.", "importance": 3, "valence": given}}
    parsed = parse_reply(json.dumps(data), SceneReply)
    assert parsed.reply is not None
    assert parsed.reply.conversation is not None
    assert parsed.reply.conversation.valence == read
    assert parsed.repairs == ((f"conversation.valence: {given} read as {read:g}",) if read != given else ())


def test_a_number_that_names_something_is_never_moved_into_its_range() -> None:
    data = {"mood": "ruhig", "conversation": {"description": "Mit Leo.", "importance": 3, "valence": 7}}
    for more in (
        {"plan_status": [{"item": 0, "status": "done", "text": ""}]},
        {"opens": [{"kind": "promise", "to": None, "text": "x", "due": -1}]},
    ):
        parsed = parse_reply(json.dumps({**data, **more}), SceneReply)
        assert parsed.reply is None
        assert any("greater than or equal to" in problem for problem in parsed.problems)


FEW = ReplySettings(most_items=2, most_characters=100, most_body_characters=200)


def test_what_is_within_the_limits_stays_as_it_is() -> None:
    data = {"mood": "ruhig", "done": True, "due": 3, "opens": [{"text": "x"}], "artifact": {"body": "y" * 200}}
    assert bound_reply(data, FEW) == (data, ())


def test_the_first_items_and_the_beginnings_of_texts_are_taken_and_the_rest_is_named() -> None:
    data = {
        "memories": [{"tags": ["a", "b", "c"]}, {"tags": []}, {"tags": []}],
        "working": {str(number): "1" for number in range(MOST_KEYS + 1)},
        "artifact": {"body": "y" * 201, "description": "z" * 101},
    }
    bounded, over = bound_reply(data, FEW)
    assert bounded == {
        "memories": [{"tags": ["a", "b"]}, {"tags": []}],
        "working": {str(number): "1" for number in range(MOST_KEYS)},
        "artifact": {"body": "y" * 200, "description": "z" * 100},
    }
    assert over == (
        "memories: 3 items, the first 2 are taken (reply.most_items)",
        "memories.0.tags: 3 items, the first 2 are taken (reply.most_items)",
        "working: 101 keys, the first 100 are taken",
        "artifact.body: 201 characters, the first 200 are taken (reply.most_body_characters)",
        "artifact.description: 101 characters, the first 100 are taken (reply.most_characters)",
    )


def test_a_small_limit_of_items_cuts_no_key_of_an_object() -> None:
    reports = [{"item": 5, "status": "moved", "text": "later"}] * 2
    data = {"mood": "ruhig", "plan_status": reports}
    parsed = parse_reply(json.dumps(data), SceneReply, limits=ReplySettings(most_items=1))
    assert parsed.reply is not None
    assert [report.model_dump() for report in parsed.reply.plan_status] == reports[:1]


def test_a_reply_of_thousands_of_promises_is_read_as_far_as_the_world_wants() -> None:
    opens = [{"kind": "promise", "text": f"Versprechen {number}"} for number in range(3000)]
    parsed = parse_reply(json.dumps({"mood": "ruhig", "opens": opens}), SceneReply)
    assert parsed.reply is not None
    assert [item.text for item in parsed.reply.opens] == [item["text"] for item in opens[:100]]
    assert parsed.repairs == ("opens: 3000 items, the first 100 are taken (reply.most_items)",)


def test_notices_about_one_reply_are_few() -> None:
    long = {"mood": "ruhig", "thoughts": "", "memories": [{"type": "plan", "description": "x" * 101}] * 50}
    parsed = parse_reply(
        json.dumps({**long, **{f"extra {number}": 1 for number in range(40)}}),
        SceneReply,
        limits=ReplySettings(most_items=50, most_characters=100),
    )
    assert parsed.reply is not None
    assert len(parsed.repairs) == 13 + 1
    assert parsed.repairs[12] == "and 38 more of this kind"
    assert parsed.repairs[13].endswith(" and 28 more")


def test_null_is_what_a_key_is_that_may_be_left_out_at_any_depth() -> None:
    empty = dict.fromkeys(SceneReply.model_fields) | {"mood": "wach"}
    assert parse_reply(json.dumps(empty), SceneReply).reply == parse_reply('{"mood": "wach"}', SceneReply).reply
    memory = {"type": "observation", "description": "Der Gips ist trocken.", "importance": 3}
    nested = {**empty, "memories": [{**memory, "tags": None, "evidence": None}]}
    assert (
        parse_reply(json.dumps(nested), SceneReply).reply
        == parse_reply(json.dumps({"mood": "wach", "memories": [memory]}), SceneReply).reply
    )
    lacking = {**empty, "memories": [{**memory, "description": None}]}
    assert parse_reply(json.dumps(lacking), SceneReply).problems == ("memories.0.description: missing",)
