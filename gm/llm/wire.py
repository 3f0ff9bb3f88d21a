"""Questions and answers in the form of the Messages API. Sends nothing.

Foreign servers (Ollama, llama.cpp, LM Studio, vLLM) may ignore or refuse a schema, and do not document cache marks. By
default they get no marks, and the schema twice: as a field and as text.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from gm.ask.reply.extract import load_json
from gm.ask.reply.parse import clean_texts
from gm.llm.base import Answer, Block, Request, UnreadableAnswerError, Usage, read_tokens, read_usage
from gm.llm.content import Content, Part, Tool, ToolCall, ToolResult, parts_of
from gm.llm.packaged import words
from gm.llm.streams import BROKEN, Event, fold_message, is_stream, parse_events

if TYPE_CHECKING:
    from anthropic.types import (
        CacheControlEphemeralParam,
        MessageParam,
        TextBlockParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )

BASE_URL = "ANTHROPIC_BASE_URL"
HOME = "anthropic.com"
API_ADDRESS = f"https://api.{HOME}"
MOST_MARKS = 4

Lifetime = Literal["5m", "1h"]

UNKNOWN_SCHEMA_STATUS = (400, 404, 422, 501)
UNKNOWN_SCHEMA_WORDS = (
    "output_config",
    "schema",
    "grammar",
    "initialize samplers",
    "format",
    "structured",
    "unknown field",
    "unknown parameter",
    "unrecognized",
    "extra inputs",
    "extra fields",
)


def is_foreign(address: str) -> bool:
    """Return whether a server only speaks the protocol; "" = the SDK's own address."""
    host = (urlsplit(address).hostname or "") if address else HOME
    return host != HOME and not host.endswith("." + HOME)


def is_about_schema(status: int, said: str) -> bool:
    """Return whether a refusal is about ``output_config``."""
    return status in UNKNOWN_SCHEMA_STATUS and any(word in said.lower() for word in UNKNOWN_SCHEMA_WORDS)


def is_about_stream(status: int, said: str) -> bool:
    """Return whether a refusal is about streaming."""
    return status in UNKNOWN_SCHEMA_STATUS and "stream" in said.lower()


def render_system(blocks: Sequence[Block], lifetime: Lifetime | None) -> list[TextBlockParam]:
    """Render the system prompt, with cache marks where a stable prefix ends.

    ``lifetime``: how long the provider keeps a prefix; None = no marks.
    """
    marked = _places_to_mark(blocks) if lifetime else frozenset()
    mark: CacheControlEphemeralParam = {"type": "ephemeral"}
    if lifetime == "1h":
        mark["ttl"] = "1h"
    params: list[TextBlockParam] = []
    for place, block in enumerate(blocks):
        params.append({"type": "text", "text": block.text})
        if place in marked:
            params[-1]["cache_control"] = mark
    return params


def _places_to_mark(blocks: Sequence[Block]) -> frozenset[int]:
    # Four marks at most: the first is shared by most calls, the last ones cover most text.
    places = [place for place, block in enumerate(blocks) if block.cache]
    if len(places) > MOST_MARKS:
        places = [places[0], *places[len(places) - MOST_MARKS + 1 :]]
    return frozenset(places)


def render_messages(request: Request, *, with_schema: bool) -> list[MessageParam]:
    """Render the turns; the last question ends with the schema if wanted."""
    params = [_message(role, content) for role, content in request.messages]
    if with_schema:
        last, text = find_last_question(request)
        params[last] = _message("user", text.rstrip() + schema_in_words(request.schema))
    return params


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """Return the schema text that ends a question."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"\n\n{words()['schema']}\n{text}"


def needs_schema_text(structured: str, address: str) -> bool:
    """Return whether questions end with the schema, by ``llm.structured`` and server."""
    return structured == "prompt" or (structured == "auto" and is_foreign(address))


def find_last_question(request: Request) -> tuple[int, str]:
    """Return the last question's place and text; tool results may follow."""
    texts = enumerate(request.messages)
    return max((place, text) for place, (role, text) in texts if role == "user" and isinstance(text, str))


