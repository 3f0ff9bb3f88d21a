"""What calls cost: published prices, a world's own, and none at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import get_args

import pytest

from gm.base.config import LlmSettings, parse_settings
from gm.llm.base import Answer, Request, Usage
from gm.llm.prices import (
    FREE,
    Price,
    Prices,
    cost_usd,
    make_price,
    name_price_sources,
    names_of,
    parse_price,
    read_published,
    uncached_usd,
)
from gm.llm.providers import providers

MILLION = 1_000_000
PRICE = parse_price({"input": 4, "output": 20})
LISTED = sorted(read_published()["models"])


def test_the_list_says_when_and_where_its_prices_were_found() -> None:
    assert isinstance(read_published()["date"], date)
    assert read_published()["source"].startswith("https://")
    assert read_published()["batch"] == 0.5


@pytest.mark.parametrize("model", LISTED)
def test_a_listed_price_is_complete_and_plausible(model: str) -> None:
    values = read_published()["models"][model]
    assert {"input", "output", "cache_write_5m", "cache_write_1h", "cache_read"} <= set(values)
    price = parse_price(values)
    assert 0 < price.cache_read < price.input < price.cache_write_5m < price.cache_write_1h
    assert price.cache_write_5m == pytest.approx(1.25 * price.input)
    assert price.cache_write_1h == pytest.approx(2 * price.input)
    assert price.output == pytest.approx(5 * price.input)


def test_only_models_that_the_sdk_knows_are_listed() -> None:
    from anthropic.types import Model  # a second for each worker that collects this file

    known = {name for part in get_args(Model) for name in get_args(part)}
    assert set(LISTED) <= known


def test_the_model_that_is_asked_by_default_has_a_price() -> None:
    assert Prices().of(LlmSettings().model) is not None


def test_every_kind_of_token_has_its_own_price() -> None:
    assert cost_usd(Usage(input_tokens=MILLION), PRICE) == 4
    assert cost_usd(Usage(output_tokens=MILLION), PRICE) == 20
    assert cost_usd(Usage(cache_read_tokens=MILLION), PRICE) == pytest.approx(0.4)
    assert cost_usd(Usage(cache_write_tokens=MILLION), PRICE) == 5
    assert cost_usd(Usage(cache_write_tokens=MILLION, cache_write_1h_tokens=MILLION), PRICE) == 8
    assert cost_usd(Usage(cache_write_tokens=MILLION, cache_write_1h_tokens=MILLION // 2), PRICE) == 6.5


def test_a_batch_costs_half() -> None:
    usage = Usage(1000, 200, 300, 400, 100)
    assert cost_usd(usage, PRICE, batch=True) == pytest.approx(cost_usd(usage, PRICE) / 2)


def test_without_a_cache_all_of_the_question_is_paid_in_full() -> None:
    usage = Usage(1000, 200, 3000, 400, 100)
    assert uncached_usd(usage, PRICE) == pytest.approx((4400 * 4 + 200 * 20) / MILLION)


def test_a_dated_name_costs_what_its_family_costs() -> None:
    price = Prices().of("claude-sonnet-4-5-20250929")
    assert price is not None
    assert price == Prices().of("claude-sonnet-4-5")


@pytest.mark.parametrize(
    "model", ["", "claude", "claude-opus-9", "claude-opus-5-20", "claude-opus-5-6", "claude-opus-5-fast", "qwen3"]
)
def test_no_other_prefix_makes_a_price(model: str) -> None:
    assert Prices().of(model) is None


def test_a_younger_model_is_not_paid_like_the_older_one_whose_name_begins_its_own() -> None:
    assert Prices().of("claude-opus-5-5") != Prices().of("claude-opus-5")
    assert names_of("claude-opus-5-5-20260922") == ("claude-opus-5-5-20260922", "claude-opus-5-5")


def test_a_world_corrects_and_extends_the_list() -> None:
    prices = Prices({"claude-opus-5": {"input": 1, "output": 2}, "qwen3": {"input": 0, "output": 0}})
    assert prices.of("claude-opus-5-20260724") == parse_price({"input": 1, "output": 2})
    assert prices.of("qwen3") == FREE
    assert prices.of("claude-opus-4-8") == Prices().of("claude-opus-4-8")


def test_a_price_that_says_nothing_of_the_cache_follows_the_usual_multiples() -> None:
    price = parse_price({"input": 3, "output": 15})
    assert (price.cache_write_5m, price.cache_write_1h) == (3.75, 6.0)
    assert price.cache_read == pytest.approx(0.3)
    assert parse_price({"input": 3, "output": 15, "cache_read": 0}).cache_read == 0


@pytest.mark.parametrize("backend", ["rehearsal", "mailbox", "replay"])
def test_who_is_not_paid_is_free(backend: str) -> None:
    assert Prices().for_call(backend, "whoever") is FREE


def test_an_unknown_price_is_not_nothing() -> None:
    assert Prices().for_call("anthropic", "qwen3", "qwen3:8b") is None
    own = Prices({"qwen3:8b": {"input": 1, "output": 1}})
    assert own.for_call("anthropic", "local", "qwen3:8b") == own.of("qwen3:8b")


def test_prices_in_the_settings() -> None:
    settings, problems = parse_settings({"prices": {"qwen3": {"input": 0, "output": 0.5, "cache_read": 0}}})
    assert not problems
    assert settings.prices == {"qwen3": {"input": 0.0, "output": 0.5, "cache_read": 0.0}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], "a mapping of model names"),
        ({"qwen3": 3}, "qwen3: {input"),
        ({"qwen3": {"input": 3}}, "qwen3: {input"),
        ({"qwen3": {"input": 3, "output": -1}}, "a number, at least 0"),
        ({"qwen3": {"input": 3, "output": "15"}}, "a number, at least 0"),
        ({"qwen3": {"input": 3, "output": True}}, "a number, at least 0"),
        ({"qwen3": {"input": 3, "output": 15, "chache_read": 1}}, "not chache_read"),
        ({4: {"input": 3, "output": 15}}, "names of models"),
    ],
)
def test_a_price_of_another_form_is_a_problem_that_says_what_is_expected(value: object, expected: str) -> None:
    settings, (problem,) = parse_settings({"prices": value})
    assert (problem.keys, problem.code, problem.is_error) == (("prices",), "setting-value", True)
    assert expected in problem.message
    assert settings.prices == {}


CHAT = [(name, model) for name, models in read_published()["chat"]["models"].items() for model in models]


def test_the_list_of_chat_completions_says_when_and_where_its_prices_were_found() -> None:
    assert isinstance(read_published()["chat"]["date"], date)
    assert read_published()["chat"]["source"].startswith("https://")
    assert {name for name, _ in CHAT} == {name for name, one in providers().items() if one.needs_key}


@pytest.mark.parametrize(("provider", "model"), CHAT)
def test_a_listed_price_of_chat_completions_is_plausible(provider: str, model: str) -> None:
    price = Prices().for_call(provider, model)
    assert price is not None
    assert 0 < price.cache_read <= price.input <= price.output
    assert price.input <= price.cache_write_5m <= 1.25 * price.input


@pytest.mark.parametrize(
    ("backend", "model", "usd_in"),
    [
        ("", "openai:gpt-5-mini", 0.25),
        ("", "gpt-5-mini-2025-08-07", 0.25),
        ("openai", "gpt-5-mini", 0.25),
        ("openai", "openai:gpt-5-mini-2025-08-07", 0.25),
        ("groq", "openai/gpt-oss-120b", 0.15),
        ("together", "together:openai/gpt-oss-120b", 0.15),
        ("openrouter", "openrouter:openai/gpt-oss-120b", 0.1),
        ("", "openai/gpt-oss-120b", None),
        ("openai", "openai/gpt-oss-120b", None),
        ("groq", "gpt-5-mini", None),
        ("anthropic", "gpt-5-mini", None),
        ("openai", "gpt-5-mini-fast", None),
        ("", "http://localhost:1/v1#gpt-5-mini", None),
    ],
)
def test_a_model_costs_what_its_provider_takes_with_its_name_or_without(
    backend: str, model: str, usd_in: float | None
) -> None:
    price = Prices().of(model, backend)
    assert (price.input if price else None) == usd_in


def test_a_server_of_ones_own_is_free_unless_the_world_says_otherwise() -> None:
    assert Prices().for_call("ollama", "mistral:7b") == Prices().of("ollama:mistral:7b") == FREE
    assert Prices({"mistral:7b": {"input": 1, "output": 1}}).for_call("ollama", "mistral:7b") != FREE
    assert Prices().for_call("openai", "qwen3") is None, "an address by hand: who knows who pays there"


@pytest.mark.parametrize("name", ["gpt-5-mini", "openai:gpt-5-mini"])
def test_a_world_corrects_the_price_of_a_provider(name: str) -> None:
    own = Prices({name: {"input": 1, "output": 2}})
    assert own.for_call("openai", "gpt-5-mini") == parse_price({"input": 1, "output": 2})


def test_the_sources_of_prices_are_those_of_who_was_asked() -> None:
    assert (
        name_price_sources(["anthropic"])
        == name_price_sources(())
        == (str(read_published()["date"]), read_published()["source"])
    )
    assert name_price_sources(["openai", "groq"]) == (
        str(read_published()["chat"]["date"]),
        read_published()["chat"]["source"],
    )
    assert name_price_sources(["openai", "anthropic"])[1].count("https://") == 2


@dataclass(frozen=True)
class Telling:
    """A backend whose server tells prices."""

    known_price: Price | None
    name: str = "openrouter"
    model: str = "openai/gpt-oss-120b"
    reads_facts: bool = False

    def price(self, model: str) -> Price | None:
        return self.known_price

    def ask(self, request: Request) -> Answer:
        raise NotImplementedError


def test_what_a_provider_tells_comes_before_the_list_and_after_the_world() -> None:
    telling = Telling(make_price(7, 8))
    assert Prices().ahead(telling, telling.model) == telling.known_price
    assert Prices().ahead(Telling(None), telling.model) == Prices().for_call(telling.name, telling.model)
    own = Prices({telling.model: {"input": 1, "output": 2}})
    assert own.ahead(telling, telling.model) == own.of(telling.model)
