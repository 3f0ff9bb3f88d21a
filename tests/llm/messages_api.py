"""A stand-in for the Messages API on this machine: it checks each request the way the real one does, and answers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any, TypeVar

from tests.llm.streamed import message_events

WAIT_S = 20  # only a failing test waits that long

Body = dict[str, Any]

USAGE: Body = {
    "input_tokens": 100,
    "output_tokens": 50,
    "cache_creation_input_tokens": 700,
    "cache_creation": {"ephemeral_1h_input_tokens": 300, "ephemeral_5m_input_tokens": 400},
    "cache_read_input_tokens": 2000,
}


@dataclass(frozen=True)
class Reply:
    """What the stand-in sends back: a text of the model, or an error; ``cut`` breaks the connection in the middle,
    ``usage`` is what it says it was paid for, ``calls`` are tools that the model calls: names and arguments; ``raw`` is
    sent as it is, instead of all that."""

    text: str = ""
    stop: str = "end_turn"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    usage: Body = field(default_factory=lambda: dict(USAGE))
    calls: tuple[tuple[str, Body], ...] = ()
    raw: bytes | None = None


Script = Callable[[Body, int], Reply]
"""Makes the reply to a request; the number counts requests with this beginning of the question, from 1."""


class MessagesApi:
    """The server. ``faults`` names what was wrong with requests; a test ends by looking that it is empty.

    Attributes:
        script: Makes the replies.
        hold: Number of requests under way before the first is answered.
    """

    def __init__(self, script: Script | None = None, *, hold: int = 0) -> None:
        self.script = script or answer_well
        self.requests: list[Body] = []
        self.faults: list[str] = []
        self.peak = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self._hold = threading.Barrier(hold) if hold else None
        self._left_to_hold = hold
        self.url = ""

    def questions(self) -> list[str]:
        """The last user text of each request."""
        return [body["messages"][-1]["content"] for body in self.requests]

    def reply(self, path: str, headers: Any, body: Body) -> Reply:
        """Check a request, wait for company if a test wants it, and make the reply."""
        with self._lock:
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
            faults = list(find_faults(path, headers, body))
            self.faults += faults
            self.requests.append(body)
            number = sum(
                other["messages"] == body["messages"] and other["system"] == body["system"] for other in self.requests
            )
            wait = self._left_to_hold > 0
            self._left_to_hold -= 1
        try:
            if wait and self._hold:
                self._hold.wait(WAIT_S)
            return Reply(status=400, text="; ".join(faults)) if faults else self.script(body, number)
        except threading.BrokenBarrierError:
            self.faults.append("the requests did not come at the same time")
            return Reply(status=400, text="alone")
        finally:
            with self._lock:
                self._under_way -= 1


def find_faults(path: str, headers: Any, body: Body) -> Iterator[str]:
    """Name what the real API would refuse."""
    if path.partition("?")[0] != "/v1/messages":
        yield f"POST {path}"
    if not headers.get("x-api-key") and not headers.get("authorization"):
        yield "no x-api-key"
    if not headers.get("anthropic-version"):
        yield "no anthropic-version"
    known = {"model", "max_tokens", "system", "messages", "output_config", "tools", "tool_choice", "stream"}
    unknown = set(body) - known
    if unknown:
        yield f"unknown: {sorted(unknown)}"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "no model"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "no max_tokens"
    yield from _system_faults(body.get("system"))
    yield from _message_faults(body.get("messages"))
    yield from _tool_faults(body)
    form = body.get("output_config", {}).get("format", {})
    if form.get("type") != "json_schema":
        yield "output_config.format is no json_schema"
    yield from _schema_faults(form.get("schema"), "schema")


def _system_faults(system: Any) -> Iterator[str]:
    if not isinstance(system, list) or not system:
        yield "system is no list of blocks"
        return
    for block in system:
        if block.get("type") != "text" or not block.get("text", "").strip():
            yield "a system block without text"
    marked = [block for block in system if "cache_control" in block]
    if not 1 <= len(marked) <= 4:
        yield f"{len(marked)} cache marks, 1 to 4 expected"
    if any(block["cache_control"].get("type") != "ephemeral" for block in marked):
        yield "a cache mark that is not ephemeral"


def _message_faults(messages: Any) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "no messages"
        return
    roles = [message.get("role") for message in messages]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        yield f"roles {roles}"
    for message in messages:
        content = message.get("content", "")
        if isinstance(content, list):
            yield from (f"a {block.get('type')} block without text" for block in content
                        if block.get("type") == "text" and not block.get("text", "").strip())  # fmt: skip
        elif not content.strip():
            yield "an empty message"


def _tool_faults(body: Body) -> Iterator[str]:
    """Name what is wrong with tools: their schemas, and whether each result answers a call of the message before."""
    tools = body.get("tools", ())
    names = [tool.get("name", "") for tool in tools]
    if any(not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names) or len(set(names)) < len(names):
        yield f"names of tools: {names}"
    if any(tool.get("input_schema", {}).get("type") != "object" for tool in tools):
        yield "an input_schema that is no object"
    if "tool_choice" in body and (not tools or body["tool_choice"].get("type") not in ("auto", "any", "none")):
        yield f"tool_choice {body['tool_choice']}"
    messages = [message["content"] for message in body.get("messages") or ()]
    blocks = [[block for block in content if isinstance(content, list)] for content in messages]
    called = [[block["id"] for block in item if block["type"] == "tool_use"] for item in blocks]
    answered = [[block["tool_use_id"] for block in item if block["type"] == "tool_result"] for item in blocks]
    if any(called) and not tools:
        yield "the messages speak of tools, and none are defined"
    for place, ids in enumerate(called):
        if ids and (place + 1 == len(answered) or answered[place + 1] != ids):
            yield f"calls {ids} without their results"
    if sum(map(len, called)) != sum(map(len, answered)):
        yield "results of tools that nobody called"


def _schema_faults(schema: Any, place: str) -> Iterator[str]:
    if isinstance(schema, list):
        for number, item in enumerate(schema):
            yield from _schema_faults(item, f"{place}.{number}")
    if not isinstance(schema, dict):
        if place == "schema":
            yield "no schema"
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{place}: additionalProperties is not false"
    unsupported = {"minimum", "maximum", "minLength", "maxLength", "maxItems"} & set(schema)
    if unsupported and place.rpartition(".")[2] != "properties":
        yield f"{place}: {sorted(unsupported)} not supported"
    for key, value in schema.items():
        yield from _schema_faults(value, f"{place}.{key}")


def asks_for(body: Body) -> set[str]:
    """Name the keys that the schema of a request requires, wherever it stands."""
    if "output_config" in body:
        return set(body["output_config"]["format"]["schema"].get("required", ()))
    return set(json.loads(body["messages"][-1]["content"].rpartition("\n")[2]).get("required", ()))


def who(body: Body) -> str:
    """Return which character is asked."""
    if "tools" in body:
        found = re.search(r"(?:Du bist|You are) ([A-Z][a-z]+)", json.dumps(body["messages"][1:]))
        return found[1].lower() if found else "somebody"
    found = re.search(r"^# (?:Du bist|You are) .*\(`([a-z]+)`\)", body["system"][1]["text"], re.M)
    assert found is not None, "no persona in the second block"
    return found[1]


def good_reply(body: Body) -> Body:
    """A reply that fits the schema of a request."""
    name = who(body)
    if "insights" in asks_for(body):
        ids = re.findall(r"`([a-z]+-\d{3,})`", body["messages"][0]["content"])
        insight = {"description": f"{name} versteht etwas.", "importance": 7, "tags": ["insight"], "evidence": ids[:2]}
        return {"insights": [insight] * 3, "thoughts": "", "mood": None}
    reply: Body = {
        "action": f"{name.capitalize()} nickt.",
        "dialogue": [{"to": None, "text": f"Hier spricht {name}."}],
        "thoughts": "Kein Wort davon.",
        "mood": "ruhig",
        "memories": [
            {
                "type": "observation",
                "description": f"{name} war dabei.",
                "importance": 5,
                "tags": ["day"],
                "evidence": [],
            }
        ],
        "conversation": None,
        "artifact": None,
        "plan": None,
        "current_task": None,
        "go_to": None,
        "done": True,
    }
    if "`talk_to`:" in body["messages"][0]["content"]:
        reply["plan"] = {"work": ["ein Turm"], "talk_to": [], "library": None, "importance": 4}
    if "Das ist deine Szene" in body["messages"][0]["content"]:
        reply["artifact"] = {
            "title": f"Turm von {name}",
            "kind": "concepts",
            "description": "Ein Turm.",
            "body": "Ein Turm aus sechs Knochen.",
            "importance": 7,
            "tags": ["tower"],
            "style_tags": [],
        }
    return reply


def answer_well(body: Body, number: int) -> Reply:
    """Answer every request as it should be."""
    return Reply(json.dumps(good_reply(body), ensure_ascii=False))


def document(reply: Reply, body: Body) -> Body:
    """Put a reply into the words of the API."""
    if reply.status != 200:
        kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
        error = {"type": kinds.get(reply.status, "invalid_request_error"), "message": reply.text or "no"}
        return {"type": "error", "error": error, "request_id": "req_1"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [
            *([{"type": "text", "text": reply.text}] if reply.text else []),
            *(
                {"type": "tool_use", "id": f"toolu_{number}_{name}", "name": name, "input": given}
                for number, (name, given) in enumerate(reply.calls, len(body["messages"]))
            ),
        ],
        "stop_reason": "tool_use" if reply.calls else reply.stop,
        "stop_sequence": None,
        "usage": reply.usage,
    }


class Server(ThreadingHTTPServer):
    """Lets many connect at the same moment: with the usual queue of five, some would be told to come back later."""

    request_queue_size = 256
    daemon_threads = True


@contextmanager
def running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Let a handler answer on a free port of this machine; gives its address."""
    server = Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def sending(script: Callable[[BufferedIOBase], object]) -> Iterator[tuple[str, list[str]]]:
    """Let a server write raw bytes; gives its address and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["content-length"]))
            self.close_connection = True
            with suppress(OSError):
                script(self.wfile)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    with running(Handler) as address:
        yield f"{address}/v1", asked


Served = TypeVar("Served", bound=MessagesApi)


@contextmanager
def serving(api: Served) -> Iterator[Served]:
    """Let the stand-in answer on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = api.reply(self.path, self.headers, body)
            message, kind = document(reply, body), "application/json"
            data = json.dumps(message).encode() if reply.raw is None else reply.raw
            if body.get("stream") and reply.status == 200 and reply.raw is None:
                data, kind = b"".join(message_events(message)), "text/event-stream"
            self.send_response(reply.status)
            for name, value in {"content-type": kind, **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            with suppress(ConnectionError):  # the other side may have given up
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if reply.cut else data)
            self.close_connection = reply.cut

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    with running(Handler) as api.url:
        yield api
