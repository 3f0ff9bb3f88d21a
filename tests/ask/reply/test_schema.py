"""The schema of a reply: what is asked of a layer of a mind is asked for, and read, only while the layer is on."""

from __future__ import annotations

import json
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from gm import model
from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import PLAN_KEYS, character_forms, form_of, schema_of, sent_form_of
from gm.model.calendar import SceneRef
from gm.model.mind import OfLayer, hidden_keys, is_on
from gm.model.reply_texts import NO_TEXTS
from gm.model.scene import Scene, SceneType
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import DiaryReply, ReflectionReply
from tests.replies import TEXTS


class Belief(BaseModel):
    text: str


class Beliefs(BaseModel):
    add: list[Belief] = Field(default_factory=list)


class Answer(BaseModel):
    mood: str
    soul: Annotated[Beliefs | None, OfLayer("soul")] = None
    page: Annotated[str, OfLayer("working")] = ""


SAID = '{"mood": "ruhig", "soul": {"add": [{"text": "Mut"}]}, "page": "Seite"}'


NOT_BY_HAND = {"ChapterReply", "DirectorReply", "RatingReply", "RatingsReply", "RetellingReply", "SummaryReply"}
"""Replies that no letter asks a person for by a form."""


def test_every_other_form_of_a_reply_is_one_of_characters() -> None:
    modules = [import_module(f"{model.__name__}.{one.name}") for one in iter_modules(model.__path__)]
    replies = {name for module in modules for name in vars(module) if name.endswith("Reply")}
    assert replies - NOT_BY_HAND == set(character_forms())
    assert replies >= NOT_BY_HAND


def test_a_layer_that_is_off_is_not_in_the_schema_and_neither_is_what_only_it_uses() -> None:
    schema = schema_of(Answer, NO_TEXTS)
    assert list(schema["properties"]) == ["mood"]
    assert schema["required"] == ["mood"]
    assert schema["$defs"] == {}


def test_the_keys_of_a_layer_that_is_on_are_required() -> None:
    schema = schema_of(Answer, NO_TEXTS, frozenset({"soul"}))
    assert list(schema["properties"]) == ["mood", "soul"]
    assert schema["required"] == ["mood", "soul"]
    assert set(schema["$defs"]) == {"Belief", "Beliefs"}


def test_what_is_said_about_a_layer_that_is_off_is_ignored_and_named() -> None:
    parsed = parse_reply(SAID, Answer, hidden=hidden_keys(Answer, ["working"]))
    assert parsed.reply == Answer(mood="ruhig", page="Seite")
    assert parsed.repairs == ("unknown key ignored: soul",)


def test_a_layer_is_on_when_it_is_switched_on_or_when_a_character_has_a_file_of_it() -> None:
    assert [is_on(switch, present) for switch in ("auto", "on", "off") for present in (False, True)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip


def scene_of(reply: Literal["scene", "reflection"], *, plan: bool = False) -> Scene:
    kind = SceneType("KIND", "kind.j2", reply=reply, plan=plan)
    return Scene(SceneRef(1, 1), kind, "noon", "", ("vera",), why="", premise="")


def test_a_scene_that_asks_for_a_plan_is_sent_the_schema_of_all_scenes_and_read_more_strictly() -> None:
    planning = scene_of("scene", plan=True)
    assert (sent_form_of(planning), form_of(planning)) == (SceneReply, PlanningReply)
    assert (sent_form_of(scene_of("scene")), form_of(scene_of("scene"))) == (SceneReply, SceneReply)


def test_without_plans_no_form_asks_for_one() -> None:
    assert form_of(scene_of("scene", plan=True), plans=False) is SceneReply
    for form in (SceneReply, PlanningReply, DiaryReply, ReflectionReply):
        schema, full = schema_of(form, TEXTS, plans=False), schema_of(form, TEXTS)
        assert not PLAN_KEYS & {*schema["properties"], *schema.get("required", ())}
        assert not {"Plan", "Talk", "ItemReport"} & schema.get("$defs", {}).keys()
        assert '"plan' not in json.dumps(schema)
        assert schema["properties"].keys() == full["properties"].keys() - PLAN_KEYS


def test_without_reflection_no_memory_of_a_scene_is_one() -> None:
    for plans, kinds in ((True, ["observation", "plan", "conversation"]), (False, ["observation", "conversation"])):
        schema = schema_of(SceneReply, TEXTS, plans=plans, reflects=False)
        told = schema["$defs"]["NewMemory"]["properties"]["type"]
        assert told["enum"] == kinds
        assert told["description"] == "observation = lived" + "; plan = intended" * plans
    assert schema_of(DiaryReply, TEXTS, reflects=False) == schema_of(DiaryReply, TEXTS)


def test_a_look_back_has_a_form_of_its_own() -> None:
    assert (sent_form_of(scene_of("reflection")), form_of(scene_of("reflection"))) == (ReflectionReply, ReflectionReply)


def test_a_layer_inside_a_part_of_a_reply_is_asked_for_with_the_part() -> None:
    memory = schema_of(SceneReply, TEXTS, frozenset({"kinds"}))["$defs"]["NewMemory"]
    assert "kind" in memory["required"]
    assert "kind" not in schema_of(SceneReply, TEXTS)["$defs"]["NewMemory"]["properties"]


class Branch(BaseModel):
    twigs: list[Branch] = Field(default_factory=list)


class Tree(BaseModel):
    trunk: Branch
    page: Annotated[str, OfLayer("working")] = ""


def test_with_every_layer_on_nothing_goes_out_of_the_schema() -> None:
    schema = schema_of(Answer, NO_TEXTS, frozenset({"soul", "working"}))
    assert list(schema["properties"]) == list(Answer.model_fields)


def test_a_part_that_holds_parts_of_its_own_kind_stays_in_the_schema_once() -> None:
    assert list(schema_of(Tree, NO_TEXTS)["$defs"]) == ["Branch"]
