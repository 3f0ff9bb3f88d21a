"""What a reply may say about a layer of a mind is asked for, and read, only while the layer is on."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from gm.day.interview import schema_of
from gm.model.layers import Layer, hidden_keys, is_on
from gm.reply.parse import parse_reply


class Belief(BaseModel):
    text: str


class Beliefs(BaseModel):
    add: list[Belief] = Field(default_factory=list)


class Answer(BaseModel):
    mood: str
    soul: Annotated[Beliefs | None, Layer("soul")] = None
    page: Annotated[str, Layer("working")] = ""


SAID = '{"mood": "ruhig", "soul": {"add": [{"text": "Mut"}]}, "page": "Seite"}'


def test_a_layer_that_is_off_is_not_in_the_schema_and_neither_is_what_only_it_uses() -> None:
    schema = schema_of(Answer)
    assert list(schema["properties"]) == ["mood"]
    assert schema["required"] == ["mood"]
    assert schema["$defs"] == {}


def test_the_keys_of_a_layer_that_is_on_are_required() -> None:
    schema = schema_of(Answer, frozenset({"soul"}))
    assert list(schema["properties"]) == ["mood", "soul"]
    assert schema["required"] == ["mood", "soul"]
    assert set(schema["$defs"]) == {"Belief", "Beliefs"}


def test_what_is_said_about_a_layer_that_is_off_is_ignored_and_named() -> None:
    parsed = parse_reply(SAID, Answer, hidden=hidden_keys(Answer, ["working"]))
    assert parsed.reply == Answer(mood="ruhig", page="Seite")
    assert parsed.repairs == ("unknown key ignored: soul",)


def test_a_layer_is_on_when_it_is_switched_on_or_when_somebody_has_a_file_of_it() -> None:
    assert [is_on(switch, present) for switch in ("auto", "on", "off") for present in (False, True)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip
