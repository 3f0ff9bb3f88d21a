"""Servers that speak the protocol but are not the Anthropic API: what they are sent, and what if they refuse it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.base import Block, Request
from gm.llm.choose import is_schema_told
from gm.llm.http_client import connections
from gm.llm.packaged import words
from gm.model.scene import SUMMARY
from tests.cli.running import Run, runner
from tests.llm.messages_api import Body, MessagesApi, Reply, answer_well, serving
from tests.stories.playing import records, set_sections

SCHEMA_IN_WORDS = words()["schema"]

WHAT_MAY_COME = {"model", "max_tokens", "system", "messages", "output_config", "stream"}
LEFT_OUT = re.compile("gerade nicht vor Augen|der Kopf fehlt|ist hier ausgelassen")
ONCE = LlmSettings(max_retries=0)


class LocalServer(MessagesApi):
    """Speaks the protocol, ignores or refuses what it does not know.

    Args:
        refusal: What it says to a request with ``output_config``; None = it does not mind.
    """

    def __init__(self, refusal: Reply | None = None, *, hold: int = 0) -> None:
        super().__init__(hold=hold)
        self.refusal = refusal

    def reply(self, path: str, headers: Any, body: Body) -> Reply:
        self.requests.append(body)
        assert set(body) <= WHAT_MAY_COME
        if self.refusal and "output_config" in body:
            return self.refusal
        return self.script(body, len(self.requests))

    @property
    def with_schema(self) -> int:
        """How many requests carried ``output_config``."""
        return sum("output_config" in body for body in self.requests)


def question(label: str = "vera") -> Request:
    schema = {"title": "Reply", "type": "object", "properties": {"mood": {"type": "string"}}}
    return Request(label, "scene", (Block("Welt\n", cache=True),), (("user", f"{label}?"),), schema, 500)


def backend(server: MessagesApi, settings: LlmSettings = ONCE, said: list[str] | None = None) -> AnthropicApi:
    notes = [] if said is None else said
    return AnthropicApi("qwen", settings, {"ANTHROPIC_BASE_URL": server.url}, notes.append)


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with serving(LocalServer()) as served:
        assert isinstance(served, LocalServer)
        served.script = lambda _body, _number: Reply("{}")
        yield served


def test_a_foreign_server_gets_the_schema_twice_and_no_cache_marks(server: LocalServer) -> None:
    backend(server).ask(question())
    (body,) = server.requests
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert SCHEMA_IN_WORDS in body["messages"][-1]["content"]
    assert body["system"] == [{"type": "text", "text": "Welt\n"}]


def test_cache_marks_are_sent_where_they_are_asked_for(server: LocalServer) -> None:
    backend(server, LlmSettings(cache="1h")).ask(question())
    assert server.requests[0]["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


@pytest.mark.parametrize(("structured", "sent", "told"), [("schema", True, False), ("prompt", False, True)])
def test_how_the_schema_is_told_can_be_set(server: LocalServer, structured: str, sent: bool, told: bool) -> None:
    backend(server, LlmSettings(structured=structured)).ask(question())
    (body,) = server.requests
    assert ("output_config" in body) is sent
    assert (SCHEMA_IN_WORDS in body["messages"][-1]["content"]) is told


def test_at_the_real_api_the_schema_is_sent_only_and_prefixes_are_marked() -> None:
    real = AnthropicApi("claude-sonnet-5", ONCE, {"ANTHROPIC_API_KEY": "sk"})
    params = real.render(question())
    assert params["output_config"]["format"] is not None
    assert params["messages"] == [{"role": "user", "content": "vera?"}]
    assert list(params["system"]) == [
        {"type": "text", "text": "Welt\n", "cache_control": {"type": "ephemeral"}},
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        Reply(status=400, text="output_config: Extra inputs are not permitted"),
        Reply(status=404, text="output_config is not supported"),
        Reply(status=422, text="json_schema is not supported"),
        Reply(status=501, text="structured outputs are not implemented"),
    ],
    ids=lambda reply: str(reply.status),
)
def test_a_server_that_refuses_schemas_is_asked_without_and_that_is_said_once(
    server: LocalServer, refusal: Reply
) -> None:
    server.refusal = refusal
    said: list[str] = []
    api = backend(server, LlmSettings(max_retries=3), said)
    assert [api.ask(question(label)).text for label in ("vera", "emre")] == ["{}", "{}"]
    assert ["output_config" in body for body in server.requests] == [True, False, False]
    assert len(said) == 1
    assert f"refuses output_config (status {refusal.status})" in said[0]


def test_refusals_of_calls_under_way_together_are_said_once(server: LocalServer) -> None:
    server.refusal = Reply(status=400, text='unknown field "output_config"')
    said: list[str] = []
    api = backend(server, ONCE, said)
    with ThreadPoolExecutor(7) as pool:
        answers = list(pool.map(lambda number: api.ask(question(f"n{number}")), range(7)))
    assert [answer.text for answer in answers] == ["{}"] * 7
    assert len(said) == 1


def test_another_refusal_is_not_taken_for_one_of_the_schema(server: LocalServer) -> None:
    server.refusal = Reply(status=404, text="model 'qwen' not found")
    with pytest.raises(BackendError, match="model 'qwen' not found"):
        backend(server).ask(question())
    assert len(server.requests) == 1


def test_a_schema_that_was_insisted_on_is_not_given_up(server: LocalServer) -> None:
    server.refusal = Reply(status=400, text="output_config: Extra inputs are not permitted")
    with pytest.raises(BackendError, match="output_config"):
        backend(server, LlmSettings(max_retries=0, structured="schema")).ask(question())
    assert len(server.requests) == 1


def test_a_hundred_calls_are_under_way_at_the_same_time() -> None:
    with serving(MessagesApi(lambda body, _number: Reply(body["messages"][0]["content"]), hold=100)) as api:
        settings = LlmSettings(concurrency=100, max_retries=0, cache="5m", structured="schema")
        asked = backend(api, settings)
        with ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(lambda number: asked.ask(question(f"n{number}")).text, range(100)))
        assert answers == [f"n{number}?" for number in range(100)]
        assert api.faults == []
        assert api.peak == 100


@pytest.mark.parametrize(("timeout_s", "connect"), [(180.0, 10.0), (5.0, 5.0)])
def test_a_dead_address_is_given_up_sooner_than_a_slow_answer(timeout_s: float, connect: float) -> None:
    http = connections(LlmSettings(timeout_s=timeout_s), httpx2.Client)
    assert (http.timeout.connect, http.timeout.read) == (connect, timeout_s)
    http.close()


def test_a_whole_day_is_played_on_a_server_that_knows_no_schemas(
    studio: Layout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_sections(studio.settings, "day: {scenes: [2, 3]}")
    with serving(LocalServer(Reply(status=400, text="output_config: unknown field"))) as server:
        assert isinstance(server, LocalServer)
        server.script = answer_well
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        outcome = runner(capsys)("advance-day", "-w", studio.root, "--model", "qwen")
    assert outcome.code == 0, outcome.err
    assert outcome.err.count("refuses output_config") == 1
    assert records(studio.day_log(1))[-1]["type"] == SUMMARY
    assert 1 <= server.with_schema <= 7, "only the first scene was asked with a schema"
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in studio.traces.rglob("*.json")]
    assert traces
    assert not any(SCHEMA_IN_WORDS in json.dumps(trace) for trace in traces), "the world knows only its own questions"


def sent_tokens(body: Body) -> int:
    """Estimate what a request holds, each of its parts by itself."""
    parts = [block["text"] for block in body["system"]]
    return sum(map(estimate_tokens, (*parts, *(str(message["content"]) for message in body["messages"]))))


@pytest.mark.slow
@pytest.mark.parametrize("limit", [9_300, 9_500, 14_000])
def test_in_a_day_with_a_limit_no_request_is_longer_with_the_schema_in_its_words(
    played: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    set_sections(played.settings, f"context: {{prompt_tokens: {limit}}}\nrag: {{limit: 4}}\nllm: {{max_retries: 0}}\n")
    with serving(LocalServer()) as server:
        assert isinstance(server, LocalServer)

        def answer(body: Body, number: int) -> Reply:
            return (
                Reply("I will not say.")
                if number % 5 == 2 and len(body["messages"]) == 1
                else answer_well(body, number)
            )

        server.script = answer
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        outcome = run("advance-day", "-w", played.root, "--model", "qwen")
    assert outcome.code == 0, outcome.err
    assert "asked again" in outcome.err
    assert any(len(body["messages"]) == 3 for body in server.requests)
    assert all(SCHEMA_IN_WORDS in body["messages"][-1]["content"] for body in server.requests)
    sizes = [sent_tokens(body) for body in server.requests]
    assert max(sizes) <= limit
    left_out = [LEFT_OUT.search(json.dumps(body, ensure_ascii=False)) is not None for body in server.requests]
    full = [size for size, cut in zip(sizes, left_out, strict=True) if cut]
    assert all(size >= 0.95 * limit for size in full)
    assert bool(full) == (limit < 14_000)


def test_gm_context_shows_the_prompt_as_a_local_server_would_get_it(
    played: Layout, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_sections(played.settings, "context: {prompt_tokens: 9200}\nmodel: qwen\n")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    document = run("context", "vera", "--prompt", "--json", "-w", played.root).document
    assert document["prompt"].count(SCHEMA_IN_WORDS) == 1
    assert 8_740 <= document["tokens"] <= 9_200
    sections = {item["name"]: item["tokens"] for item in document["sections"]}
    assert list(sections)[:3] == ["system", "form", "persona"]
    assert abs(sum(sections.values()) - document["tokens"]) <= len(sections)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
    document = run("context", "vera", "--prompt", "--json", "-w", played.root).document
    assert SCHEMA_IN_WORDS not in document["prompt"]
    assert "form" not in {item["name"] for item in document["sections"]}


def test_whether_the_schema_is_told_is_known_before_any_question() -> None:
    local, real = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, {"ANTHROPIC_API_KEY": "sk"}
    auto, never, always = LlmSettings(), LlmSettings(structured="schema"), LlmSettings(structured="prompt")
    assert is_schema_told("qwen", auto, local)
    assert is_schema_told("replay", auto, local)
    assert is_schema_told("auto", always, real)
    assert not is_schema_told("qwen", never, local)
    assert not any(is_schema_told(name, auto, real) for name in ("auto", "claude-sonnet-5"))
    assert not any(is_schema_told(name, always, {}) for name in ("auto", "rehearsal", "mailbox"))


def test_a_replay_of_a_local_server_fits_its_prompts_as_they_were(
    played: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    set_sections(played.settings, "context: {prompt_tokens: 9000}\nllm: {structured: prompt}\n")
    twin = Layout(tmp_path / "twin")
    shutil.copytree(played.root, twin.root)
    wish = ("scene", "work", "--with", "vera")
    with serving(LocalServer()) as server:
        assert isinstance(server, LocalServer)
        server.script = answer_well
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert run(*wish, "-w", played.root, "--model", "qwen").code == 0
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    shutil.copytree(played.traces / "day-002", twin.traces / "day-002")
    again = run(*wish, "-w", twin.root, "--model", "replay")
    assert again.code == 0, again.err
    assert "reads differently" not in again.err
