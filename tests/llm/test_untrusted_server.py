"""What a server may not do with gm: send prompts on, make it wait for ever, fill its memory, spoil its sums."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BufferedIOBase
from time import sleep
from typing import Any

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm import http_client
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.base import Answer, Block, Request, Surroundings, UnreadableAnswerError, Usage
from gm.llm.openai_api import OpenAiApi
from gm.llm.providers import Provider
from gm.llm.refusals import seconds_asked
from gm.llm.streams import fold_message, parse_events
from tests.llm.messages_api import USAGE, MessagesApi, Reply, sending, serving

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


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
WHOLE = b'data: {"choices": [{"index": 0, "delta": {"content": "{}"}, "finish_reason": "stop"}]}\n\n'
HALF = WHOLE.replace(b'"stop"', b"null")
PAGE = b"<!DOCTYPE html><title>\x1b[2J</title>"
BROKE_OFF = "broke off, or does not speak HTTP: "


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def body(data: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (status, len(data), data)


def ask_raw(url: str, **settings: Any) -> Answer:
    wanted = LlmSettings(max_retries=1, **settings)
    here = Provider("here", url, keys=("KEY",))
    return OpenAiApi("m", here, Surroundings(wanted, environment={"KEY": "sk-secret"})).ask(QUESTION)


@pytest.mark.parametrize(
    ("sent", "times", "message", "hint"),
    [
        (b"", 2, BROKE_OFF, "run the same command again"),
        (b"SSH-2.0-OpenSSH_9.0\r\n", 2, BROKE_OFF, "look at the server, and at its address"),
        (b"\x15\x03\x01\x00\x02\x02\x46", 2, BROKE_OFF, "run the same"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 99, 2, BROKE_OFF, "run the same"),
        (b"HTTP/1.1 101 Go\r\nupgrade: x\r\n\r\n", 2, BROKE_OFF, "run the same"),
        (HEAD + b"content-length: -5\r\n\r\n{}", 2, "bad Content-Length", "run the same"),
        (HEAD + b"content-length: 5\r\ncontent-length: 7\r\n\r\n{}", 2, "conflicting Content-Length", "run the same"),
        (HEAD + b"content-length: 99\r\n\r\n{}", 2, "received 2 bytes, expected 99", "run the same"),
        (HEAD + b"x: y\r\n" * 100_000, 2, BROKE_OFF, "run the same"),
        (CHUNKED + b"FFFFFFFFFFFFFFF\r\n{}", 2, BROKE_OFF, "run the same"),
        (CHUNKED + b"zz\r\n{}", 2, "illegal chunk header", "run the same"),
        (CHUNKED + chunk(HALF), 2, BROKE_OFF, "run the same"),
        (CHUNKED + chunk(HALF.replace(b"null", b'""')), 2, BROKE_OFF, "run the same"),
        (CHUNKED + chunk(HALF) + b"0\r\n\r\n", 1, "a stream that broke off", "llm.stream: off"),
        (CHUNKED + chunk(HALF + b"data: \xc3") + b"0\r\n\r\n", 1, "a stream that broke off", "llm.stream: off"),
        (body(PAGE), 1, r"an HTML page, which begins: '<!DOCTYPE html><title>\x1b[2J", "speaks chat completions"),
        (body(PAGE, b"502 Bad"), 2, "an HTML page (status 502)", "try again later"),
        (body(PAGE, b"999 Odd"), 2, "an HTML page (status 999)", "try again later"),
        (body(PAGE, b"418 Tea"), 1, "an HTML page (status 418)", "refused the request itself"),
        (body(b"", b"402 Pay"), 1, "no reason (status 402)", "pay in there"),
        (body(b"", b"204 No"), 1, "nothing at all", "speaks chat completions"),
        (body(b"", b"304 No"), 1, "no reason (status 304)", "every answer so far is kept"),
        (body(b'{"response": "hi"}'), 1, """which begins: '{"response": "hi"}'""", "speaks chat completions"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", ["auto", "off"])
def test_what_is_no_answer_says_what_it_is(
    sent: bytes, times: int, message: str, hint: str, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _seconds: None)
    with sending(lambda out: out.write(sent)) as (url, asked), pytest.raises(BackendError) as raised:
        ask_raw(url, stream=stream)
    assert message in raised.value.message
    assert hint in raised.value.hint
    assert len(asked) == times
    assert "sk-secret" not in repr(raised.value)


@pytest.mark.parametrize(
    "sent",
    [
        CHUNKED + chunk(WHOLE),
        CHUNKED + chunk(WHOLE[:70]) + chunk(WHOLE[70:]) + chunk(b"data: [DONE]\n\n"),
        HEAD + b"content-length: 999\r\n\r\n" + WHOLE,
        CHUNKED + chunk(b"\xef\xbb\xbf" + WHOLE) + b"0\r\n\r\n",
        CHUNKED + chunk(b"retry: 10\n\n" + WHOLE) + b"0\r\n\r\n",
        CHUNKED + chunk(WHOLE.replace(b": 0", b": 1").replace(b"{}", b"B") + WHOLE) + b"0\r\n\r\n",
        body(b'\xef\xbb\xbf{"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}'),
    ],
)
def test_an_answer_that_is_whole_is_not_paid_twice_whatever_else_is_wrong(sent: bytes) -> None:
    with sending(lambda out: out.write(sent)) as (url, asked):
        assert ask_raw(url).text == "{}"
    assert len(asked) == 1


@pytest.mark.parametrize("sign", [b": ping\n\n", HALF])
def test_a_server_that_gives_a_sign_for_ever_is_heard_for_so_long(sign: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "LONGEST", 0.2)

    def write(out: BufferedIOBase) -> None:
        out.write(CHUNKED)
        while True:
            out.write(chunk(sign))
            sleep(0.01)

    with (
        sending(write) as (url, asked),
        pytest.raises(UnreadableAnswerError, match="a stream that broke off") as raised,
    ):
        ask_raw(url, timeout_s=1)
    assert raised.value.raw.startswith(sign)
    assert len(asked) == 1


def test_events_that_hold_no_json_are_told_from_those_that_hold_nothing() -> None:
    lost: list[bytes] = []
    assert len([*parse_events(HALF * 3 + b"data: {\n\ndata: [DONE]\ndata:\n", lost)]) == 3
    assert lost == [b"{"]
