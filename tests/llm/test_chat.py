"""Chat completions: what is sent, what is read, what a refusal means, and who is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.ask.reply.schema import schema_of
from gm.base.config import LlmSettings, ReplySettings
from gm.base.errors import BackendError
from gm.files.questions.traces import TraceFolder
from gm.layers import LAYERS
from gm.llm.asker import Asker, parse_answer, render_trace
from gm.llm.base import Answer, Block, Request, Surroundings, UnreadableAnswerError
from gm.llm.chat import read_chat, render_chat
from gm.llm.choose import choose_backend, is_schema_told, missing_key
from gm.llm.content import Tool, ToolCall, ToolResult
from gm.llm.openai_api import OpenAiApi
from gm.llm.providers import FORMS, JSON, SCHEMA, STRICT, WORDS, Provider, find_provider, providers
from gm.llm.refusals import read_refusal
from gm.llm.schema_variants import BODY_CHARACTERS, LIST_ITEMS, TEXT_CHARACTERS, grammar_form, strict_form
from gm.model import master_replies, scene_reply, solo_replies
from gm.model.draft import PersonaDraft, WorldDraft
from gm.model.reply_form import Form
from tests.llm.chat_api import ChatApi, Said, serving_chat, strict_faults
from tests.replies import TEXTS

HERE = Provider("ollama", "http://127.0.0.1:1/v1", form=SCHEMA, at_once=1)
FORM = {
    "title": "Note",
    "type": "object",
    "properties": {
        "text": {"type": "string", "default": "", "title": "Text"},
        "body": {"type": "string"},
        "valence": {"type": "number", "minimum": -1, "maximum": 1},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}},
        "kind": {"$ref": "#/$defs/Kind", "description": "of note"},
    },
    "required": ["text"],
    "$defs": {"Kind": {"type": "string", "enum": ["a", "b"]}},
}
ASKED = Request("vera", "scene", (Block("Die Welt.\n"), Block("Du bist Vera.")), (("user", "Und?"),), FORM, 500)
GOOD = '{"text": "Ja."}'


def body_of(form: str = STRICT, request: Request = ASKED, **values: Any) -> dict[str, Any]:
    return render_chat(request, "m", replace(HERE, **values), form)


def said(message: object, finish: str = "stop", **more: Any) -> bytes:
    return json.dumps({"model": "m", "choices": [{"message": message, "finish_reason": finish}], **more}).encode()


def test_a_question_has_one_system_message_and_its_limit_under_the_key_that_the_provider_knows() -> None:
    body = body_of(limit="max_completion_tokens", extra={"provider": {"require_parameters": True}})
    assert body["messages"] == [
        {"role": "system", "content": "Die Welt.\n\nDu bist Vera."},
        {"role": "user", "content": "Und?"},
    ]
    assert set(body) == {"model", "messages", "max_completion_tokens", "provider", "response_format"}
    assert body["max_completion_tokens"] == 500


def test_a_form_that_is_enforced_is_not_told_and_one_that_is_not_is() -> None:
    texts = {form: body_of(form)["messages"][-1]["content"] for form in FORMS}
    assert texts[STRICT] == texts[SCHEMA] == "Und?"
    assert '"valence"' in texts[JSON]
    assert texts[JSON] == texts[WORDS]
    assert [body_of(form).get("response_format", {}).get("type") for form in FORMS] == [
        "json_schema",
        "json_schema",
        "json_object",
        None,
    ]


def test_tools_and_their_results_are_messages_of_their_own() -> None:
    tool = Tool("look", "Looks.", {"type": "object", "properties": {}})
    turns = (
        ("user", "Und?"),
        ("assistant", ("Ich sehe nach.", ToolCall("c1", "look", {"was": "Gips"}))),
        ("user", (ToolResult("c1", "nichts", is_error=True), "Und nun?")),
    )
    body = body_of(WORDS, replace(ASKED, messages=turns, tools=(tool,), must_answer=True))
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert body["messages"][2]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"was": "Gips"}'}
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "nichts"}
    assert body["messages"][1]["content"].endswith("}"), "the schema stands at the question"
    assert (body["tool_choice"], body["tools"][0]["function"]["name"]) == ("none", "look")
    assert body_of(WORDS, replace(ASKED, tools=(tool,)))["tool_choice"] == "auto"


REPLIES = [
    form
    for module in (scene_reply, solo_replies, master_replies)
    for form in vars(module).values()
    if isinstance(form, type) and issubclass(form, Form) and form.__name__.endswith("Reply")
] + [WorldDraft, PersonaDraft]


@pytest.mark.parametrize("form", REPLIES, ids=lambda form: form.__name__)
@pytest.mark.parametrize("layers", [frozenset(), frozenset(layer.name for layer in LAYERS)], ids=["plain", "layers"])
def test_every_form_of_reply_keeps_the_strict_rules_and_is_bounded_for_a_grammar(
    form: type[Form], layers: frozenset[str]
) -> None:
    schema = schema_of(form, TEXTS, layers)
    assert len(REPLIES) >= 9
    assert "ge" not in json.dumps(schema).split('"'), "bounds have the names that servers know"
    strict, grammar = strict_form(schema), grammar_form(schema, ReplySettings())
    assert list(strict_faults(strict)) == []
    assert list(_unbounded(grammar)) == []
    assert schema == schema_of(form, TEXTS, layers), "the schema itself is left as it was"


def _unbounded(schema: object, place: str = "") -> list[str]:
    if isinstance(schema, list):
        return [fault for number, part in enumerate(schema) for fault in _unbounded(part, f"{place}.{number}")]
    if not isinstance(schema, dict):
        return []
    key = {"string": "maxLength", "array": "maxItems"}.get(str(schema.get("type")))
    own = [place] if key and key not in schema and "enum" not in schema and "const" not in schema else []
    return [*own, *(fault for name, part in schema.items() for fault in _unbounded(part, f"{place}.{name}"))]


def test_a_grammar_gets_bounds_where_there_are_none() -> None:
    made = grammar_form(FORM, ReplySettings())["properties"]
    assert made["text"] == {"type": "string", "maxLength": TEXT_CHARACTERS}
    assert made["body"]["maxLength"] == BODY_CHARACTERS
    assert made["tags"] == {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": LIST_ITEMS}
    assert made["valence"] == {"type": "number", "minimum": -1, "maximum": 1}
    assert strict_form(FORM)["properties"]["kind"] == {"description": "of note", "anyOf": [{"$ref": "#/$defs/Kind"}]}


@pytest.mark.parametrize(
    ("message", "finish", "text", "stop"),
    [
        ({"content": GOOD}, "stop", GOOD, "end_turn"),
        ({"content": [{"text": '{"text":'}, {"text": ' ""}'}, 7]}, "stop", '{"text": ""}', "end_turn"),
        ({"content": "{"}, "length", "{", "max_tokens"),
        ({"content": None, "refusal": "I will not."}, "stop", "I will not.", "refusal"),
        ({"content": ""}, "content_filter", "", "refusal"),
        ({"content": GOOD}, "eos", GOOD, "eos"),
    ],
)  # fmt: skip
def test_an_answer_is_read_with_the_reason_for_its_end(message: object, finish: str, text: str, stop: str) -> None:
    answer, odd = read_chat(said(message, finish, usage={}))
    assert (answer.text, answer.stop, answer.model, odd) == (text, stop, "m", ())


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 7}, (100, 0, 7)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 80}}, (20, 80, 7)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_cache_hit_tokens": 60}, (40, 60, 7)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": None}, (100, 0, 7)),
        ({"prompt_tokens": 10, "completion_tokens": 7, "prompt_cache_hit_tokens": 60}, (0, 10, 7)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 150}, (100, 0, 50)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}, (100, 0, 7)),
    ],
)
def test_what_was_read_from_a_cache_is_not_counted_twice(usage: object, expected: tuple[int, int, int]) -> None:
    found = read_chat(said({"content": GOOD}, usage=usage))[0].usage
    assert (found.input_tokens, found.cache_read_tokens, found.output_tokens) == expected


def test_odd_answers_are_named_and_kept() -> None:
    call = {"id": "c1", "function": {"name": "look", "arguments": '{"was": "Gips"}'}}
    data = said({"content": None, "tool_calls": [call, {"id": 7}]}, "tool_calls", usage={"prompt_tokens": "viele"})
    answer, odd = read_chat(data)
    assert answer.calls == (ToolCall("c1", "look", {"was": "Gips"}),)
    assert odd == ("a call that cannot be read", "usage.prompt_tokens: no number of tokens")
    assert answer.raw == data
    assert read_chat(json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode())[1] == (
        "no finish_reason",
        "no usage",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"choices": []}',
        said("no"),
        said({"content": ""}, "what"),
        b'{"error": {"message": "x"}}',
    ],
)
def test_what_is_no_answer_is_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableAnswerError):
        read_chat(data)


def test_a_model_that_only_thought_and_a_provider_that_broke_off_say_so() -> None:
    with pytest.raises(BackendError, match="thought and gave no answer"):
        read_chat(said({"content": "", "reasoning_content": "Hm …"}, "length"))
    with pytest.raises(BackendError, match="broke off: upstream"):
        read_chat(said({"content": ""}, "error", error={"message": "upstream"}))


@pytest.mark.parametrize(
    ("data", "prompt", "window"),
    [
        (
            {"error": {"code": 400, "type": "exceed_context_size_error", "message": "request (5031 tokens) exceeds the "
             "available context size (4096 tokens)", "n_prompt_tokens": 5031, "n_ctx": 4096}}, 5031, 4096,
        ),
        ({"error": {"message": "request (5031 tokens) exceeds the available context size (4096 tokens)"}}, 5031, 4096),
        (
            {"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 8192 "
             "tokens. However, your messages resulted in 9000 tokens."}}, 9000, 8192,
        ),
        ([{"error": {"message": "prompt is too long: 210,000 tokens > 200,000 maximum"}}], 210_000, 200_000),
        ({"error": "Context size has been exceeded."}, None, None),
        (
            {"error": "Trying to keep the first 5031 tokens when context the overflows. However, the model is loaded "
             "with context length of only 4096 tokens. Try to load the model with a larger context length"}, 5031, 4096,
        ),
        (
            {"error": "The number of tokens to keep from the initial prompt is greater than the context length "
             "(n_keep: 5031>= n_ctx: 4096). Try to load the model with a larger context length"}, None, 4096,
        ),
    ],
)  # fmt: skip
def test_a_window_that_is_too_small_is_understood_with_its_numbers(
    data: object, prompt: int | None, window: int | None
) -> None:
    refusal = read_refusal(400, json.dumps(data).encode())
    assert refusal.is_window
    assert refusal.is_hopeless
    assert (refusal.prompt, refusal.window) == (prompt, window)


@pytest.mark.parametrize(
    ("status", "data", "expected"),
    [
        (402, b"Payment required", True),
        (429, b'{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}', True),
        (429, b'{"error": {"code": "rate_limit_exceeded", "message": "slow down"}}', False),
        (429, b'[{"error": {"message": "You exceeded your quota, check your plan and billing details"}}]', False),
        (400, b'{"error": {"message": "Your credit balance is too low"}}', True),
        (503, b"<html>loading</html>", False),
    ],
)
def test_money_that_has_run_out_is_told_from_a_rate_limit(status: int, data: bytes, expected: bool) -> None:
    assert read_refusal(status, data).is_out_of_money is expected
    assert read_refusal(status, data).is_hopeless is expected


def test_what_a_server_says_is_one_short_line() -> None:
    assert read_refusal(400, b"two\nlines " * 200).said == ("two lines " * 200)[:400].rstrip()
    assert read_refusal(500, b"<html>x").said == ""
    assert read_refusal(422, b'{"detail": "no such field"}').said == "no such field"


def backend(api: ChatApi, notices: list[str] | None = None, model: str = "m", **values: Any) -> OpenAiApi:
    settings = LlmSettings(max_retries=2, retry_after_max_seconds=1)
    there = replace(HERE, base=api.url, **values)
    return OpenAiApi(model, there, Surroundings(settings, notice=None if notices is None else notices.append))


def ask(
    script: Callable[[dict[str, Any]], Said], notices: list[str] | None = None, **values: Any
) -> tuple[Answer, ChatApi]:
    with serving_chat(ChatApi(script)) as api:
        return backend(api, notices, **values).ask(ASKED), api


def refused(script: Callable[[dict[str, Any]], Said], **values: Any) -> tuple[BackendError, int]:
    """Return the error, and how often the server was asked."""
    with serving_chat(ChatApi(script)) as api:
        with pytest.raises(BackendError) as caught:
            backend(api, [], **values).ask(ASKED)
        return caught.value, len(api.requests)


def test_what_a_server_refuses_gives_way_to_the_next_form_once_with_a_notice() -> None:
    def script(body: dict[str, Any]) -> Said:
        kind = body.get("response_format", {}).get("type")
        strict = body.get("response_format", {}).get("json_schema", {}).get("strict")
        if strict or kind == "json_schema":
            return Said(status=400, body={"error": {"message": f"response_format {'strict' if strict else kind}: no"}})
        return Said(GOOD)

    notices: list[str] = []
    with serving_chat(ChatApi(script)) as api:
        asked = backend(api, notices, form=STRICT)
        told = [asked.tells_schema]
        assert asked.ask(ASKED).text == GOOD
        assert [*told, asked.tells_schema] == [False, True]
        kinds = [body.get("response_format", {}).get("type") for body in api.requests]
        assert kinds == ["json_schema", "json_schema", "json_object"]
        asked.ask(ASKED)
        assert len(api.requests) == 4, "it is remembered"
    assert len(notices) == 2
    assert "ollama refuses the form 'strict' (status 400): response_format strict: no" in notices[0]


@pytest.mark.parametrize("said_", ["failed to parse grammar", "std::exception"])
def test_a_grammar_that_cannot_be_made_gives_way_too(said_: str) -> None:
    def script(body: dict[str, Any]) -> Said:
        refused = body["response_format"]["type"] == "json_schema"
        error = {"error": {"message": f"Failed to initialize samplers: {said_}", "type": "invalid_request_error"}}
        return Said(status=400, body=error) if refused else Said(GOOD)

    answer, api = ask(script, [])
    assert (answer.text, len(api.requests)) == (GOOD, 2)


def test_another_refusal_is_no_reason_to_ask_in_another_form() -> None:
    error, times = refused(lambda _body: Said(status=400, body={"error": {"message": "unknown model"}}))
    assert times == 1
    assert "m was not answered by the API: unknown model (status 400)" in error.message


@pytest.mark.parametrize(
    ("said_", "message", "hint"),
    [
        (
            Said(status=500, body={"error": {"message": "Context size has been exceeded."}}),
            "the window of m is too small, this prompt is longer, and its answer may take 500",
            "start the server with a larger window, or set context.prompt_tokens and llm.max_tokens",
        ),
        (
            Said(
                status=400,
                body={"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 5031, "n_ctx": 4096}},
            ),
            "the window of m holds 4096 tokens, this prompt has 5031, and its answer may take 500",
            "or set context.prompt_by_model: {m: 3596}",
        ),
        (
            Said(
                status=400,
                body={"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 3800, "n_ctx": 4096}},
            ),
            "the window of m holds 4096 tokens, this prompt has 3800, and its answer may take 500",
            "or set llm.max_tokens to 296 at most, or context.prompt_by_model: {m: 3596}",
        ),
        (
            Said(status=429, body={"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}),
            "no money left (You exceeded your quota (status 429))",
            "pay in there",
        ),
        (Said(status=501, body={"error": "no"}), "no (status 501)", "every answer so far is kept"),
        (
            Said(status=500, body={"error": {"message": "model requires more system memory (9 GiB) than there is"}}),
            "m was not answered by the API: model requires more system memory (9 GiB)",
            "take a smaller model, or a smaller window",
        ),
        (
            Said(body={"error": {"message": "context length of only 4096: load it with a larger context length"}}),
            "the window of m holds 4096 tokens",
            "start the server with a larger window",
        ),
        (Said(status=401, body={"error": {"message": "bad key"}}), "bad key (status 401)", "check the key"),
        (Said(status=429, headers={"retry-after": "90"}), "it asks to wait 90 s", "later"),
        (Said(status=302, headers={"location": "http://elsewhere/v1"}), "sends on to http://elsewhere", "set the"),
    ],
)  # fmt: skip
def test_what_stays_the_same_is_asked_once_and_explained(said_: Said, message: str, hint: str) -> None:
    error, times = refused(lambda _body: said_)
    assert times == 1
    assert message in error.message
    assert hint in error.hint


def test_a_busy_server_is_asked_again_and_that_is_said() -> None:
    left = [Said(status=503, headers={"retry-after": "0"}, body={"error": {"message": "loading"}})]
    notices: list[str] = []
    answer, api = ask(lambda _body: left.pop() if left else Said(GOOD), notices)
    assert (answer.text, len(api.requests)) == (GOOD, 2)
    assert notices == ["m: the server is not ready (status 503), asks to wait 0 s"]


def test_a_server_that_is_never_ready_is_told_of_once_and_then_by_a_count() -> None:
    notices: list[str] = []
    with serving_chat(ChatApi(lambda _body: Said(status=503, headers={"retry-after": "0"}))) as api:
        asked = backend(api, notices)
        for _ in range(5):
            with pytest.raises(BackendError, match="was not answered"):
                asked.ask(ASKED)
    assert len(api.requests) == 15
    said = "m: the server is not ready (status 503)"
    assert notices == [f"{said}, asks to wait 0 s", f"{said}, 10 times so far"]


def test_an_answer_that_fills_the_window_is_not_called_cut_off_at_max_tokens() -> None:
    usage = {"prompt_tokens": 3986, "completion_tokens": 110}
    assert ask(lambda _body: Said("{", finish="length", usage=usage))[0].stop == "model_context_window_exceeded"
    usage = {"prompt_tokens": 3000, "completion_tokens": 500}
    assert ask(lambda _body: Said("{", finish="length", usage=usage))[0].stop == "max_tokens"


def test_a_server_of_this_machine_answers_one_after_another(tmp_path: Path) -> None:
    both = threading.Barrier(2)

    def script(_body: dict[str, Any]) -> Said:
        try:
            both.wait(0.2)
        except threading.BrokenBarrierError:
            both.reset()
        return Said(GOOD)

    for at_once, most in ((1, 1), (None, 2)):
        with serving_chat(ChatApi(script)) as api:
            asker, traces = Asker(backend(api, at_once=at_once), limit=2), TraceFolder(tmp_path / str(most), "day-001")
            answers = asker.ask_all([ASKED, replace(ASKED, label="emre", messages=(("user", "Nun?"),))], [traces] * 2)
            assert [answer.text for answer in answers] == [GOOD, GOOD]
            assert api.peak == most


def test_without_a_name_the_model_that_is_loaded_answers() -> None:
    answer, api = ask(lambda _body: Said(GOOD), model="")
    assert api.requests[0]["model"] == answer.model == "loaded-one"


def test_a_server_that_is_not_there_is_named_with_what_to_do() -> None:
    with serving_chat(ChatApi()) as api:
        pass
    with pytest.raises(BackendError, match=r"ollama at http://127.0.0.1:\d+/v1 cannot") as caught:
        OpenAiApi("m", replace(HERE, base=api.url), Surroundings(LlmSettings(max_retries=0))).ask(ASKED)
    at_another = "At another address: --model http://HOST:PORT/v1#MODEL"
    assert caught.value.hint == f"is ollama running? {at_another}; every answer so far is kept"


def chosen(wanted: str, source: str = "--model", **environment: str) -> tuple[str, str, str]:
    choice = choose_backend(wanted, source, Surroundings(environment=environment))
    return choice.backend.name, choice.backend.model, choice.why


@pytest.mark.parametrize(
    ("wanted", "environment", "expected"),
    [
        ("openrouter:qwen/qwen3-32b", {"OPENROUTER_API_KEY": "k"}, ("openrouter", "qwen/qwen3-32b")),
        ("ollama:qwen3:8b", {}, ("ollama", "qwen3:8b")),
        ("llamacpp:", {}, ("llamacpp", "llamacpp")),
        ("gpt-x", {"OPENAI_API_KEY": "k"}, ("openai", "gpt-x")),
        ("gpt-x", {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "a"}, ("openai", "gpt-x")),
        ("gpt-x", {"ANTHROPIC_API_KEY": "a", "ANTHROPIC_BASE_URL": "http://localhost:1"}, ("anthropic", "gpt-x")),
        ("claude-x", {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "a"}, ("anthropic", "claude-x")),
        ("qwen3", {"OPENAI_BASE_URL": "http://localhost:9/v1"}, ("openai", "qwen3")),
        ("http://localhost:9/v1#qwen3", {}, ("openai", "qwen3")),
    ],
)
def test_a_model_is_asked_where_its_name_belongs(
    wanted: str, environment: dict[str, str], expected: tuple[str, str]
) -> None:
    assert chosen(wanted, **environment)[:2] == expected


def test_a_missing_key_is_named() -> None:
    with pytest.raises(BackendError, match="openai needs a key") as caught:
        chosen("gpt-x")
    assert caught.value.hint == "set OPENAI_API_KEY"
    with pytest.raises(BackendError, match="gemini needs a key") as caught:
        chosen("gemini:g", OPENAI_API_KEY="k")
    assert caught.value.hint == "set GEMINI_API_KEY or GOOGLE_API_KEY"


@pytest.mark.parametrize(
    ("wanted", "environment", "missing"),
    [
        ("gpt-x", {}, "OPENAI_API_KEY"),
        ("gpt-x", {"OPENAI_API_KEY": "k"}, ""),
        ("claude-x", {}, "ANTHROPIC_API_KEY"),
        ("ollama:m", {}, ""),
        ("auto", {}, ""),
        ("rehearsal", {}, ""),
    ],
)
def test_which_key_is_missing_is_known_for_a_forecast(wanted: str, environment: dict[str, str], missing: str) -> None:
    assert missing_key(wanted, environment) == missing


def test_a_world_sends_prompts_to_no_address_of_its_own() -> None:
    with pytest.raises(BackendError, match=r"gm.yaml names an address \(http://evil\)"):
        chosen("http://user:secret@evil/v1#m", "gm.yaml")


def test_a_key_goes_to_no_address_that_was_given_in_place_of_a_name() -> None:
    found = find_provider("https://elsewhere/v1#m", {"OPENAI_API_KEY": "k"})
    assert found is not None
    assert found[0].key({"OPENAI_API_KEY": "k"}) == ""


def test_what_the_environment_holds_for_openai_goes_to_no_other_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ORG_ID", "secret"), ("PROJECT_ID", "secret"), ("API_KEY", "secret")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-mine: secret\nauthorization: secret")
    with serving_chat(ChatApi(lambda _body: Said(GOOD))) as api:
        backend(api).ask(ASKED)
        by_hand = find_provider(f"{api.url}#m", {})
        assert by_hand is not None
        OpenAiApi("m", by_hand[0], Surroundings()).ask(ASKED)
        own = replace(providers()["groq"], base=api.url)
        OpenAiApi("m", own, Surroundings(environment={"GROQ_API_KEY": "mine"})).ask(ASKED)
    assert not any("secret" in value for headers in api.headers for value in headers.values())
    assert [headers["authorization"] for headers in api.headers] == [*["Bearer none-needed"] * 2, "Bearer mine"]
    with serving_chat(ChatApi(lambda _body: Said(GOOD))) as api:
        instead = replace(providers()["openai"], base=api.url)
        OpenAiApi("m", instead, Surroundings(environment={"OPENAI_API_KEY": "k"})).ask(ASKED)
    assert api.headers[0]["openai-organization"] == "secret"


@pytest.mark.parametrize(
    ("wanted", "structured", "expected"),
    [("ollama:m", "auto", False), ("deepseek:m", "auto", True), ("openai:m", "prompt", True), ("gpt-x", "auto", False)],
)
def test_whether_the_schema_will_be_told_is_known_before(wanted: str, structured: str, expected: bool) -> None:
    assert is_schema_told(wanted, LlmSettings(structured=structured), {}) is expected


@pytest.mark.parametrize(
    ("wanted", "server"),
    [
        ("http://127.0.0.1:11434/v1#m", "here, the port of ollama"),
        ("http://localhost:9000/v1#m", "here"),
        ("http://192.168.1.7:9000/v1#m", "in this network"),
        ("http://studio.local:1234/v1#m", "in this network, the port of lmstudio"),
        ("https://llm.example.org/v1#m", "elsewhere"),
        ("ollama:m", ""),
        ("gpt-x", ""),
    ],
)
def test_the_kind_of_an_address_is_told_and_never_the_address(wanted: str, server: str) -> None:
    found = find_provider(wanted, {})
    assert found is not None
    assert found[0].server == server


def test_a_trace_tells_the_kind_of_address_and_one_without_it_is_read() -> None:
    with serving_chat(ChatApi(lambda _body: Said(GOOD))) as api:
        answer = backend(api).ask(ASKED)
    record = render_trace(ASKED, answer, reads_facts=False)
    assert record["server"] == "here"
    assert api.url not in json.dumps(record)
    again = parse_answer(record)
    assert again is not None
    assert again.server == "here"
    del record["server"]
    older = parse_answer(record)
    assert older is not None
    assert older.server == ""


def test_every_provider_is_declared_whole() -> None:
    assert next(iter(providers())) == "openai"
    for name, one in providers().items():
        assert one.name == name
        assert one.form in FORMS
        assert one.limit in ("max_tokens", "max_completion_tokens")
        assert one.needs_key is (one.at_once is None and name != "vllm")
