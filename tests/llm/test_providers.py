"""The habits of each provider of chat completions, as documented: what it is sent, and what its answers mean."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm.base import Block, Request, Surroundings, Usage
from gm.llm.openai_api import OpenAiApi
from gm.llm.providers import providers
from tests.llm.chat_api import Body, ChatApi, Said, serving_chat

FORM = {
    "title": "Note",
    "type": "object",
    "properties": {"text": {"type": "string"}, "weight": {"type": "integer", "minimum": 1, "maximum": 10}},
    "required": ["text"],
}
ASKED = Request("vera", "scene", (Block("The world."),), (("user", "And?"),), FORM, 500)
GOOD = '{"text": "Yes.", "weight": 5}'

STREAMED = {"stream", "stream_options"}


SENT = [
    ("openai", "max_completion_tokens", "strict", STREAMED),
    ("openrouter", "max_tokens", "strict", STREAMED | {"provider"}),
    ("gemini", "max_tokens", "strict", STREAMED),
    ("groq", "max_completion_tokens", "strict", set()),
    ("mistral", "max_tokens", "strict", {"stream"}),
    ("deepseek", "max_tokens", "json_object", STREAMED),
    ("xai", "max_completion_tokens", "strict", STREAMED),
    ("together", "max_tokens", "schema", STREAMED),
    ("ollama", "max_tokens", "schema", STREAMED),
    ("llamacpp", "max_tokens", "schema", STREAMED),
    ("lmstudio", "max_tokens", "schema", STREAMED),
    ("vllm", "max_tokens", "schema", STREAMED),
]


def test_every_provider_has_a_row() -> None:
    assert [row[0] for row in SENT] == list(providers())
    assert {habit.provider for habit in HABITS.values()} == set(providers())


@pytest.mark.parametrize(("name", "limit", "form", "more"), SENT)
def test_each_provider_is_sent_what_it_knows_and_nothing_else(name: str, limit: str, form: str, more: set[str]) -> None:
    body = _sent(name)
    assert set(body) == {"model", "messages", "response_format", limit} | more
    sent = body["response_format"]
    if form == "json_object":
        assert sent == {"type": "json_object"}
        assert "JSON" in body["messages"][-1]["content"], "DeepSeek wants the word in the prompt"
    else:
        assert sent["json_schema"]["name"] == "Note"
        assert sent["json_schema"].get("strict", False) is (form == "strict")


def test_how_much_is_thought_is_said_only_where_it_is_set() -> None:
    assert _sent("ollama", thinking="none")["reasoning_effort"] == "none"


@dataclass(frozen=True)
class Habit:
    """What a provider sends, and what is made of it.

    Attributes:
        means: What the error and its hint say, or the text of the answer.
        times: How often it is asked.
        usage: As counted.
    """

    provider: str
    said: Said
    means: tuple[str, ...]
    times: int = 1
    usage: Usage | None = None


def _answer(provider: str, usage: Body, expected: Usage, **message: Any) -> Habit:
    body = {
        "model": "m",
        "choices": [{"message": {"content": GOOD, **message}, "finish_reason": "stop"}],
        "usage": usage,
    }
    return Habit(provider, Said(body=body), (GOOD,), usage=expected)


def _error(provider: str, status: int, body: object, *means: str, times: int = 1, **headers: str) -> Habit:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Habit(provider, Said(status=status, body=body, headers=named), means, times)


def _finish(provider: str, reason: str, *means: str, **more: Any) -> Habit:
    body = {"choices": [{"message": {"content": ""}, "finish_reason": reason, **more}], "usage": {}}
    return Habit(provider, Said(body=body), means)


TOO_LONG = (
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages)."
)
NOW = {"retry_after": "0"}
NO_MONEY = "no money left"

HABITS = {
    "openai: cached, thought inside": _answer(
        "openai",
        {
            "prompt_tokens": 100,
            "completion_tokens": 30,
            "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(10, 30, 60, 30),
    ),
    "openai: quota": _error(
        "openai",
        429,
        {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}},
        NO_MONEY,
        "set OPENAI_API_KEY",
    ),
    "openai: credit": _error("openai", 429, {"error": {"code": "credit_balance_exhausted", "message": ""}}, NO_MONEY),
    "openai: rate": _error(
        "openai",
        429,
        {"error": {"code": "rate_limit_exceeded", "message": "Rate limit reached"}},
        "Rate limit reached (status 429)",
        times=3,
        **NOW,
    ),
    "openai: overloaded": _error("openai", 503, {"error": {"message": "Overloaded"}}, "Overloaded", times=3, **NOW),
    "openrouter: no credit": _error(
        "openrouter", 402, {"error": {"code": 402, "message": "Insufficient credits"}}, NO_MONEY, "OPENROUTER_API_KEY"
    ),
    "openrouter: upstream": _finish(
        "openrouter", "error", "the provider broke off: upstream is gone", error={"message": "upstream is gone"}
    ),
    "openrouter: 200 without an answer": Habit(
        "openrouter",
        Said(body={"error": {"code": 502, "message": "no route"}}),
        ("without readable content: no route",),
    ),
    "gemini: a list": _error(
        "gemini",
        400,
        [{"error": {"code": 400, "message": 'Unknown name "prompt_cache_key"', "status": "INVALID_ARGUMENT"}}],
        'Unknown name "prompt_cache_key" (status 400)',
    ),
    "gemini: a list of limits": _error(
        "gemini", 429, [{"error": {"message": "Quota exceeded for metric"}}], "Quota exceeded", times=3, **NOW
    ),
    "gemini: thought apart": _answer(
        "gemini", {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 170}, Usage(100, 70)
    ),
    "groq: cached": _answer(
        "groq",
        {"prompt_tokens": 100, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 64}},
        Usage(36, 30, 64),
    ),
    "groq: too long": _error("groq", 413, {"error": {"message": "Request too large"}}, "context.budget_tokens"),
    "groq: no room": _error("groq", 498, {"error": {"message": "Flex tier capacity exceeded"}}, "capacity exceeded"),
    "groq: waits": _error("groq", 429, {"error": {"message": "Rate limit"}}, "asks to wait 90 s", retry_after="90"),
    "mistral: validation": _error(
        "mistral",
        422,
        {"detail": [{"loc": ["body", "safe_prompt"], "msg": "not a valid boolean"}]},
        "body.safe_prompt: not a valid boolean (status 422)",
    ),
    "mistral: validation, wrapped": _error(
        "mistral",
        422,
        {"object": "error", "message": {"detail": [{"loc": ["body", "n"], "msg": "too large"}]}, "type": "invalid"},
        "body.n: too large (status 422)",
    ),
    "deepseek: cached": _answer(
        "deepseek",
        {
            "prompt_tokens": 100,
            "completion_tokens": 30,
            "total_tokens": 130,
            "prompt_cache_hit_tokens": 64,
            "prompt_cache_miss_tokens": 36,
        },
        Usage(36, 30, 64),
        reasoning_content="Hm …",
    ),
    "deepseek: thought only": _finish(
        "deepseek",
        "length",
        "thought and gave no answer",
        "llm.max_tokens",
        message={"content": "", "reasoning_content": "Hm …"},
    ),
    "deepseek: balance": _error("deepseek", 402, {"error": {"message": "Insufficient Balance"}}, NO_MONEY),
    "xai: thought apart": _answer(
        "xai",
        {
            "prompt_tokens": 100,
            "completion_tokens": 30,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 10},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(90, 50, 10),
    ),
    "xai: an error in words": _error("xai", 400, {"code": "bad", "error": "Incorrect API key"}, "Incorrect API key"),
    "together: rate": _error("together", 429, {"error": {"message": "slow down"}}, "slow down", times=3, **NOW),
    "ollama: not pulled": _error(
        "ollama", 404, {"error": "model 'm' not found, try pulling it first"}, "try pulling it first", "no such model"
    ),
    "ollama: nothing cached": _answer("ollama", {"prompt_tokens": 100, "completion_tokens": 30}, Usage(100, 30)),
    "llamacpp: window": _error(
        "llamacpp",
        400,
        {"error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 5031, "n_ctx": 4096}},
        "holds 4096 tokens, this prompt has 5031",
    ),
    "llamacpp: pool": _error(
        "llamacpp", 500, {"error": {"message": "Context size has been exceeded."}}, "the window of m is too small"
    ),
    "llamacpp: loading": _error("llamacpp", 503, {"error": {"message": "Loading model"}}, "Loading", times=3, **NOW),
    "lmstudio: an error in words": _error("lmstudio", 400, {"error": "No models loaded"}, "No models loaded"),
    "vllm: window": _error(
        "vllm",
        400,
        {"object": "error", "message": TOO_LONG, "type": "BadRequestError", "code": 400},
        "holds 4096 tokens, this prompt has 5000",
    ),
    "vllm: cached is not told": _answer(
        "vllm", {"prompt_tokens": 100, "completion_tokens": 30, "prompt_tokens_details": None}, Usage(100, 30)
    ),
}


def _backend(name: str, api: ChatApi, notices: list[str] | None = None, **more: Any) -> OpenAiApi:
    provider = providers()[name]
    settings = LlmSettings(max_retries=2, retry_after_max_seconds=1, **more)
    environment = dict.fromkeys(provider.keys, "k")
    around = Surroundings(settings, environment=environment, notice=None if notices is None else notices.append)
    return OpenAiApi("m", replace(provider, base=api.url), around)


def _sent(name: str, **more: Any) -> Body:
    with serving_chat(ChatApi(lambda _body: Said(GOOD))) as api:
        assert _backend(name, api, **more).ask(ASKED).text == GOOD
    assert api.faults == []
    return api.requests[0]


@pytest.mark.parametrize("habit", HABITS.values(), ids=HABITS)
def test_what_a_provider_says_is_understood(habit: Habit) -> None:
    with serving_chat(ChatApi(lambda _body: habit.said)) as api:
        backend = _backend(habit.provider, api, [])
        if habit.usage is None:
            with pytest.raises(BackendError) as caught:
                backend.ask(ASKED)
            said = f"{caught.value.message}\n{caught.value.hint}"
        else:
            answer = backend.ask(ASKED)
            said = answer.text
            assert (answer.usage, answer.stop, answer.raw) == (habit.usage, "end_turn", b"")
    assert [words for words in habit.means if words not in said] == [], said
    assert len(api.requests) == habit.times


@pytest.mark.parametrize(
    ("name", "status", "body", "forms"),
    [
        (
            "gemini",
            400,
            [{"error": {"message": "Invalid value at 'response_format.json_schema': minimum is not supported"}}],
            ["strict", "schema", "json_object"],
        ),
        (
            "groq",
            400,
            {"error": {"message": "This model does not support response format `json_schema`"}},
            ["strict", "schema", "json_object"],
        ),
        ("deepseek", 400, {"error": {"message": "This response_format type is unavailable now"}}, ["json_object", ""]),
        (
            "mistral",
            422,
            {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]},
            ["strict", "schema", "json_object"],
        ),
        ("vllm", 400, {"message": "unsupported JSON schema keyword"}, ["schema", "json_object"]),
    ],
)
def test_a_form_that_a_provider_refuses_gives_way(name: str, status: int, body: object, forms: list[str]) -> None:
    def script(asked: Body) -> Said:
        return Said(GOOD) if _form(asked) == forms[-1] else Said(status=status, body=body)

    notices: list[str] = []
    with serving_chat(ChatApi(script)) as api:
        assert json.loads(_backend(name, api, notices).ask(ASKED).text)["text"] == "Yes."
    assert [_form(asked) for asked in api.requests] == forms
    assert sum("refuses the form" in notice for notice in notices) == len(forms) - 1


def _form(asked: Body) -> str:
    sent = asked.get("response_format", {})
    schema = sent.get("json_schema", {})
    return "strict" if schema.get("strict") else "schema" if schema else str(sent.get("type", ""))
