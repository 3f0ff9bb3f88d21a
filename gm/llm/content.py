"""The content of a turn: text, tool calls, and their results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.base.untyped import items_of


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call. ``id`` is unique within its conversation."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the call ``id``; with ``is_error``, why there is none."""

    id: str
    text: str
    is_error: bool = False


Part = str | ToolCall | ToolResult
Content = str | tuple[Part, ...]
"""A whole turn: its text, or its parts in order."""


def parts_of(content: Content) -> tuple[Part, ...]:
    """Return a turn's parts."""
    return (content,) if isinstance(content, str) else content


def text_of(content: Content) -> str:
    """Return a turn as text, calls and results as JSON."""
    return _text_of_plain(plain_content(content))


def plain_content(content: Content) -> Any:
    """Return a turn as plain data."""
    return content if isinstance(content, str) else [_plain_part(part) for part in content]


def plain_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool as plain data."""
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def plain_call(call: ToolCall) -> dict[str, Any]:
    """Return a call as plain data."""
    return {"id": call.id, "tool": call.name, "arguments": dict(call.arguments)}


def parse_calls(records: object) -> tuple[ToolCall, ...]:
    """Read calls from a trace, without malformed ones."""
    return tuple(
        ToolCall(str(item["id"]), str(item["tool"]), item["arguments"])
        for item in items_of(records)
        if isinstance(item, Mapping) and {"id", "tool", "arguments"} <= item.keys()
        if isinstance(item["arguments"], Mapping)
    )


def length_of_plain(content: object) -> int:
    """Return the length of ``text_of`` plain data."""
    return len(_text_of_plain(content))


def length_of_tools(tools: Sequence[Tool]) -> int:
    """Return the tools' length in characters."""
    return sum(len(json.dumps(plain_tool(tool), ensure_ascii=False)) for tool in tools)


def _plain_part(part: Part) -> Any:
    if isinstance(part, ToolCall):
        return plain_call(part)
    if isinstance(part, ToolResult):
        return {"id": part.id, "result": part.text, **({"is_error": True} if part.is_error else {})}
    return part


def _text_of_plain(content: object) -> str:
    return "\n\n".join(map(_text_of_part, content)) if isinstance(content, list) else str(content or "")


def _text_of_part(part: object) -> str:
    if not isinstance(part, Mapping):
        return str(part)
    if "result" in part:
        return str(part["result"])
    return json.dumps({key: part.get(key) for key in ("tool", "arguments")}, ensure_ascii=False)
