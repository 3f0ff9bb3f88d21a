"""Forms for people: every reply has fields, and what is filled in is a reply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.answers.speech import load_words
from gm.ask.reply.fields import Field, fill_fields, form_fields, read_fields
from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import character_forms
from gm.base.languages import languages
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import DiaryReply

FORMS = character_forms()


def flat(fields: Iterable[Field]) -> Iterator[Field]:
    for field in fields:
        yield field
        for row in field.rows:
            yield from flat(row)


def whole(name: str) -> tuple[Field, ...]:
    """Return the fields of a form with the keys of every layer."""
    form = FORMS[name]
    return form_fields(form, form.model_json_schema()["properties"], kinds=True)


SCENE = whole("SceneReply")


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("language", languages())
def test_every_field_has_a_name_in_every_language(name: str, language: str) -> None:
    words = load_words(language, "gm.faces.web").sentences
    assert not [field.name for field in flat(whole(name)) if f"letter.field.{field.key}" not in words]


@pytest.mark.parametrize("name", FORMS)
def test_names_of_fields_are_unique(name: str) -> None:
    names = [field.name for field in flat(whole(name)) if field.kind != "rows"]
    assert len(set(names)) == len(names)


def test_what_is_filled_in_is_a_reply() -> None:
    fields = form_fields(FORMS["SceneReply"])
    filled = {
        "action": "Vera nods.",
        "dialogue.0.to": "tobi",
        "dialogue.0.text": "No.",
        "dialogue.2.text": "Never.",
        "thoughts": "",
        "mood": "calm",
        "memories.0.type": "observation",
        "memories.0.description": "I said no.",
        "memories.0.importance": "6",
        "memories.0.tags": "tobi, no ,",
        "memories.1.importance": "5",
        "done": "on",
    }
    data = read_fields(fields, filled)
    reply = parse_reply(json.dumps(data), SceneReply).reply
    assert reply is not None
    assert [(line.to, line.text) for line in reply.dialogue] == [("tobi", "No."), (None, "Never.")]
    assert [(one.importance, one.tags) for one in reply.memories] == [(6, ["tobi", "no"])]
    assert reply.done
    assert "conversation" not in data


def test_only_a_memory_begins_as_an_observation() -> None:
    first = {field.name: field.first for field in flat(SCENE) if field.key == "type"}
    assert first["memories.0.type"] == "observation"
    assert first["relationships.0.type"] == ""
    data: Any = read_fields(SCENE, {"relationships.0.with": "tobi", "relationships.0.tone": "warm"})
    assert data["relationships"] == [{"with": "tobi", "tone": "warm"}]


def test_an_item_with_a_choice_alone_is_left_out() -> None:
    assert "memories" not in read_fields(form_fields(SceneReply), {"memories.0.type": "plan", "mood": "calm"})


@pytest.mark.parametrize("filled", [{"memories.0.importance": "5\x1b"}, {"memories.0.tags": " , "}])
def test_what_says_no_more_than_an_untouched_field_makes_no_item(filled: dict[str, str]) -> None:
    assert "memories" not in read_fields(form_fields(SceneReply), filled)


def test_a_plan_is_asked_for_only_where_it_is_needed() -> None:
    planning = {field.key: field.required for field in form_fields(PlanningReply)}
    assert planning["plan"]
    assert not next(field for field in form_fields(SceneReply) if field.key == "plan").required
    data: Any = read_fields(form_fields(PlanningReply), {"plan.work": "a tower\n\n a gate "})
    assert data["plan"]["work"] == ["a tower", "a gate"]


def test_layers_that_are_off_have_no_fields() -> None:
    assert "soul" not in {field.key for field in form_fields(DiaryReply)}
    assert "relationships" not in {field.key for field in form_fields(SceneReply)}
    assert "relationships" in {field.key for field in form_fields(SceneReply, ("mood", "relationships"))}


@pytest.mark.parametrize("text", ["many", "nan", "1e999", "9" * 5000, "5 or 6"])
def test_a_number_that_is_none_stays_a_text_for_the_check(text: str) -> None:
    fields = form_fields(SceneReply)
    data: Any = read_fields(fields, {"mood": "calm", "memories.0.description": "I.", "memories.0.importance": text})
    assert data["memories"][0]["importance"] == text


@given(st.dictionaries(st.sampled_from([field.name for field in flat(SCENE)]), st.text(max_size=20)))
def test_an_answer_fills_in_what_it_was_made_of(filled: dict[str, str]) -> None:
    data = read_fields(SCENE, filled)
    again = fill_fields(SCENE, json.dumps(data))
    assert read_fields(SCENE, {"done": "", **again}) == data


def test_what_was_taken_out_of_a_field_stays_out() -> None:
    filled = fill_fields(SCENE, '{"memories": [{"description": "I."}]}')
    assert filled["memories.0.importance"] == ""
    data: Any = read_fields(SCENE, filled)
    assert "importance" not in data["memories"][0]


def test_what_is_no_object_fills_in_nothing() -> None:
    assert fill_fields(form_fields(SceneReply), "I would rather not.") == {}
