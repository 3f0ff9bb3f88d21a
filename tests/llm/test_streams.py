"""Answers that arrive in pieces: both APIs, whole, cut short, refused, and what is told meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.views.today import view_today
from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.cli.playing.show import DayView
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.files.uncommitted.writing import WritingNote, find_writers
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.base import Answer, Block, Request, Surroundings, UnreadableAnswerError, Usage
from gm.llm.chat import read_chat
from gm.llm.openai_api import OpenAiApi
from gm.llm.providers import NEVER, PLAIN, Provider, providers
from gm.llm.streams import Arriving, fold_chat, fold_message, parse_events
from gm.llm.wire import read_message
from tests.build import scene, studio
from tests.llm.chat_api import ChatApi, Said, serving_chat
from tests.llm.messages_api import MessagesApi, Reply, serving
from tests.llm.streamed import chat_events, message_events

SAID = '{"mood": "größer", "action": "Er nickt und geht."}'
CALL = {"id": "call-1", "type": "function", "function": {"name": "look", "arguments": '{"at": "the soup"}'}}
COMPLETION = {
    "model": "m-1",
    "choices": [{"message": {"content": SAID, "tool_calls": [CALL]}, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 30, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 20}},
}
MESSAGE: dict[str, Any] = {
    "type": "message",
    "model": "m-1",
    "content": [{"type": "text", "text": SAID}, {"type": "tool_use", "id": "c", "name": "look", "input": {"at": "it"}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 10, "output_tokens": 12, "cache_read_input_tokens": 20},
}
SCHEMA = {"title": "Reply", "type": "object", "properties": {"mood": {"type": "string"}}}
ASKED = Request("vera", "scene", (Block("World", cache=True),), (("user", "vera?"),), SCHEMA, 500, who="vera")


def parts_of(whole: Answer) -> tuple[object, ...]:
    return whole.text, whole.model, whole.stop, whole.usage, whole.calls


def test_pieces_make_the_same_answer_as_the_whole() -> None:
    whole, _ = read_chat(json.dumps(COMPLETION).encode())
    pieces, odd = read_chat(b"".join(chat_events(COMPLETION, usage=True)))
    assert (parts_of(pieces), odd) == (parts_of(whole), ())
    whole, _ = read_message(json.dumps(MESSAGE).encode())
    pieces, odd = read_message(b"".join(message_events(MESSAGE)))
    assert (parts_of(pieces), odd) == (parts_of(whole), ())
    assert pieces.usage == Usage(10, 12, 20)


@pytest.mark.parametrize("lost", [1, 2, 3, 9])
def test_an_answer_that_broke_off_is_never_taken_for_a_whole_one(lost: int) -> None:
    chat, message = chat_events(COMPLETION, usage=True)[:-2], message_events(MESSAGE)
    for read, data in ((read_chat, chat[:-lost]), (read_message, message[:-lost])):
        with pytest.raises(UnreadableAnswerError, match="a stream that broke off"):
            read(b"".join(data))


@pytest.mark.parametrize("begun", [None, 7, [], "", {}])
def test_a_block_that_begins_with_no_text_has_that_of_its_pieces(begun: object) -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": begun}}
    pieces = [{"type": "content_block_delta", "index": 0, "delta": {"text": text}} for text in ("Yes", ".")]
    assert fold_message([start, *pieces, {"type": "message_stop"}])["content"] == [{"type": "text", "text": "Yes."}]


def test_a_provider_that_breaks_off_in_the_middle_is_quoted() -> None:
    broken = b'data: {"error": {"message": "no more credit"}}\n\n'
    with pytest.raises(UnreadableAnswerError, match="no more credit"):
        read_chat(b"".join(chat_events(COMPLETION, usage=True)[:4]) + broken)
    broken = b'event: error\ndata: {"type": "error", "error": {"message": "overloaded"}}\n\n'
    with pytest.raises(UnreadableAnswerError, match="overloaded"):
        read_message(b"".join(message_events(MESSAGE)[:4]) + broken)


@pytest.mark.parametrize(
    "odd",
    [
        b"data: nonsense\n\n",
        b"data: [1]\n\n",
        b": a comment\n\n",
        b'data: {"choices": "x", "delta": 7, "type": 1, "index": "a"}\n\n',
        b'data: {"choices": [{"delta": {"content": 7, "tool_calls": [3, {"index": "a"}, {"function": 1}]}}]}\n\n',
        b'data: {"type": "content_block_delta", "index": [], "delta": {"text": 3}}\n\n',
        b"event: ping\n\n",
        b"\xff\xfe\n",
    ],
)
def test_odd_events_are_passed_over(odd: bytes) -> None:
    chat = chat_events({**COMPLETION, "choices": [{"message": {"content": SAID}, "finish_reason": "stop"}]}, usage=True)
    assert fold_chat(parse_events(b"".join([chat[0], odd, *chat[1:]])))["choices"][0]["message"]["content"] == SAID
    message = message_events(MESSAGE)
    assert fold_message(parse_events(b"".join([*message[:3], odd, *message[3:]])))["content"][0]["text"] == SAID


def test_characters_are_counted_wherever_the_bytes_are_cut() -> None:
    for data in (b"".join(chat_events(COMPLETION, usage=True)), b"".join(message_events(MESSAGE))):
        for size in (1, 3, 100, len(data)):
            counts: list[int] = []
            texts: list[str] = []

            def tell(count: int, text: str, counts: list[int] = counts, texts: list[str] = texts) -> None:
                counts.append(count)
                texts.append(text)

            arriving = Arriving(tell)
            for start in range(0, len(data), size):
                arriving.take(data[start : start + size])
            assert texts[-1] == SAID
            assert counts == sorted(map(len, texts))
            assert all(map(SAID.startswith, texts))


def test_of_a_very_long_answer_the_beginning_is_shown_and_all_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gm.llm.streams.MOST_SHOWN", 5)
    seen: list[tuple[int, str]] = []
    arriving = Arriving(lambda count, text: seen.append((count, text)))
    for text in ("abc", "def", "ghi"):
        arriving.take(b'data: {"choices": [{"delta": {"content": "%s"}}]}\n' % text.encode())
    assert seen == [(3, "abc"), (6, "abcde"), (9, "abcde")]


def test_who_is_writing_is_told_while_the_answer_arrives_and_when_it_is_there() -> None:
    seen: list[tuple[str, int | None, str]] = []
    tell = Surroundings(writing=lambda *progress: seen.append(progress))
    with serving_chat(ChatApi(lambda _body: Said(SAID))) as api:
        answer = OpenAiApi("m", Provider("here", api.url), tell).ask(ASKED)
    assert api.requests[0]["stream"] is True
    assert api.requests[0]["stream_options"] == {"include_usage": True}
    assert (answer.text, answer.usage.cache_read_tokens) == (SAID, 2000)
    assert seen[-2:] == [("vera", len(SAID), SAID), ("vera", None, "")]
    seen.clear()
    with serving(MessagesApi(lambda _body, _number: Reply(SAID))) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}
        api_ = AnthropicApi("m", LlmSettings(cache="5m", structured="schema"), environment, None, tell.writing)
        assert api_.ask(ASKED).text == SAID
    assert server.faults == []
    assert seen[-2:] == [("vera", len(SAID), SAID), ("vera", None, "")]


def test_a_failure_ends_the_writing_too() -> None:
    seen: list[tuple[str, int | None, str]] = []
    tell = Surroundings(writing=lambda *progress: seen.append(progress))
    refuse = ChatApi(lambda _body: Said(status=401, body={"error": {"message": "no"}}))
    with serving_chat(refuse) as api, pytest.raises(BackendError):
        OpenAiApi("m", Provider("here", api.url), tell).ask(ASKED)
    assert seen == [("vera", None, "")]


@pytest.mark.parametrize(("stream", "asked"), [(PLAIN, {"stream": True}), (NEVER, {})])
def test_a_provider_is_asked_for_pieces_as_it_is_declared(stream: str, asked: dict[str, object]) -> None:
    with serving_chat(ChatApi(lambda _body: Said(SAID))) as api:
        OpenAiApi("m", Provider("here", api.url, stream=stream), Surroundings()).ask(ASKED)
    assert {key: value for key, value in api.requests[0].items() if key.startswith("stream")} == asked
    assert providers()["groq"].stream == NEVER


def test_pieces_can_be_switched_off() -> None:
    with serving_chat(ChatApi(lambda _body: Said(SAID))) as api:
        assert (
            OpenAiApi("m", Provider("here", api.url), Surroundings(LlmSettings(stream="off"))).ask(ASKED).text == SAID
        )
    assert "stream" not in api.requests[0]


def test_a_server_that_refuses_to_stream_is_asked_for_the_whole_once_and_for_all() -> None:
    def script(body: dict[str, Any]) -> Said:
        return Said(status=400, body={"error": {"message": "stream: no"}}) if "stream" in body else Said(SAID)

    with serving_chat(ChatApi(script)) as api:
        backend = OpenAiApi("m", Provider("here", api.url), Surroundings())
        assert [backend.ask(ASKED).text for _ in range(2)] == [SAID, SAID]
    assert ["stream" in body for body in api.requests] == [True, False, False]
    assert ["response_format" in body for body in api.requests] == [True] * 3

    def reply(body: dict[str, Any], _number: int) -> Reply:
        return Reply("streaming is not supported", status=400) if "stream" in body else Reply(SAID)

    with serving(MessagesApi(reply)) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}
        api_ = AnthropicApi("m", LlmSettings(cache="5m", structured="schema"), environment)
        assert [api_.ask(ASKED).text for _ in range(2)] == [SAID, SAID]
    assert ["stream" in body for body in server.requests] == [True, False, False]


def test_a_stream_that_makes_no_whole_message_is_kept_and_explained() -> None:
    half = b"".join(chat_events(COMPLETION, usage=True)[:3])
    with serving_chat(ChatApi(lambda _body: Said(body=half))) as api, pytest.raises(UnreadableAnswerError) as caught:
        OpenAiApi("m", Provider("here", api.url), Surroundings()).ask(ASKED)
    assert caught.value.raw == half
    assert "llm.stream: off" in caught.value.hint


def test_the_pages_say_who_is_writing_only_while_a_run_is_under_way(dinner: Layout) -> None:
    passed: list[tuple[str, int | None, str]] = []
    note = WritingNote(dinner, lambda *progress: passed.append(progress))
    note("alex", 12, "a")
    note("casey", 3, "c")
    note("alex", 40, "alo")
    assert find_writers(dinner) == ("alex", "casey")
    assert view_today(dinner).speaking == (), "a run that was killed leaves its note behind"
    with locked(dinner.lock, "gm advance-day"):
        assert view_today(dinner).speaking == ("alex", "casey")
        note("alex", None, "")
        assert view_today(dinner).speaking == ("casey",)
    note("casey", None, "")
    assert find_writers(dinner) == ()
    assert passed[2:] == [("alex", 40, "alo"), ("alex", None, ""), ("casey", None, "")]


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"writing": 3}', b'{"writing": [3, {}]}'])
def test_a_damaged_note_says_nothing(dinner: Layout, damaged: bytes) -> None:
    Path(dinner.derived).mkdir(exist_ok=True)
    dinner.writing_note.write_bytes(damaged)
    assert find_writers(dinner) == ()


def test_a_terminal_shows_who_is_writing_and_how_much() -> None:
    view, lines = DayView(), list[str]()
    view.asking(studio("vera", "emre", "leo"), ("vera", "emre", "leo"))
    view.answered(scene("vera", "emre", "leo"), 1, 3)
    assert view.waiting_line == "scene 2: 1 of 3 answered · waiting for: Vera, Emre, Leo"
    for who, characters in (("vera", 1312), ("emre", 7), ("vera", None)):
        view.writing(who, characters)
        lines.append(view.waiting_line)
    assert lines == [
        "scene 2: 1 of 3 answered · writing: Vera (1,312 characters)",
        "scene 2: 1 of 3 answered · writing: Vera (1,312 characters), Emre (7 characters)",
        "scene 2: 1 of 3 answered · writing: Emre (7 characters)",
    ]
    view.writing("emre", None)
    assert view.waiting_line == "scene 2: 1 of 3 answered · waiting for: Leo"


def test_a_terminal_counts_the_seconds_of_a_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("gm.cli.playing.show.time.monotonic", lambda: now)
    view = DayView()
    view.answered(scene("vera", "emre"), 0, 2)
    view.asking(studio("vera", "emre"), ("vera", "emre"))
    assert str(view.__rich__()) == view.waiting_line
    now += 75
    assert str(view.__rich__()) == "scene 2: 0 of 2 answered · waiting for: Vera, Emre · 75 s"
    view.writing("vera", 3)
    assert str(view.__rich__()) == "scene 2: 0 of 2 answered · writing: Vera (3 characters)"