def render_tools(tools: Sequence[Tool]) -> list[ToolParam]:
    """Render callable tools."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]


def _message(role: str, content: Content) -> MessageParam:
    body = content if isinstance(content, str) else [_part(part) for part in parts_of(content) if part != ""]
    if role == "assistant":
        return {"role": "assistant", "content": body}
    return {"role": "user", "content": body}


def _part(part: Part) -> TextBlockParam | ToolUseBlockParam | ToolResultBlockParam:
    if isinstance(part, ToolCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": dict(part.arguments)}
    if isinstance(part, ToolResult):
        result: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": part.id, "content": part.text}
        if part.is_error:
            result["is_error"] = True
        return result
    return {"type": "text", "text": part}


def read_message(data: bytes) -> tuple[Answer, tuple[str, ...]]:
    """Read a server's answer; oddities are repaired where the text is plain.

    Returns:
        The answer, and a phrase for each oddity. Missing parts of the usage count as 0.

    Raises:
        UnreadableAnswerError: There is neither a text nor a call.
    """
    message, odd = load_message(data, fold_message)
    return parse_message(message, data, odd)


class Oddities:
    """Tells each oddity of a server once."""

    def __init__(self, notice: Callable[[str], None] | None) -> None:
        self._notice, self._noticed, self._lock = notice, set[str](), Lock()

    def tell(self, model: str, odd: Sequence[str]) -> None:
        with self._lock:
            fresh = [item for item in dict.fromkeys(odd) if item not in self._noticed]
            self._noticed.update(fresh)
        if fresh and self._notice:
            self._notice(f"{model}: odd answers of the server: {', '.join(fresh)} (said once; the bytes are kept)")


def fill_in(answer: Answer, model: str, max_tokens: int) -> Answer:
    """Return an answer with the model's name, and a full window as reason of an early stop."""
    stop = answer.stop
    if stop == "max_tokens" and 0 < answer.usage.output_tokens < max_tokens:
        stop = "model_context_window_exceeded"
    return replace(answer, model=answer.model or model, stop=stop)


def load_message(
    data: bytes, fold: Callable[[Iterable[Event]], Mapping[str, Any]]
) -> tuple[Mapping[str, Any], list[str]]:
    """Return the JSON object in a server's bytes, and a phrase for each oddity.

    ``fold`` joins a stream of events.

    Raises:
        UnreadableAnswerError: There is no JSON object.
    """
    data = data.removeprefix(BOM_UTF8)
    if is_stream(data):
        lost: list[bytes] = []
        message = fold(parse_events(data, lost))
        return message, ["a piece that is not JSON, text may be missing"] if lost else []
    try:
        text, odd = data.decode("utf-8"), list[str]()
    except UnicodeDecodeError:
        text, odd = data.decode("utf-8", "replace"), ["bytes that are not UTF-8"]
    try:
        read = load_json(text)
    except ValueError:
        raise UnreadableAnswerError(_show_start(text), data) from None
    if not isinstance(read, Mapping):
        raise UnreadableAnswerError(f"{_kind(read)} instead of a message", data)
    return read, odd


def explain_unreadable(error: UnreadableAnswerError, model: str, hint: str) -> UnreadableAnswerError:
    """Return the error for the user; ``hint`` is for a body that is not a stream."""
    message = f"{model}: the server sent {error.message}"
    return UnreadableAnswerError(message, error.raw, BROKEN if is_stream(error.raw) else hint)


def without_content(data: bytes, error: object) -> str:
    """Say what holds no text and no call, with its ``error``: only a whole stream has content."""
    if is_stream(data):
        return f"a stream that broke off{quote_error(error)}"
    said = quote_error(error) or f", which begins: {quote_said(data[:400].decode('utf-8', 'replace'))!r}"
    return f"a message without readable content{said}"


