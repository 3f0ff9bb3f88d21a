"""How a question looks in the Messages API, and how an answer is read from it. Nothing is sent here.

Two kinds of servers: the real API, and foreign ones that speak its protocol (Ollama, llama.cpp, LM Studio, vLLM). What
foreign servers do with a schema differs: some keep to it, some ignore it without a word, some refuse it. None of them
documents cache marks. So by default they get no marks, and the schema twice: as the API wants it, and as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from gm.llm.base import Answer, Block, Request, Usage
from gm.llm.content import Content, Part, Tool, ToolCall, ToolResult, parts_of
from gm.reply.parse import clean_texts

if TYPE_CHECKING:
    from anthropic.types import (
        CacheControlEphemeralParam,
        Message,
        MessageParam,
        OutputConfigParam,
        TextBlockParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )

BASE_URL = "ANTHROPIC_BASE_URL"
HOME = "anthropic.com"
MOST_MARKS = 4
BATCH_TIER = "batch"

Lifetime = Literal["5m", "1h"]

SCHEMA_IN_WORDS = "Answer with one JSON object and nothing else. It must fit this JSON schema:"

UNKNOWN_SCHEMA_STATUS = (400, 404, 422, 501)
UNKNOWN_SCHEMA_WORDS = (
    "output_config",
    "schema",
    "format",
    "structured",
    "unknown field",
    "unknown parameter",
    "unrecognized",
    "extra inputs",
    "extra fields",
)


def is_foreign(address: str) -> bool:
    """Tell whether an address is a server that only speaks the protocol; "" = the SDK's own address."""
    host = (urlsplit(address).hostname or "") if address else HOME
    return host != HOME and not host.endswith("." + HOME)


def is_about_schema(status: int, said: str) -> bool:
    """Tell whether a server refuses a request because of ``output_config``, by its status and its words."""
    return status in UNKNOWN_SCHEMA_STATUS and any(word in said.lower() for word in UNKNOWN_SCHEMA_WORDS)


def render_system(blocks: Sequence[Block], lifetime: Lifetime | None) -> list[TextBlockParam]:
    """Render the system prompt, with cache marks where a prefix ends that stays the same.

    Args:
        blocks: The most stable first.
        lifetime: How long the provider is to keep a prefix; None = no marks.
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
    """Choose where to mark: the API takes four; the first is shared by most calls, the last ones cover most text."""
    places = [place for place, block in enumerate(blocks) if block.cache]
    if len(places) > MOST_MARKS:
        places = [places[0], *places[len(places) - MOST_MARKS + 1 :]]
    return frozenset(places)


def render_messages(request: Request, *, with_schema: bool) -> list[MessageParam]:
    """Render the turns; the last question ends with the schema if that is wanted, also when results of tools follow."""
    params = [_message(role, content) for role, content in request.messages]
    if with_schema:
        questions = (place for place, (role, content) in enumerate(request.messages) if _is_question(role, content))
        last = max(questions)
        text = request.messages[last][1]
        assert isinstance(text, str)
        params[last] = _message("user", text.rstrip() + schema_in_words(request.schema))
    return params


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """Write the form of a reply as what a question ends with where a server may not know schemas."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"\n\n{SCHEMA_IN_WORDS}\n{text}"


def tells_schema(structured: str, address: str) -> bool:
    """Tell whether questions end with the schema in words.

    Args:
        structured: ``llm.structured``.
        address: Of the server; "" = the SDK's own address.
    """
    return structured == "prompt" or (structured == "auto" and is_foreign(address))


def _is_question(role: str, content: Content) -> bool:
    return role == "user" and isinstance(content, str)


def render_tools(tools: Sequence[Tool]) -> list[ToolParam]:
    """Render the tools that may be called."""
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


def parse_message(message: Message) -> Answer:
    """Read an answer with its usage. A foreign server may leave parts of the usage out: they count as 0."""
    text = "".join(block.text for block in message.content if block.type == "text")
    usage = message.usage
    written = usage.cache_creation
    calls = (block for block in message.content if block.type == "tool_use")
    return Answer(
        text=text,
        model=message.model,
        stop=message.stop_reason or "end_turn",
        usage=Usage(
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            cache_read_tokens=usage.cache_read_input_tokens or 0,
            cache_write_tokens=usage.cache_creation_input_tokens or 0,
            cache_write_1h_tokens=written.ephemeral_1h_input_tokens if written else 0,
        ),
        calls=tuple(ToolCall(block.id, block.name, _arguments(block.input)) for block in calls),
    )


def _arguments(given: object) -> Mapping[str, Any]:
    """Take the arguments of a call, without characters that no file holds; a foreign server may send them as a text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {}
    return clean_texts(dict(given))[0] if isinstance(given, Mapping) else {}


def output_config(schema: Mapping[str, Any]) -> OutputConfigParam:
    """Render the wish for an answer that fits a schema, in the form the API takes."""
    return {"format": {"type": "json_schema", "schema": dict(schema)}}
