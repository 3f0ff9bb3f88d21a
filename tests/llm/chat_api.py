"""A stand-in for OpenAI's chat completions on this machine: it checks each request by the strict rules, and answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm.messages_api import running
from tests.llm.reader import compose
from tests.llm.streamed import chat_events

Body = dict[str, Any]
KNOWN = {"model", "messages", "max_tokens", "max_completion_tokens", "response_format", "tools", "tool_choice"}
KNOWN |= {"stream", "stream_options", "provider", "reasoning_effort"}
USAGE: Body = {"prompt_tokens": 2100, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 2000}}


@dataclass(frozen=True)
class Said:
    """What the stand-in sends: a text of the model, or ``body`` as it is."""

    text: str = ""
    status: int = 200
    body: object = None
    finish: str = "stop"
    headers: dict[str, str] = field(default_factory=dict)
    usage: Body = field(default_factory=lambda: dict(USAGE))

    def document(self, model: object) -> object:
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text}
        return {
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
            "usage": self.usage,
        }


def whole(body: Body) -> str:
    """Return all texts of a request."""
    return "\n\n".join(message["content"] for message in body["messages"])


def answer_well(body: Body) -> Said:
    return Said(json.dumps(compose(whole(body)), ensure_ascii=False))


class ChatApi:
    """The server. ``faults`` names what was wrong with requests; a test ends by looking that it is empty.

    ``known`` are documents by path, beside and before its list of models; ``looked_up`` are the paths that were read.
    ``loads`` are documents that are known once a model was loaded, by the path that loads it.
    """

    def __init__(self, script: Callable[[Body], Said] = answer_well, *, is_strict: bool = False) -> None:
        self.script, self.is_strict = script, is_strict
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[str] = []
        self.peak = self._under_way = 0
        self.known: dict[str, object] = {}
        self.loads: dict[str, dict[str, object]] = {}
        self.looked_up: list[str] = []
        self._lock = threading.Lock()
        self.url = ""

    def reply(self, path: str, headers: dict[str, str], body: Body) -> Said:
        if path in self.loads:
            self.known |= self.loads[path]
            return Said(body={})
        with self._lock:
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
            faults = list(find_faults(path, body, is_strict=self.is_strict))
            self.requests.append(body)
            self.headers.append(headers)
            self.faults += faults
        try:
            return Said(status=400, body={"error": {"message": "; ".join(faults)}}) if faults else self.script(body)
        finally:
            with self._lock:
                self._under_way -= 1


def find_faults(path: str, body: Body, *, is_strict: bool) -> Iterator[str]:
    """Name what a strict server would refuse."""
    if path != "/v1/chat/completions":
        yield f"POST {path}"
    if unknown := set(body) - KNOWN:
        yield f"unknown: {sorted(unknown)}"
    limits = [body[key] for key in ("max_tokens", "max_completion_tokens") if key in body]
    if len(limits) != 1 or limits[0] < 1:
        yield "no limit of tokens"
    roles = [message["role"] for message in body["messages"]]
    if roles[:2] != ["system", "user"] or roles[-1] not in ("user", "tool"):
        yield f"roles {roles}"
    if any(not (message.get("content") or message.get("tool_calls") or "").strip() for message in body["messages"]):
        yield "an empty message"
    form = body.get("response_format", {})
    if form.get("type") == "json_schema":
        if is_strict and form["json_schema"].get("strict") is not True:
            yield "strict is not set"
        if form["json_schema"].get("strict"):
            yield from strict_faults(form["json_schema"]["schema"])


ALLOWED = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description", "$ref"}


def strict_faults(schema: Body, place: str = "schema") -> Iterator[str]:
    """Name what the strict rules refuse."""
    if unknown := set(schema) - ALLOWED - {"$defs"}:
        yield f"{place}: {sorted(unknown)} not allowed"
    if "$ref" in schema and len(schema) > 1:
        yield f"{place}: siblings of $ref"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{place}: additionalProperties is not false"
        if list(schema.get("required", ())) != list(schema.get("properties", ())):
            yield f"{place}: not all keys are required"
    parts = {**schema.get("properties", {}), **schema.get("$defs", {})}
    parts |= {f"anyOf.{number}": part for number, part in enumerate(schema.get("anyOf", ()))}
    parts |= {"items": schema["items"]} if "items" in schema else {}
    for name, part in parts.items():
        yield from strict_faults(part, f"{place}.{name}")


@contextmanager
def serving_chat(api: ChatApi) -> Iterator[ChatApi]:
    """Let the stand-in answer on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            api.looked_up.append(self.path)
            known = {"/v1/models": {"object": "list", "data": [{"id": "loaded-one", "object": "model"}]}, **api.known}
            self._send(Said(body=known[self.path]) if self.path in known else Said(status=404, body={}), {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(api.reply(self.path, headers, body), body)

        def _send(self, said: Said, asked: Body) -> None:
            document, kind = said.document(asked.get("model")), "application/json"
            data = document if isinstance(document, bytes) else json.dumps(document).encode()
            if asked.get("stream") and said.body is None and isinstance(document, dict):
                data = b"".join(chat_events(document, usage="stream_options" in asked))
                kind = "text/event-stream"
            self.send_response(said.status)
            for name, value in {"content-type": kind, **said.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    with running(Handler) as address:
        api.url = f"{address}/v1"
        yield api
