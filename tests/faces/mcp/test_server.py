"""The memory tools over the Model Context Protocol, as a client sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.api.playing.mind.minds import LAYER_TOOLS, LINK_TOOLS, TOOLS, MindTool
from gm.base.errors import UsageError
from gm.base.installed import pip_install
from gm.faces.mcp.server import NOTICES, make_server
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.layers.soul import SOUL
from tests.cli.running import runner
from tests.faces.mcp.arguments import ARGUMENTS
from tests.stories.playing import set_sections

T = TypeVar("T")


@pytest.fixture
def world(dinner: Layout) -> Layout:
    give_memories(dinner)
    return dinner


def ask(layout: Layout, agent: str | None, work: Callable[[Client], Awaitable[T]], patience_s: float = 0.0) -> T:
    async def talk() -> T:
        async with Client(make_server(layout, agent, patience_s)) as client:
            return await work(client)

    return anyio.run(talk)


def call(layout: Layout, whose: str | None, tool: str, /, **arguments: Any) -> CallToolResult:
    return ask(layout, whose, lambda client: client.call_tool(tool, arguments))


def text_of(result: CallToolResult) -> str:
    return " ".join(item.text for item in result.content if isinstance(item, TextContent))


def data_of(result: CallToolResult) -> Any:
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))


def stdio(layout: Layout, *options: str) -> Client:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "gm", "mcp", "-w", str(layout.root), *options], env=dict(os.environ)
    )
    return Client(stdio_client(parameters))


def schemas(layout: Layout, agent: str | None) -> Mapping[str, Any]:
    async def listed(client: Client) -> Mapping[str, Any]:
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    return ask(layout, agent, listed)


def test_all_tools_are_offered_with_the_descriptions_of_the_document(world: Layout) -> None:
    tools = schemas(world, "alex")
    assert list(tools) == [tool.name for tool in TOOLS]
    assert tools["query_self"].description == (
        "Retrieve your core identity - who you are, your personality, background"
    )
    assert tools["query_character"].description == "Learn about another agent in the simulation"
    assert tools["form_memory"].input_schema["required"] == ["content", "importance"]
    assert tools["query_memory"].annotations.read_only_hint is True
    assert tools["form_memory"].annotations.read_only_hint is False


def test_with_an_agent_all_tools_are_its_own_and_without_each_takes_one(world: Layout) -> None:
    assert all("agent" not in tool.input_schema["properties"] for tool in schemas(world, "Alex").values())
    assert all("agent" in tool.input_schema["required"] for tool in schemas(world, None).values())
    own = data_of(call(world, "alex", "query_self"))
    assert own == data_of(call(world, None, "query_self", agent="alex"))
    assert own["memories"][0]["content"].startswith("You are Alex Pemberton")


def test_a_client_forms_a_memory_and_finds_it(world: Layout) -> None:
    async def work(client: Client) -> Any:
        await client.call_tool("form_memory", {"content": "The \x1b\x07lemon is gone.", "importance": 6})
        return data_of(await client.call_tool("query_memory", {"query": "lemon"}))

    assert ask(world, "alex", work) == {
        "query": "lemon",
        "memories": [{"content": "The lemon is gone.", "relevance": 1.0, "turn": ""}],
    }


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("query_character", {"name": "Zoe"}, "nobody here is called 'Zoe': the cast: alex, casey, jordan"),
        ("form_memory", {"content": "x", "importance": 11}, "importance 11 is outside 1–10: 1 is routine"),
        ("form_memory", {"content": "x" * 10_001, "importance": 5}, "found 10,001 characters, expected at most 10,000"),
        ("form_memory", {"content": "x", "importance": "much"}, "valid integer"),
        ("query_memory", {}, "query"),
        ("reinforce_memory", {"memory_id": "alex-900"}, "ids of memories come with recall_episodes"),
    ],
)
def test_what_the_caller_can_put_right_is_said(world: Layout, name: str, arguments: dict[str, Any], said: str) -> None:
    result = call(world, "alex", name, **arguments)
    assert result.is_error
    assert said in text_of(result)


@pytest.mark.parametrize("name", ["query_character", "reinforce_memory", "recall_episodes"])
def test_an_argument_of_any_length_is_quoted_cut(world: Layout, name: str) -> None:
    long = "x" * 2_000_000
    arguments = {"name": long, "memory_id": long, "time_range": long, "query": "x"}
    wanted = {key: arguments[key] for key in schemas(world, "alex")[name].input_schema["required"]}
    given = wanted | ({"time_range": long} if name == "recall_episodes" else {})
    result = call(world, "alex", name, **given)
    assert result.is_error
    assert len(text_of(result)) < 3_000


def test_a_world_without_gifted_memories_says_what_to_do(dinner: Layout) -> None:
    assert "gm gift" in text_of(call(dinner, "alex", "query_self"))


def test_a_locked_world_is_said_to_be_locked_and_nothing_is_written(world: Layout) -> None:
    before = world.stream("alex").read_bytes()
    with locked(world.lock, "gm advance-day"):
        result = call(world, "alex", "form_memory", content="Something.", importance=5)
    assert result.is_error
    assert "being written to: gm advance-day" in text_of(result)
    assert "call again" in text_of(result)
    assert world.stream("alex").read_bytes() == before


def test_no_character_of_another_name_can_be_played(world: Layout) -> None:
    with pytest.raises(UsageError, match="nobody here is called 'zoe'"):
        make_server(world, "zoe")


def test_the_instructions_name_the_character_in_the_language_of_the_world(world: Layout, studio: Layout) -> None:
    assert (make_server(world, "alex").instructions or "").startswith("You are Alex Pemberton in a simulation.")
    assert (make_server(studio).instructions or "").startswith("Du spielst oder befragst Figuren")


def test_without_the_package_the_command_says_what_to_install(
    world: Layout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    outcome = runner(capsys)("mcp", "-w", world.root)
    assert (outcome.code, outcome.out) == (1, "")
    assert pip_install("mcp") in outcome.err


def test_a_stream_that_cannot_be_read_is_named(world: Layout) -> None:
    world.stream("alex").write_text("no memory\n", encoding="utf-8")
    result = call(world, "alex", "form_memory", content="x", importance=5)
    assert result.is_error
    assert "state/memories/alex.jsonl:1" in text_of(result)
    assert world.stream("alex").read_text(encoding="utf-8") == "no memory\n"


def test_a_real_process_speaks_the_protocol_and_nothing_else_on_standard_output(world: Layout) -> None:
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    asked = [
        begin,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "query_self", "arguments": {}}},
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "gm", "mcp", "-w", str(world.root), "--agent", "alex"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in asked:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, said = process.communicate(timeout=30)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "gm"
    assert "You are Alex Pemberton" in answers[1]["result"]["content"][0]["text"]
    assert (process.returncode, rest, said) == (0, "", "")


def test_a_client_talks_to_a_real_process(world: Layout) -> None:
    async def talk() -> Any:
        async with stdio(world, "--agent", "casey") as client:
            return data_of(await client.call_tool("query_character", {"name": "Jordan"}))

    assert anyio.run(talk)["character"].startswith("Jordan")


@pytest.mark.slow
def test_a_client_of_a_real_process_lists_and_calls_all_thirteen_tools(world: Layout) -> None:
    for text in ("The lemon lies on the sill.", "Casey counts the chairs."):
        data_of(call(world, "alex", "form_memory", content=text, importance=5))

    async def talk() -> tuple[list[str], dict[str, CallToolResult]]:
        async with stdio(world, "--agent", "alex") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, {name: await client.call_tool(name, dict(ARGUMENTS.get(name, {}))) for name in names}

    names, results = anyio.run(talk)
    assert names == [tool.name for tool in TOOLS]
    documents = {name: data_of(result) for name, result in results.items()}
    assert all(result.structured_content == documents[name] for name, result in results.items())
    for name in ("query_self", "query_background", "query_communication_style", "query_scene", "query_character"):
        assert all(list(item) == ["content", "relevance"] for item in documents[name]["memories"])
    assert documents["query_memory"]["memories"][0]["content"] == "The lemon lies on the sill."
    assert documents["form_memory"]["memory"]["id"] == "alex-003"
    assert documents["reinforce_memory"]["reinforced"] == 1
    assert documents["associate_memories"]["linked"] == ["alex-001", "alex-002"]
    assert formed(world, "alex")[2:] == ["The lemon is gone.", documents["associate_memories"]["memory"]["content"]]


def test_what_was_done_without_stands_beside_a_result_and_not_in_it(world: Layout) -> None:
    data_of(call(world, "alex", "form_memory", content="The lemon is gone.", importance=6))
    result = call(world, "alex", "query_memory", query="lemon")
    assert (result.meta or {})[NOTICES] == ["there is no embedding index: memories are compared by their words"]
    assert list(data_of(result)) == ["query", "memories"]
    assert NOTICES not in (call(world, "alex", "query_self").meta or {})


MOST_FORMED = 150
"""Memories that a client forms while a day is played beside it."""
MOST_TRIES = 60
"""How often a day is begun that is refused while a client writes."""


def formed(layout: Layout, name: str) -> list[str]:
    lines = layout.stream(name).read_text(encoding="utf-8").splitlines()
    nodes = [json.loads(line) for line in lines]
    assert len({node["id"] for node in nodes}) == len(nodes)
    return [node["description"] for node in nodes if node["metadata"].get("source") == "tool"]


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["inject", "discover"])
def test_two_clients_and_a_day_at_once_lose_nothing(world: Layout, mode: str) -> None:
    """Every memory that a client was told is kept is in the stream, once.

    The clients stop some time, so that the day gets its turn on a machine that is slow.
    """
    set_sections(world.settings, f"persona: {{mode: {mode}}}")
    kept: dict[str, list[str]] = {"first": [], "second": []}
    refused: list[str] = []

    async def form(client: Client, who: str, over: list[bool]) -> None:
        count = 0
        while count < 10 or not (over or count == MOST_FORMED):
            text = f"{who} saw number {count}."
            result = await client.call_tool("form_memory", {"content": text, "importance": 2})
            (refused if result.is_error else kept[who]).append(text_of(result) if result.is_error else text)
            count += 1

    async def play(over: list[bool]) -> None:
        command = [sys.executable, "-m", "gm", "advance-day", "-w", str(world.root), "--model", "rehearsal"]
        for _ in range(MOST_TRIES):
            done = await anyio.run_process(command, check=False)
            if not done.returncode:
                break
        over.append(True)
        assert done.returncode == 0, done.stderr.decode()

    async def all_at_once() -> None:
        over: list[bool] = []
        async with (
            stdio(world, "--agent", "alex") as first,
            stdio(world, "--agent", "alex") as second,
            anyio.create_task_group() as group,
        ):
            group.start_soon(form, first, "first", over)
            group.start_soon(form, second, "second", over)
            group.start_soon(play, over)

    anyio.run(all_at_once)
    assert sorted(formed(world, "alex")) == sorted(kept["first"] + kept["second"])
    assert kept["first"]
    assert kept["second"]
    assert [problem for problem in check_world(world).problems if problem.severity != "info"] == []
    assert all("being written to" in text for text in refused)
    assert json.loads(world.world.read_text(encoding="utf-8"))["day"] == 1
    assert Path(world.day_log(1)).exists()


def test_the_neural_link_is_offered_where_the_world_lets_characters_share(world: Layout) -> None:
    names = {tool.name for tool in LINK_TOOLS}
    assert names.isdisjoint(schemas(world, "alex"))
    with open(world.settings, "a", encoding="utf-8") as file:
        file.write("share: {enabled: true}\n")
    assert names <= schemas(world, "alex").keys()
    one, two = world.agent_names()[:2]
    assert data_of(call(world, one, "form_memory", content="Das Brot ist warm.", importance=4))
    assert data_of(call(world, two, "neural_link_request_memory", name=one))["request"]["to"] == one
    waiting = data_of(call(world, one, "neural_link_requests"))["requests"]
    assert [item["from"] for item in waiting] == [two]
    assert data_of(call(world, one, "neural_link_share_memory", name=two))["given"]["copied"] == 1
    found = data_of(call(world, two, "query_memory", query="Brot"))["memories"]
    assert "Das Brot ist warm." in str(found)
    assert call(world, one, "neural_link_share_memory", name=two).is_error


def test_while_one_search_takes_its_time_other_calls_are_answered(
    world: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = Event()

    def slow(layout: Layout, agent: str, tool: MindTool, arguments: Any, notice: Any) -> dict[str, Any]:
        if tool.name == "query_memory":
            assert answered.wait(20), "the other call was never answered"
        else:
            answered.set()
        return {"tool": tool.name}

    async def both(client: Client) -> list[str]:
        done: list[str] = []

        async def one(name: str, **arguments: Any) -> None:
            done.append(data_of(await client.call_tool(name, arguments))["tool"])

        async with anyio.create_task_group() as group:
            group.start_soon(partial(one, "query_memory", query="x"))
            await anyio.lowlevel.checkpoint()
            group.start_soon(one, "query_self")
        return done

    monkeypatch.setattr("gm.api.playing.mind.minds.answer_call", slow)
    assert ask(world, "alex", both) == ["query_self", "query_memory"]


def test_souls_and_self_care_are_offered_where_the_world_has_them_and_written_at_once(world: Layout) -> None:
    names = {tool.name for tool in LAYER_TOOLS}
    assert names.isdisjoint(schemas(world, "alex"))
    with open(world.settings, "a", encoding="utf-8") as file:
        file.write("soul: on\nselfcare: {enabled: true, min: 2}\nretrieval: {last: 1}\nreflection: {enabled: false}\n")
    assert names <= schemas(world, "alex").keys()
    data_of(call(world, "alex", "add_to_soul", text="Doors are for opening.", kind="value"))
    assert "Doors are for opening." in text_of(call(world, "alex", "query_self"))
    data_of(call(world, "alex", "remove_from_soul", text="doors are for opening"))
    assert "Doors" not in world.layer(SOUL, "alex").read_text(encoding="utf-8")
    assert "needs 2 memories that are old enough, and there are 0" in text_of(call(world, "alex", "self_care"))
    for number in range(4):
        call(world, "alex", "form_memory", content=f"The lemon lies on sill {number}.", importance=4)
    assert data_of(call(world, "alex", "self_care"))["memories"] == 3
    assert json.loads(world.agent("alex").read_text(encoding="utf-8"))["care_wanted"] is True
    assert check_world(world).problems == ()
