"""What is said of the keys of replies: texts by form and key, or what values mean."""

from __future__ import annotations

from typing import Any

import pytest

from gm.model.reply_texts import ReplyTexts, parse_reply_texts
from gm.model.scene_reply import NewMemory, PlanningReply, SceneReply

TEXTS = ReplyTexts(
    {
        "SceneReply": {"mood": "your mood", "plan": "if asked for"},
        "PlanningReply": {"plan": "your plan"},
        "NewMemory": {"type": {"observation": "lived", "plan": "intended"}},
    }
)


def test_a_form_says_what_the_form_says_that_it_extends_unless_it_has_a_text_of_its_own() -> None:
    assert [TEXTS.tell(SceneReply, key) for key in ("mood", "plan", "done")] == ["your mood", "if asked for", ""]
    assert [TEXTS.tell(PlanningReply, key) for key in ("mood", "plan", "done")] == ["your mood", "your plan", ""]


def test_of_values_only_those_that_are_asked_for_are_told() -> None:
    assert TEXTS.tell(NewMemory, "type") == "observation = lived; plan = intended"
    assert TEXTS.tell(NewMemory, "type", ["observation", "conversation"]) == "observation = lived"


def test_a_file_holds_texts_by_form_and_key() -> None:
    data = {"Line": {"to": " a person ", "text": None, "kind": {"a": "one", "b": 2}}, "Plan": None}
    found = {"Line": {"to": "a person", "text": "", "kind": {"a": "one", "b": "2"}}, "Plan": {}}
    assert parse_reply_texts(data) == (found, [])
    assert parse_reply_texts(None) == ({}, [])


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        ("text", (), "found str, expected texts by form and key"),
        ({"Line": ["text"]}, ("Line",), "found list, expected texts by key"),
        ({"Line": {"to": ["a"]}}, ("Line", "to"), "found list, expected a text"),
        ({"values": {"tags": {"a": "b"}}}, ("values", "tags"), "found dict, expected a text"),
        ({"Line": {"to": {"a": {"b": "c"}}}}, ("Line", "to", "a"), "found dict, expected a text"),
    ],
)
def test_what_is_no_text_is_named_with_its_place(data: Any, place: tuple[str, ...], message: str) -> None:
    assert parse_reply_texts(data)[1] == [(place, message)]
