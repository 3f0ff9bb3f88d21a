"""What a server may not do with gm: send prompts on, make it wait for ever, fill its memory, spoil its sums."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm import http_client
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.base import Answer, Block, Request, UnreadableAnswerError, Usage
from gm.llm.refusals import seconds_asked
from gm.llm.streams import fold_message, parse_events
from tests.llm.messages_api import USAGE, MessagesApi, Reply, serving

QUESTION = Request(
    "vera",
    "scene",
    (Block("Welt", cache=True),),
    (("user", "Und?"),),
    {"title": "Reply", "type": "object", "properties": {}},
    500,
)
NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with serving(MessagesApi(lambda _body, _number: Reply("{}"))) as served:
        yield served


@pytest.fixture
def other() -> Iterator[MessagesApi]:
    with serving(MessagesApi(lambda _body, _number: Reply("{}"))) as served:
        yield served


def ask(api: MessagesApi, notices: list[str] | None = None, *, retries: int = 2, patience: float = 60.0) -> Answer:
    settings = LlmSettings(
        max_retries=retries, cache="5m", structured="schema", retry_after_max_seconds=patience, concurrency=2
    )
    environment = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-secret"}
    said = notices if notices is not None else []
    return AnthropicApi("some-model", settings, environment, said.append).ask(QUESTION)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_prompt_follows_a_redirect_to_another_server(status: int, api: MessagesApi, other: MessagesApi) -> None:
    api.script = lambda _body, _number: Reply(
        status=status, headers={"location": f"{other.url}/v1/messages", "x-should-retry": "true"}
    )
    with pytest.raises(BackendError, match=r"sends on to http://127\.0\.0\.1:\d+ .*not followed") as raised:
        ask(api)
    assert other.url in raised.value.message
    assert "ANTHROPIC_BASE_URL" in raised.value.hint
    assert other.requests == []
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    "location", ["/elsewhere", "//evil.example/v1", "http://[::1", "http://user:pw@evil.example/", ""]
)
def test_any_other_redirect_is_not_followed_either(location: str, api: MessagesApi) -> None:
    api.script = lambda _body, _number: Reply(status=307, headers={"location": location})
    with pytest.raises(BackendError) as raised:
        ask(api)
    assert "status 307" in raised.value.message
    assert "pw@" not in raised.value.message
    assert len(api.requests) == 1


@pytest.mark.parametrize("headers", [{"retry-after": "999999999"}, {"retry-after-ms": "1e400"}, {"retry-after": "61"}])
@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_server_that_asks_to_wait_too_long_is_not_waited_for(
    headers: dict[str, str], status: int, api: MessagesApi
) -> None:
    api.script = lambda _body, _number: Reply(status=status, headers={**headers, "x-should-retry": "true"})
    with pytest.raises(BackendError, match=r"asks to wait .* more than llm\.retry_after_max_seconds: 60") as raised:
        ask(api)
    assert "raise llm.retry_after_max_seconds" in raised.value.hint
    assert len(api.requests) == 1


@pytest.mark.parametrize("said", ["soon", "nan", "-5", "Fri, 31 Dec 99999999999 23:59:59 GMT", "1, 2", ""])
def test_a_wait_that_cannot_be_read_is_a_short_one(
    said: str, api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("anthropic._base_client.time.sleep", waited.append)
    api.script = lambda _body, number: Reply("{}") if number > 1 else Reply(status=429, headers={"retry-after": said})
    assert ask(api).text == "{}"
    assert len(waited) == 1
    assert waited[0] <= 8


def test_a_wait_within_the_limit_is_waited_and_told(api: MessagesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("anthropic._base_client.time.sleep", waited.append)
    notices: list[str] = []
    api.script = lambda _body, number: Reply("{}") if number > 1 else Reply(status=429, headers={"retry-after": "90"})
    assert ask(api, notices, patience=100).text == "{}"
    assert waited == [90]
    assert notices == ["some-model: rate limit reached (status 429), asks to wait 90 s"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "1", "retry-after-ms": "500"}, 0.5),
        ({"retry-after": "1", "retry-after-ms": "soon"}, 1),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, float("inf")),
        ({"retry-after": "Sun, 22 Nov 2026 12:01:00 GMT"}, 60),
        ({"retry-after": "Sun, 22 Nov 2026 12:01:00 -0000"}, 60),
        ({"retry-after": "Sun, 22 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Sun, 99 Nov 2026 11:00:00 GMT"}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds_asked(headers, NOW) == seconds


def test_a_body_without_end_is_read_up_to_a_limit(api: MessagesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MOST_ANSWER_BYTES", 1000)
    api.script = lambda _body, _number: Reply(raw=b"[" * 5000)
    with pytest.raises(UnreadableAnswerError) as raised:
        ask(api)
    assert raised.value.raw == b"[" * 1000


@pytest.mark.parametrize("wrong", [10**400, -1, True, "7", 1.5, [], 10**9 + 1])
def test_an_impossible_usage_counts_as_nothing_with_a_notice(wrong: object, api: MessagesApi) -> None:
    notices: list[str] = []
    api.script = lambda _body, _number: Reply("{}", usage={**USAGE, "input_tokens": wrong})
    answer = ask(api, notices)
    assert answer.usage == Usage(0, 50, 2000, 700, 300)
    assert fold_message(parse_events(answer.raw))["content"][0]["text"] == "{}"
    (notice,) = notices
    assert "usage.input_tokens: no number of tokens" in notice


def test_what_is_odd_about_a_server_is_told_once(api: MessagesApi) -> None:
    api.script = lambda _body, _number: Reply(raw=b'{"content": "{}"}')
    notices: list[str] = []
    settings = LlmSettings(max_retries=0, cache="5m", structured="schema")
    environment = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-secret"}
    backend = AnthropicApi("some-model", settings, environment, notices.append)
    first, second = backend.ask(QUESTION), backend.ask(QUESTION)
    assert (first.text, first.model, first.stop, first.usage) == ("{}", "some-model", "end_turn", Usage())
    assert second == first
    (notice,) = notices
    assert "content that is not a list, no stop_reason, no model, no usage" in notice


@pytest.fixture
def _no_collection() -> Iterator[None]:
    """No finalizer of what other tests left runs at the limit of recursion, where it would fail."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_collection")
@pytest.mark.parametrize(
    "error", [b"", b"null", b"<html>", b"[" * 5000, b'{"error": {"message": ["x"]}}', b'{"error": 7}']
)
def test_an_error_of_any_body_is_an_error_in_words(error: bytes, api: MessagesApi) -> None:
    api.script = lambda _body, _number: Reply(status=400, raw=error)
    with pytest.raises(BackendError, match=r"some-model was not answered by the API.*status 400"):
        ask(api)
