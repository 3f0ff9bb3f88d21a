"""Importance as replies give it: read where it is plain, else left to the one who rates what is missing."""

from __future__ import annotations

import json
import math

import pytest

from gm.ask.reply.importance import read_importance, settle_importance
from gm.ask.reply.parse import parse_reply
from gm.model.replies import ReflectionReply, SceneReply

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
        "memories.1.importance: 'high' is no number from 1 to 10; taken as left out",
        "conversation.importance: list is no number from 1 to 10; taken as left out",
        "themes.0.importance: 11 is no number from 1 to 10; taken as left out",
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
    assert parsed.problems == ("memories.0.importance: 'high' is no number from 1 to 10; taken as left out",)
    insight = {"description": "…", "importance": 7.5, "evidence": ["vera-001"]}
    parsed_insight = parse_reply(json.dumps({"insights": [insight]}), ReflectionReply, importance_required=True)
    assert parsed_insight.reply is not None
    assert parsed_insight.reply.insights[0].importance == 8
