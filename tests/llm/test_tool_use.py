"""Tools over the Messages API: a day of characters that ask for who they are, from the command line to the socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gm.api.editing.gift import give_memories
from gm.files.layout import Layout
from gm.llm.base import Block, Request
from gm.llm.content import Tool, ToolCall, ToolResult
from gm.llm.packaged import words
from gm.llm.wire import render_messages
from gm.model.scene import SUMMARY
from tests.cli.running import Run, runner
from tests.llm.messages_api import Body, MessagesApi, Reply, answer_well, find_faults, serving
from tests.stories.playing import records, set_sections

SCHEMA_IN_WORDS = words()["schema"]

SECTIONS = (
    "day: {scenes: [2, 3]}\nllm: {max_retries: 1, cache: 5m, structured: schema}\n"
    "persona: {mode: discover, max_tool_rounds: 2}"
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    return runner(capsys)


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesApi]:
    with serving(MessagesApi(asks_first)) as served:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        yield served


@pytest.fixture
def world(studio: Layout) -> Layout:
    set_sections(studio.settings, SECTIONS)
    give_memories(studio)
    return studio


def asks_first(body: Body, number: int) -> Reply:
    """Ask who one is and where, then answer."""
    if len(body["messages"]) == 1:
        return Reply("Moment.", calls=(("query_self", {}), ("query_scene", {})))
    return answer_well(body, number)


def advance(run: Run, layout: Layout) -> Any:
    return run("advance-day", "-w", layout.root, "--model", "some-model")


def test_a_day_is_played_with_tool_use_blocks_that_the_api_takes(world: Layout, api: MessagesApi, run: Run) -> None:
    outcome = advance(run, world)
    assert (outcome.code, api.faults) == (0, []), outcome.err
    assert records(world.day_log(1))[-1]["type"] == SUMMARY
    first, second = ([body for body in api.requests if len(body["messages"]) == length] for length in (1, 3))
    assert first
    assert len(second) == len(first)
    assert all(len(body["tools"]) == 13 and body["tool_choice"] == {"type": "auto"} for body in api.requests)
    assert all("output_config" in body for body in api.requests)
    asked, told = second[0]["messages"][1:]
    assert [block["type"] for block in asked["content"]] == ["text", "tool_use", "tool_use"]
    assert [block["type"] for block in told["content"]] == ["tool_result", "tool_result"]
    assert "Du bist" in told["content"][0]["content"]
    assert all(line["text"].startswith("Hier spricht") for line in records(world.day_log(1))[0]["dialogue"])
    names = {line["text"].split()[-1].rstrip(".") for line in records(world.day_log(1))[0]["dialogue"]}
    assert names == {"emre", "vera", "darius", "nami", "tobi", "leo", "finn"}, "each has found out who it is"


@pytest.mark.slow
def test_in_the_last_round_no_tool_may_be_called(world: Layout, api: MessagesApi, run: Run) -> None:
    def insists(body: Body, number: int) -> Reply:
        if body["tool_choice"] == {"type": "none"}:
            return answer_well(body, number)
        return Reply(calls=(("query_self", {}),))

    api.script = insists
    assert advance(run, world).code == 0
    assert api.faults == []
    assert {len(body["messages"]) for body in api.requests if body["tool_choice"] == {"type": "none"}} == {5}
    assert {len(body["messages"]) for body in api.requests} == {1, 3, 5}


@pytest.mark.slow
def test_what_no_file_can_hold_does_not_come_through_a_call(world: Layout, api: MessagesApi, run: Run) -> None:
    def forms(body: Body, number: int) -> Reply:
        if len(body["messages"]) == 1:
            given = {"content": "Der Turm\x00 steht\ud800.", "importance": 7}
            return Reply(calls=(("query_self", {}), ("form_memory", given)))
        return answer_well(body, number)

    api.script = forms
    assert advance(run, world).code == 0
    nodes = [node for node in records(world.stream("vera")) if node["metadata"].get("source") == "tool"]
    assert nodes
    assert {node["description"] for node in nodes} == {"Der Turm steht."}


@pytest.mark.slow
def test_a_day_that_ends_in_the_middle_of_a_look_goes_on_and_asks_nothing_twice(
    world: Layout, api: MessagesApi, run: Run
) -> None:
    dead: list[int] = []

    def dies(body: Body, number: int) -> Reply:
        if len(body["messages"]) == 3 and len(api.requests) > 9 and len(dead) < 2:
            dead.append(number)
            return Reply(status=400, text="no")
        return asks_first(body, number)

    api.script = dies
    assert advance(run, world).code == 1
    answered = len(api.requests) - len(dead)
    api.script = asks_first
    assert advance(run, world).code == 0
    assert api.faults == []
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in world.traces.rglob("*.json")]
    assert len([record for record in traces if "answer" in record]) == len(api.requests) - len(dead) > answered


def request(*messages: Any) -> Request:
    tool = Tool("query_self", "Who am I?", {"type": "object", "properties": {}})
    return Request("vera", "scene", (Block("x"),), messages, {"type": "object"}, 100, tools=(tool,))


CALLED = ("assistant", ("Moment.", ToolCall("1", "query_self", {})))
TOLD = ("user", (ToolResult("1", "nothing", is_error=True),))


def test_a_schema_in_words_stands_with_the_question_and_not_with_results() -> None:
    rendered = render_messages(request(("user", "Wer bist du?"), CALLED, TOLD), with_schema=True)
    assert SCHEMA_IN_WORDS in str(rendered[0]["content"])
    assert rendered[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "1", "content": "nothing", "is_error": True}
    ]
    again = render_messages(
        request(("user", "Wer?"), CALLED, TOLD, ("assistant", "…"), ("user", "Noch einmal")), with_schema=True
    )
    assert SCHEMA_IN_WORDS in str(again[4]["content"])
    assert SCHEMA_IN_WORDS not in str(again[0]["content"])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"tools": None}, "none are defined"),
        ({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "1", "name": "query_self", "input": {}}]}, {"role": "user", "content": "y"}]},
         "without their results"),
        ({"tool_choice": {"type": "never"}}, "tool_choice"),
    ],
)  # fmt: skip
def test_the_stand_in_refuses_what_the_api_would(change: Body, fault: str) -> None:
    rendered = render_messages(request(("user", "Wer?"), CALLED, TOLD), with_schema=False)
    schema = {"type": "object", "additionalProperties": False}
    body: Body = {
        "model": "m",
        "max_tokens": 5,
        "system": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}],
        "messages": json.loads(json.dumps(rendered)),
        "tools": [{"name": "query_self", "description": "x", "input_schema": {"type": "object"}}],
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }  # fmt: skip
    headers = {"x-api-key": "k", "anthropic-version": "v"}
    assert list(find_faults("/v1/messages", headers, body)) == []
    wrong = {key: value for key, value in (body | change).items() if value is not None}
    assert any(fault in found for found in find_faults("/v1/messages", headers, wrong))
