"""The strict stand-in: it refuses what the SDK's types and the real API refuse, and reports usage by the book."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.base import Block, Request
from tests.llm.messages_api import Body, Reply, serving
from tests.llm.prefix_cache import count_tokens
from tests.llm.standin import StandIn, strict_faults

EPHEMERAL = {"type": "ephemeral"}
FORM: Body = {"type": "json_schema", "schema": {"type": "object", "additionalProperties": False, "properties": {}}}
GOOD: Body = {
    "model": "claude-sonnet-5",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "Welt", "cache_control": EPHEMERAL}, {"type": "text", "text": "Vera"}],
    "messages": [{"role": "user", "content": "Und?"}],
    "output_config": {"format": FORM},
}


def changed(path: tuple[str | int, ...], value: Any) -> Body:
    body = copy.deepcopy(GOOD)
    place: Any = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return body


def test_a_good_request_has_no_fault() -> None:
    assert list(strict_faults(GOOD)) == []


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("temperature",), 1, "temperature: Extra inputs"),
        (("system", 0, "cache"), True, "cache: Extra inputs"),
        (("system", 0, "cache_control", "ttl"), "2h", "'5m' or '1h'"),
        (("system", 0, "cache_control", "type"), "lasting", "'ephemeral'"),
        (("output_config", "format", "name"), "x", "name: Extra inputs"),
        (("output_config", "format", "schema"), "x", "valid dictionary"),
        (("messages", 0, "name"), "vera", "name: Extra inputs"),
        (("messages", 0, "role"), "narrator", "'user'"),
        (("max_tokens",), "many", "max_tokens"),
        (("messages", 0, "content"), [{"type": "text", "text": "a", "note": 1}], "more than text"),
        (("messages", 0, "content"), [{"type": "text", "text": " "}], "an empty block"),
        (("system",), [{"type": "text", "text": f"{n}", "cache_control": EPHEMERAL} for n in range(5)], "5 cache"),
        (("system", 1, "cache_control"), EPHEMERAL | {"ttl": "1h"}, "1h after one of 5m"),
    ],
)
def test_a_request_that_the_api_would_refuse_has_a_fault(path: tuple[str | int, ...], value: Any, fault: str) -> None:
    assert fault in "; ".join(strict_faults(changed(path, value)))


def test_a_schema_that_would_not_compile_has_a_fault() -> None:
    text = {"type": "string"}
    either = {"anyOf": [text, {"type": "null"}]}
    wide = FORM["schema"] | {"properties": {f"key_{number}": text for number in range(25)}}
    many = FORM["schema"] | {
        "properties": {f"key_{number}": either for number in range(17)},
        "required": [f"key_{number}" for number in range(17)],
    }
    assert "25 optional" in "; ".join(strict_faults(changed(("output_config", "format", "schema"), wide)))
    assert "17 parameters" in "; ".join(strict_faults(changed(("output_config", "format", "schema"), many)))


def question(text: str = "Und?") -> Request:
    system = (Block("Welt " * 2000, cache=True), Block("Vera"))
    return Request("vera", "scene", system, (("user", text),), {"type": "object", "properties": {}}, 300)


def backend(api: StandIn) -> AnthropicApi:
    environment = {"ANTHROPIC_API_KEY": "secret", "ANTHROPIC_BASE_URL": api.url}
    return AnthropicApi("claude-sonnet-5", LlmSettings(max_retries=0, cache="5m", structured="schema"), environment)


def test_the_backend_reads_the_usage_that_the_cache_accounts_for() -> None:
    now = [0.0]
    with serving(StandIn(lambda _body, _number: Reply("{}"), clock=lambda: now[0])) as api:
        asker = backend(api)
        first = asker.ask(question()).usage
        now[0] = 10.0
        second = asker.ask(question("Und nun?")).usage
    assert api.faults == []
    assert (first.cache_read_tokens, first.cache_write_tokens, first.input_tokens) == (0, 2000, 1 + 2)
    assert (second.cache_read_tokens, second.cache_write_tokens, second.input_tokens) == (2000, 0, 1 + 3)
    assert first.output_tokens == count_tokens("{}")
    assert [charge.total for _, _, charge in api.charges] == [first.prompt_tokens, second.prompt_tokens]


def test_a_faulty_request_comes_back_as_a_refusal_and_is_not_charged() -> None:
    with serving(StandIn(lambda _body, _number: Reply("{}"))) as api:
        with pytest.raises(BackendError, match="an empty message"):
            backend(api).ask(question(" "))
        with pytest.raises(BackendError, match="a valid string"):
            backend(api).ask(replace(question(), system=(Block(None),)))  # type: ignore[arg-type]
    assert api.charges == []
    assert len(api.faults) == 2