def parse_message(message: object, data: bytes, odd: Sequence[str] = ()) -> tuple[Answer, tuple[str, ...]]:
    """Read an answer from a message; ``data`` are its bytes.

    Raises:
        UnreadableAnswerError: It holds neither a text nor a call.
    """
    found = list(odd)
    if not isinstance(message, Mapping):
        raise UnreadableAnswerError(f"{_kind(message)} instead of a message", data)
    text, calls = _content(message.get("content"), found)
    if text is None:
        raise UnreadableAnswerError(without_content(data, message.get("error")), data)
    stop, model = message.get("stop_reason"), message.get("model")
    if not isinstance(stop, str) or not stop:
        found.append("no stop_reason")
    if not isinstance(model, str):
        found.append("no model")
    answer = Answer(
        text=text,
        model=model if isinstance(model, str) else "",
        stop=stop if isinstance(stop, str) and stop else "end_turn",
        usage=_usage(message.get("usage"), found),
        calls=calls,
    )
    return (replace(answer, raw=data) if found else answer), tuple(found)


def _content(content: object, odd: list[str]) -> tuple[str | None, tuple[ToolCall, ...]]:
    if isinstance(content, str | Mapping):
        odd.append("content that is not a list")
        content = [{"type": "text", "text": content} if isinstance(content, str) else content]
    if not isinstance(content, list):
        return None, ()
    texts: list[str] = []
    calls: list[ToolCall] = []
    lost = False
    for block in content:
        kind = block.get("type", "text") if isinstance(block, Mapping) else None
        if isinstance(block, str):
            odd.append("a text in the place of a block")
            texts.append(block)
        elif isinstance(block, Mapping) and kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif isinstance(block, Mapping) and kind == "tool_use" and _is_call(block):
            calls.append(ToolCall(block["id"], block["name"], read_arguments(block.get("input"))))
        elif not isinstance(kind, str) or kind in ("text", "tool_use"):
            odd.append("a block that cannot be read")
            lost = True
    return (None if lost and not texts and not calls else "".join(texts)), tuple(calls)


def _is_call(block: Mapping[str, Any]) -> bool:
    return isinstance(block.get("id"), str) and isinstance(block.get("name"), str)


def _usage(given: object, odd: list[str]) -> Usage:
    values = given if isinstance(given, Mapping) else {}
    if not isinstance(given, Mapping):
        odd.append("no usage")
    kept = values.get("cache_creation")
    said = {
        "input_tokens": values.get("input_tokens"),
        "output_tokens": values.get("output_tokens"),
        "cache_read_tokens": values.get("cache_read_input_tokens"),
        "cache_write_tokens": values.get("cache_creation_input_tokens"),
        "cache_write_1h_tokens": kept.get("ephemeral_1h_input_tokens") if isinstance(kept, Mapping) else None,
    }
    odd += [f"usage.{name}: no number of tokens" for name, value in said.items()
            if value is not None and read_tokens(value) is None]  # fmt: skip
    return read_usage(said)


def read_arguments(given: object) -> Mapping[str, Any]:
    """Return a call's arguments, sometimes sent as text, without characters that no file holds."""
    if isinstance(given, str):
        try:
            given = load_json(given)
        except ValueError:
            return {}
    return clean_texts(dict(given))[0] if isinstance(given, Mapping) else {}


def _show_start(text: str) -> str:
    if not text.strip():
        return "nothing at all"
    is_page = text.lstrip()[:15].lower().startswith(("<!doctype", "<html"))
    return f"{'an HTML page' if is_page else 'no JSON'}, which begins: {quote_said(text)!r}"


def quote_said(text: str) -> str:
    """Return the beginning of what a server said, for a message."""
    return " ".join(text[:400].split())[:80]


def quote_error(error: object) -> str:
    """Return what a server said of an error, behind a colon; empty where it said nothing."""
    said = error.get("message") if isinstance(error, Mapping) else error
    return f": {quote_said(said)}" if isinstance(said, str) and said.strip() else ""


def _kind(value: object) -> str:
    return (
        "null" if value is None else {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")
    )
