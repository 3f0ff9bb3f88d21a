"""What servers offer: models, windows and prices as each of them tells, and prompts that keep to the window."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import BackendError, GmError
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.llm.asker import parse_answer, render_trace
from gm.llm.base import Block, Request, Surroundings, window_of
from gm.llm.choose import choose_backend
from gm.llm.offers import Offer, find_window, read_offers
from gm.llm.openai_api import OpenAiApi, make
from gm.llm.prices import Prices, make_price, read_published
from gm.llm.providers import providers
from gm.llm.rehearsal.backend import Rehearsal
from tests.cli.running import Run
from tests.llm.chat_api import ChatApi, Said, answer_well, serving_chat, whole
from tests.stories.playing import play, set_sections

LISTS: Mapping[str, tuple[Any, Offer]] = {
    "vllm": ({"data": [{"id": "m", "max_model_len": 32768}]}, Offer("m", 32768)),
    "llama.cpp": ({"data": [{"id": "m", "meta": {"n_ctx": 8192, "n_ctx_train": 131072}}]}, Offer("m", 8192)),
    "openrouter": (
        {"data": [{"id": "m", "context_length": 131072, "pricing": {"prompt": "0.0000002", "completion": "0.000001"}}]},
        Offer("m", 131072, 0.2, 1.0),
    ),
    "groq": ({"data": [{"id": "m", "context_window": 131072}]}, Offer("m", 131072)),
    "mistral": ({"data": [{"id": "m", "max_context_length": 262144}]}, Offer("m", 262144)),
    "together": ([{"id": "m", "context_length": 4096, "pricing": {"input": 1}}], Offer("m", 4096)),
    "lm studio": (
        {
            "models": [
                {"key": "m", "max_context_length": 131072, "loaded_instances": [{"config": {"context_length": 8192}}]}
            ]
        },
        Offer("m", 8192),
    ),
    "lm studio, not loaded": (
        {"models": [{"key": "m", "max_context_length": 131072, "loaded_instances": []}]},
        Offer("m"),
    ),
    "ollama": ({"models": [{"name": "m", "context_length": 4096}]}, Offer("m", 4096)),
    "names alone": ({"data": [{"id": "m"}]}, Offer("m")),
    "free": ({"data": [{"id": "m", "pricing": {"prompt": "0", "completion": "0"}}]}, Offer("m", None, 0.0, 0.0)),
    "odd numbers": (
        {"data": [{"id": "m", "context_length": True, "pricing": {"prompt": "-1", "completion": "nan"}}]},
        Offer("m"),
    ),
}


@pytest.mark.parametrize(("document", "offer"), LISTS.values(), ids=LISTS)
def test_each_server_is_understood(document: Any, offer: Offer) -> None:
    assert read_offers(json.dumps(document).encode()) == (offer,)


@pytest.mark.parametrize("name", ["m\x1b[31m", "m\nother", "m\u202e", "\ud800", "", 7, None])
def test_a_name_that_cannot_be_shown_on_one_line_is_none(name: object) -> None:
    assert read_offers(json.dumps([{"id": name}, {"id": name, "name": "m"}]).encode()) == (Offer("m"),)


@pytest.mark.parametrize("data", [b"", b"<html>", b"{}", b'{"data": 3}', b"[" * 9000])
def test_what_is_no_list_is_said(data: bytes) -> None:
    with pytest.raises(BackendError, match="the server sent no"):
        read_offers(data)


def asking(pages: Mapping[str, Any]) -> Any:
    def fetch(path: str) -> bytes:
        if path not in pages:
            raise BackendError(f"no {path}")
        return json.dumps(pages[path]).encode()

    return fetch


def test_the_window_that_was_allocated_comes_before_the_one_that_is_possible() -> None:
    props = {"/props": {"default_generation_settings": {"n_ctx": 4096}}, "/models": {"data": [{"id": "m"}]}}
    assert find_window("m", asking(props), ["/props"]) == 4096
    running = {"/api/ps": {"models": [{"name": "qwen3:latest", "context_length": 4096}]}}
    assert find_window("qwen3", asking(running), ["/api/ps"]) == 4096
    assert find_window("", asking(running), ["/api/ps"]) == 4096
    assert find_window("llama3.1", asking(running), ["/api/ps"]) is None, "another model is loaded"
    assert find_window("m", asking({"/models": {"data": [{"id": "m", "max_model_len": 9}]}}), ["/props"]) == 9
    named = {"key": "a", "loaded_instances": [{"id": "m", "config": {"context_length": 4096}}]}
    other = {"key": "b", "max_context_length": 9, "loaded_instances": []}
    assert find_window("m", asking({"/api/v1/models": {"models": [named, other]}}), ["/api/v1/models"]) == 4096


def test_of_several_models_only_the_one_that_is_asked_counts() -> None:
    two = {"/models": {"data": [{"id": "a", "max_model_len": 1000}, {"id": "b", "max_model_len": 2000}]}}
    assert find_window("b", asking(two), []) == 2000
    assert find_window("c", asking(two), []) is None
    assert find_window("c", asking({}), ["/props"]) is None, "a server that does not tell is no fault"


def window(size: int) -> dict[str, object]:
    return {"/props": {"default_generation_settings": {"n_ctx": size}}}


def test_prompts_keep_to_the_window_of_the_server_that_plays(dinner: Layout) -> None:
    set_sections(dinner.settings, "llm: {max_tokens: 2000}")
    api = ChatApi()
    api.known = window(9000)
    with serving_chat(api):
        play(dinner, backend=make(f"{api.url}#m", Surroundings()))
    assert api.faults == []
    longest = max(sum(len(message["content"]) for message in body["messages"]) for body in api.requests)
    assert 0.5 * 7000 < longest / 3.2 <= 7000


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/api/ps", {"name": "m:latest", "context_length": 8192}),
        ("/api/v1/models", {"key": "m", "loaded_instances": [{"config": {"context_length": 8192}}]}),
    ],
)
def test_an_address_is_asked_for_its_window_as_each_server_tells_it(path: str, told: dict[str, object]) -> None:
    with serving_chat(ChatApi()) as api:
        api.known = {path: {"models": [told, {"name": "other", "context_length": 9}]}}
        assert window_of(make(f"{api.url}#m", Surroundings()), "m") == 8192


def test_a_window_that_is_too_small_is_said_before_any_question(dinner: Layout) -> None:
    for size, words in (
        (900, "holds 900 tokens, and its answer may take 2000"),
        (2500, "may have 500 tokens, too few"),
    ):
        set_sections(dinner.settings, "llm: {max_tokens: 2000}")
        api = ChatApi()
        api.known = window(size)
        with serving_chat(api), pytest.raises(GmError) as caught:
            play(dinner, backend=make(f"{api.url}#m", Surroundings()))
        assert words in caught.value.message
        assert "larger window" in caught.value.hint
        assert api.requests == []


def test_what_the_user_has_set_lowers_what_the_window_leaves(dinner: Layout) -> None:
    set_sections(dinner.settings, "context: {prompt_tokens: 5000}\nday: {scenes: [1, 1]}")
    api = ChatApi()
    api.known = window(16_000)
    with serving_chat(api):
        play(dinner, backend=make(f"{api.url}#m", Surroundings()))
    assert 4000 < max(estimate_tokens(whole(body)) for body in api.requests) <= 5000


def test_who_does_not_know_its_window_has_none() -> None:
    assert window_of(Rehearsal(), "any") is None
    openai = make("openai:gpt-5", Surroundings(environment={"OPENAI_API_KEY": "sk-test"}))
    assert window_of(openai, "gpt-5") is None, "it does not tell, so it is not asked"


def test_the_command_lists_what_a_server_offers(run: Run) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": [{"id": "big", "context_length": 131072}, {"id": "\x1b[31mred"}]}}
    with serving_chat(api):
        shown = run("models", f"{api.url}")
        document = json.loads(run("models", f"{api.url}", "--json").out)
    assert f"{api.url}#big" in shown.out, "what --model takes"
    assert "131,072" in shown.out
    assert "\x1b" not in shown.out
    assert document["models"][0]["window"] == 131072
    assert {document["models"][0][name] for name in ("usd_in", "usd_out", "usd_cached", "usd_written")} == {None}


def test_the_command_shows_published_prices_where_a_server_tells_none(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": [{"id": "gpt-5-mini"}, {"id": "unheard-of"}]}}
    with serving_chat(api):
        monkeypatch.setenv("OPENAI_BASE_URL", api.url)
        shown = run("models", "openai").out.splitlines()
    assert shown[0].split(maxsplit=1) == ["openai:gpt-5-mini", "$0.25 in, $2.00 out, $0.03 cached"]
    assert shown[1] == "openai:unheard-of", "unknown is not free"


@pytest.mark.parametrize(
    ("provider", "line"),
    [
        ("anthropic", ["claude-opus-5", "$5.00 in, $25.00 out, $0.50 cached"]),
        ("groq", ["groq:llama-3.1-8b-instant", "$0.05 in, $0.08 out, $0.05 cached"]),
    ],
)
def test_without_a_key_the_models_are_those_of_the_price_list(run: Run, provider: str, line: list[str]) -> None:
    *shown, _empty, source = run("models", provider).out.splitlines()
    assert line in [one.split(maxsplit=1) for one in shown]
    told = read_published() if provider == "anthropic" else read_published()["chat"]
    assert source == f"Not asked: this is gm's price list of {told['date']}, per million tokens ({told['source']})"
    assert f"{provider} " in run("models").out


def test_a_model_of_anthropic_may_be_named_with_its_provider() -> None:
    around = Surroundings(environment={"ANTHROPIC_API_KEY": "k"})
    assert choose_backend("anthropic:claude-opus-5", "--model", around).backend.model == "claude-opus-5"


def test_a_model_that_embeds_is_not_offered_to_play(run: Run) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": [{"id": "qwen3:8b"}, {"id": "nomic-embed-text:latest"}]}}
    with serving_chat(api):
        plays, embeds = run("models", api.url).out.splitlines()
    assert plays == f"{api.url}#qwen3:8b"
    assert embeds.endswith("  for an index: it plays nobody")


def test_a_server_without_a_model_says_so(run: Run, dinner: Layout) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"object": "list", "data": []}}
    with serving_chat(api):
        assert "has no model loaded" in run("models", api.url).out
        played = run("advance-day", "-w", dinner.root, "--model", api.url)
    assert played.code == 1
    assert "has no model loaded" in played.err


def test_without_a_name_whole_days_ask_for_the_model_that_is_loaded(run: Run, dinner: Layout) -> None:
    api = ChatApi()
    with serving_chat(api):
        assert run("advance-day", "-w", dinner.root, "--model", api.url).code == 0
    assert {body["model"] for body in api.requests} == {"loaded-one"}


def test_a_dry_run_says_what_does_not_fit_into_a_window_and_asks_no_model(run: Run, dinner: Layout) -> None:
    api = ChatApi()
    with serving_chat(api):
        played = ("advance-day", "-w", dinner.root, "--model", f"{api.url}#m", "--dry-run")
        assert run(*played).code == 0, "a window that is not told limits nothing"
        api.known = window(2500)
        refused = run(*played)
        set_sections(dinner.settings, "context: {prompt_tokens: 8000}")
        still_refused = run(*played)
        api.known = window(16_000)
        whole = run(*played, "--json")
        api.known = window(7_600)
        cut = run(*played, "--json")
    assert refused.code == 1
    assert "a prompt may have 1875 tokens, too few for" in refused.err
    assert "(the window of m holds 2500, and its answer may take 625)" in refused.err
    assert "start the model's server with a larger window; or set prompts: short in gm.yaml" in refused.err
    assert still_refused.err == refused.err, "a setting is no larger window"
    assert api.requests == []
    asked = [outcome.document["totals"]["tokens"]["input"] for outcome in (cut, whole)]
    assert asked[0] <= asked[1]


def test_a_run_says_before_its_first_call_what_does_not_fit(run: Run, dinner: Layout) -> None:
    api = ChatApi()
    api.known = window(2500)
    with serving_chat(api):
        outcome = run("advance-day", "-w", dinner.root, "--model", f"{api.url}#m")
    assert outcome.code == 1
    assert outcome.err.count("day-001/scene-01: a prompt may have 1875 tokens") == 1
    assert "scene-01" not in outcome.out, "no heading of a scene that is not played"
    assert api.requests == []


def test_the_context_for_a_model_shows_its_window_and_what_gave_way(run: Run, dinner: Layout) -> None:
    assert run("advance-day", "-w", dinner.root, "--days", "2").code == 0
    api = ChatApi()
    with serving_chat(api):
        shown = ("context", "alex", "-w", dinner.root)
        named = (*shown, "--model", f"{api.url}#m")
        assert "the window of" not in run(*shown).out
        assert api.looked_up == [], "nobody is asked without --model"
        assert "the window of m is not known; its answer may take 4,096 tokens" in run(*named).out
        api.known = window(32_000)
        wide, document = run(*named).out, run(*named, "--json").document
        most = document["tokens"] - 100
        api.known = window(most * 4 // 3)
        narrow = run(*named).out
        set_sections(dinner.settings, f"context: {{prompt_tokens: {most - 100}}}")
        lowered = run(*named).out
        set_sections(dinner.settings, f"context: {{prompt_tokens: {most * 9}}}")
        not_raised = run(*named).out
        api.known = window(2500)
        refused = run(*named)
    assert "the window of m holds 32,000 tokens, its answer may take 4,096;" in wide
    assert "27,904 are left for the prompt; nothing gave way" in wide
    assert document["window"] == {"model": "m", "tokens": 32_000, "answer": 4096, "prompt": 27_904}
    assert f"{most:,} are left for the prompt; gave way: memories" in narrow
    assert f"{most - 100:,} may be in the prompt (context in gm.yaml)" in lowered
    assert f"{most:,} are left for the prompt; gave way: memories" in not_raised
    assert "too few for alex" in refused.err
    assert api.requests == []


def test_the_first_line_says_what_was_found_and_the_forecast_has_its_price(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    outcome = run("advance-day", "-w", dinner.root, "--dry-run", "--json")
    lines = outcome.err.splitlines()
    assert lines[0] == "model: openai:gpt-5.6-luna (OPENAI_API_KEY is set; --model names another)"
    assert (outcome.document["backend"], outcome.document["model"]) == ("openai", "gpt-5.6-luna")
    assert outcome.document["totals"]["usd"] > 0
    assert "secret" not in outcome.err + outcome.out


def test_a_server_in_the_environment_plays_a_whole_day(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = ChatApi()
    with serving_chat(api):
        monkeypatch.setenv("OPENAI_BASE_URL", api.url)
        outcome = run("advance-day", "-w", dinner.root)
    assert outcome.code == 0, outcome.err
    assert outcome.err.startswith("model: openai (the first model of http://127.0.0.1:")
    assert "price unknown for openai" in outcome.err
    assert {body["model"] for body in api.requests} == {"loaded-one"}


def test_the_command_names_keys_and_never_shows_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-secret")
    shown = run("models")
    assert "GROQ_API_KEY is set" in shown.out
    assert "gsk-secret" not in shown.out
    assert "needs no key" in shown.out


def test_a_provider_that_is_none_or_not_there_is_one_clear_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "no provider 'nobody'" in run("models", "nobody").err
    assert "cannot be reached" in run("models", "http://127.0.0.1:9/v1").err


PRICED = {
    "id": "vendor/one",
    "context_length": 9000,
    "pricing": {"prompt": "0.000001", "completion": "0.000004", "input_cache_read": "0.0000001"},
}
NOTE = Request("a", "scene", (Block("World."),), (("user", "And?"),), {"title": "Note", "type": "object"}, 500)
BILL = {"prompt_tokens": 100, "completion_tokens": 7, "cost": 0.25}


def billing(api: ChatApi, *, stream: str = "auto") -> OpenAiApi:
    around = Surroundings(LlmSettings(stream=stream), environment={"OPENROUTER_API_KEY": "k"})
    return OpenAiApi("vendor/one", replace(providers()["openrouter"], base=api.url, extra={}), around)


def test_what_a_provider_tells_of_its_prices_is_read_once_with_the_window() -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": [PRICED, {"id": "vendor/other", "pricing": {"prompt": "-1"}}]}}
    with serving_chat(api):
        backend = billing(api)
        assert backend.price("openrouter:vendor/one") == make_price(1, 4, cache_read=0.1)
        assert backend.price("vendor/other") is backend.price("vendor/none") is None
        assert backend.window("vendor/one") == 9000
    assert api.looked_up == ["/v1/models"]


def test_a_list_of_models_that_cannot_be_had_leaves_the_published_price() -> None:
    api = ChatApi()
    api.known = {"/v1/models": "nothing"}
    with serving_chat(api):
        backend = billing(api)
        assert backend.price("vendor/one") is backend.price("vendor/one") is None
        assert Prices().ahead(backend, "openai/gpt-oss-20b") == Prices().of("openrouter:openai/gpt-oss-20b")
    assert api.looked_up == ["/v1/models"], "it is not asked again"


@pytest.mark.parametrize("stream", ["auto", "off"])
@pytest.mark.parametrize(
    ("more", "usd"),
    [
        ({}, 0.25),
        ({"is_byok": True, "cost_details": {"upstream_inference_cost": 1.5}}, 1.75),
        ({"is_byok": False, "cost_details": {"upstream_inference_cost": 1.5}}, 0.25),
        ({"cost": "much"}, None),
    ],
)
def test_what_an_answer_has_really_cost_is_recorded(stream: str, more: dict[str, object], usd: float | None) -> None:
    with serving_chat(ChatApi(lambda _body: Said("{}", usage={**BILL, **more}))) as api:
        answer = billing(api, stream=stream).ask(NOTE)
    assert answer.usd == usd
    answer = replace(answer, backend="openrouter", asked="vendor/one")
    record = render_trace(NOTE, answer, reads_facts=False)
    assert parse_answer(record) == answer
    assert ("usd" in record) is (usd is not None)


def test_the_word_of_any_other_server_is_not_taken_for_what_was_paid() -> None:
    with serving_chat(ChatApi(lambda _body: Said("{}", usage=BILL))) as api:
        assert make(f"{api.url}#m", Surroundings()).ask(NOTE).usd is None


def test_what_was_really_paid_is_in_the_bill_and_in_the_budget(run: Run, dinner: Layout) -> None:
    with serving_chat(ChatApi(lambda body: replace(answer_well(body), usage=BILL))) as api:
        play(dinner, backend=billing(api))
    calls = len(api.requests)
    document = json.loads(run("cost", "-w", dinner.root, "--json").out)
    assert document["totals"]["usd"] == pytest.approx(0.25 * calls)
    assert document["totals"]["unpriced_calls"] == 0
    assert document["prices"]["source"].startswith("https://github.com/pydantic/genai-prices")
