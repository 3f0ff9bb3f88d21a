"""The form of a request: cache marks, the schema, and who is a foreign server."""

from __future__ import annotations

import json

import pytest

from gm.llm.base import Block, Request
from gm.llm.packaged import words
from gm.llm.wire import Lifetime, is_about_schema, is_foreign, render_messages, render_system

SCHEMA_IN_WORDS = words()["schema"]

SCHEMA = {"title": "Reply", "type": "object", "properties": {"mood": {"type": "string", "description": "müde?"}}}


def question(*turns: tuple[str, str]) -> Request:
    return Request("vera", "scene", (Block("Welt", cache=True),), turns, SCHEMA, 500)


def marks(cached: str, lifetime: Lifetime | None = "5m") -> list[int]:
    """Render blocks, ``x`` for each one that ends a stable prefix, and tell which are marked."""
    blocks = [Block(f"part {place}", cache=sign == "x") for place, sign in enumerate(cached)]
    return [place for place, param in enumerate(render_system(blocks, lifetime)) if "cache_control" in param]


@pytest.mark.parametrize(
    ("address", "foreign"),
    [
        ("", False),
        ("https://api.anthropic.com", False),
        ("https://api.eu.anthropic.com/v1", False),
        ("https://anthropic.com", False),
        ("https://API.Anthropic.com:443", False),
        ("http://localhost:11434", True),
        ("https://notanthropic.com", True),
        ("https://api.anthropic.com.example.org", True),
        ("https://api.anthropic.com@example.org", True),
        ("api.anthropic.com", True),
    ],
)
def test_an_address_outside_anthropic_is_foreign(address: str, foreign: bool) -> None:
    assert is_foreign(address) is foreign


def test_marks_stand_only_where_a_prefix_ends_that_stays() -> None:
    assert marks("x.x") == [0, 2]
    assert marks("...") == []


def test_of_more_than_four_marks_the_first_and_the_last_three_stay() -> None:
    assert marks("xxxx") == [0, 1, 2, 3]
    assert marks("xx.xxx") == [0, 3, 4, 5]
    assert marks("xxxxxxx") == [0, 4, 5, 6]


def test_nothing_is_marked_when_caching_is_off() -> None:
    assert marks("xxx", None) == []


def test_the_longer_lifetime_is_said_the_usual_one_is_not() -> None:
    (usual,) = render_system([Block("Welt", cache=True)], "5m")
    (longer,) = render_system([Block("Welt", cache=True)], "1h")
    assert usual["cache_control"] == {"type": "ephemeral"}
    assert longer["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_the_schema_stands_at_the_end_of_the_last_question_only() -> None:
    turns = (("user", "Und?\n"), ("assistant", "Prosa."), ("user", "Noch einmal.\n"))
    first, answer, last = render_messages(question(*turns), with_schema=True)
    assert (first["content"], answer["content"]) == ("Und?\n", "Prosa.")
    text = str(last["content"])
    head, schema = text.split("\n" + SCHEMA_IN_WORDS + "\n")
    assert head == "Noch einmal.\n"
    assert json.loads(schema) == SCHEMA
    assert "\n" not in schema
    assert "müde?" in schema


def test_without_the_schema_the_turns_stay_as_they_are() -> None:
    (only,) = render_messages(question(("user", "Und?\n")), with_schema=False)
    assert only == {"role": "user", "content": "Und?\n"}


@pytest.mark.parametrize(
    ("status", "said", "about"),
    [
        (400, "output_config: Extra inputs are not permitted", True),
        (422, "{'detail': [{'loc': ['body', 'output_config']}]}", True),
        (501, "structured outputs are not implemented", True),
        (400, 'json: unknown field "output_config"', True),
        (404, "model 'qwen9' not found", False),
        (400, "max_tokens must be positive", False),
        (401, "output_config is for members", False),
        (500, "output_config crashed me", False),
    ],
)
def test_a_refusal_of_the_schema_is_told_from_other_refusals(status: int, said: str, about: bool) -> None:
    assert is_about_schema(status, said) is about
