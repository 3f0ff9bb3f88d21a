"""Which keys of a reply belong to a layer of a mind, and in which form importance is asked for."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from gm.model.importance_source import weigh_keys, weighed_schema
from gm.model.mind import OfLayer, hidden_keys, inner_forms, is_on, layer_keys


class Belief(BaseModel):
    text: str
    next: Belief | None = None


class Memory(BaseModel):
    description: str
    importance: int | None = None
    facets: dict[str, float] | None = None


class Answer(BaseModel):
    mood: str
    memories: list[Memory] = Field(default_factory=list)
    soul: Annotated[list[Belief] | None, OfLayer("soul")] = None
    page: Annotated[str, "no layer", OfLayer("working")] = ""


@pytest.mark.parametrize(
    ("switch", "present", "on"),
    [
        ("auto", False, False),
        ("auto", True, True),
        ("on", False, True),
        ("on", True, True),
        ("off", False, False),
        ("off", True, False),
    ],
)
def test_a_layer_is_on_when_switched_on_or_when_a_character_has_a_file(switch: str, present: bool, on: bool) -> None:
    assert is_on(switch, present) is on


def test_keys_of_a_layer_are_hidden_while_it_is_off() -> None:
    assert layer_keys(Answer) == {"soul": "soul", "page": "working"}
    assert hidden_keys(Answer, ()) == {"soul", "page"}
    assert hidden_keys(Answer, ("working",)) == {"soul"}
    assert hidden_keys(Answer, ("working", "soul")) == frozenset()


def test_a_reply_is_made_up_of_forms_also_of_one_that_holds_itself() -> None:
    assert inner_forms(Answer) == {"Memory": Memory, "Belief": Belief}
    assert inner_forms(Memory) == {}


SCHEMA: dict[str, Any] = {
    "$defs": {
        "Memory": {
            "properties": {"description": {}, "importance": {"type": "integer"}},
            "required": ["description", "importance"],
        },
        "Bare": {"properties": {"importance": {}}},
        "Belief": {"properties": {"text": {}}, "required": ["text"]},
    }
}


def test_a_world_that_asks_for_a_number_changes_nothing_in_the_form() -> None:
    assert weighed_schema(SCHEMA, "reply") == SCHEMA
    assert weighed_schema(SCHEMA, "reply") is not SCHEMA


def test_a_world_that_asks_for_facets_requires_them_in_the_place_of_the_number() -> None:
    found = weighed_schema(SCHEMA, "facets")["$defs"]
    assert list(found["Memory"]["properties"]) == ["description", "facets"]
    assert found["Memory"]["properties"]["facets"] == {"$ref": "#/$defs/Facets"}
    assert found["Memory"]["required"] == ["description", "facets"]
    assert found["Bare"] == {"properties": {"facets": {"$ref": "#/$defs/Facets"}}, "required": ["facets"]}
    assert found["Belief"] == SCHEMA["$defs"]["Belief"]
    assert set(found["Facets"]["required"]) == {"goal_relevance", "emotional_impact", "novelty"}


def test_a_world_that_rates_by_rule_asks_for_nothing() -> None:
    found = weighed_schema(SCHEMA, "heuristic")["$defs"]
    assert found["Memory"] == {"properties": {"description": {}}, "required": ["description"]}
    assert found["Bare"] == {"properties": {}, "required": []}
    assert "Facets" not in found
    assert SCHEMA["$defs"]["Memory"]["required"] == ["description", "importance"], "the old form stays as it is"


@pytest.mark.parametrize("source", ["facets", "heuristic"])
def test_a_form_in_which_nothing_is_weighed_stays_as_it_is(source: str) -> None:
    assert weighed_schema({"properties": {}}, source) == {"properties": {}}
    assert weighed_schema({"$defs": {"Belief": {}}}, source) == {"$defs": {"Belief": {}}}


def test_what_was_not_asked_for_is_taken_out_of_a_reply_where_something_is_weighed() -> None:
    memory = {"description": "…", "importance": 9, "facets": {"novelty": 1}}
    data = {"memories": [memory, "odd"], "plan": memory, "artifact": None, "importance": 3, "soul": {"facets": 1}}
    plain = {"description": "…", "importance": 9}
    bare = {"description": "…"}
    assert weigh_keys(data, "reply") == {**data, "memories": [plain, "odd"], "plan": plain}
    assert weigh_keys(data, "heuristic") == {**data, "memories": [bare, "odd"], "plan": bare}
    assert weigh_keys(data, "facets") == data
