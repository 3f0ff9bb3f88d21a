"""How servers send a whole answer in pieces, as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]
PIECE, MOST_PIECES = 7, 200
DONE = b"data: [DONE]\n\n"


def _cut(text: str) -> Iterator[str]:
    size = max(PIECE, len(text) // MOST_PIECES)
    yield from (text[start : start + size] for start in range(0, len(text), size))


def chat_events(completion: Body, *, usage: bool) -> list[bytes]:
    """Return the events of a chat completion, each as it is sent; the usage is in the last one if it was asked for."""
    choice = completion["choices"][0]
    message = choice["message"]
    deltas: list[Body] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _cut(message.get("content") or "")]
    for place, call in enumerate(message.get("tool_calls") or ()):
        named = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": place, "id": call["id"], "type": "function", "function": named}]})
        pieces = _cut(call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": place, "function": {"arguments": piece}}]} for piece in pieces]
    head = {"object": "chat.completion.chunk", "model": completion["model"]}
    chunks: list[Body] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    if usage:
        chunks.append({**head, "choices": [], "usage": completion["usage"]})
    return [*(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks), DONE]


def message_events(message: Body) -> list[bytes]:
    """Return the events of a message of the Messages API, each as it is sent."""
    usage = message["usage"]
    begun = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[Body] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for place, block in enumerate(message["content"]):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": place, "content_block": empty})
        whole = block["text"] if is_text else json.dumps(block["input"])
        key, kind = ("text", "text_delta") if is_text else ("partial_json", "input_json_delta")
        deltas = ({"type": kind, key: piece} for piece in _cut(whole))
        events += [{"type": "content_block_delta", "index": place, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": place})
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    used = {"output_tokens": usage.get("output_tokens", 0)}
    events += [{"type": "message_delta", "delta": ended, "usage": used}, {"type": "message_stop"}]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
