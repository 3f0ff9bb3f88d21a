"""A stand-in for the batches of the Messages API on this machine, beside the stand-in for single calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm.messages_api import Body, MessagesApi, Reply, Script, document, find_faults, running

BATCHES = "/v1/messages/batches"
NOW = "2026-11-22T00:00:00Z"
HEX = frozenset("0123456789abcdef")

Fate = Callable[[Body], Body | None]
"""Makes the result of a question out of its parameters; None = it is answered."""


@dataclass
class Batch:
    """One batch as the server knows it."""

    id: str
    requests: list[Body]
    ended: bool = False


@dataclass
class Faults:
    """What goes wrong on purpose.

    Attributes:
        lose_created: The batch is made, and its answer never comes.
        none: The server has no batches.
        cut: The results break off in the middle.
    """

    lose_created: bool = False
    none: bool = False
    cut: bool = False


@dataclass
class Seen:
    """What was asked of the server."""

    created: list[Batch] = field(default_factory=list)
    collected: list[str] = field(default_factory=list)


class BatchApi(MessagesApi):
    """Takes single calls as ``MessagesApi`` does, and batches.

    Args:
        script: Makes the replies, also those of batches.

    Attributes:
        fate: Makes results other than answers.
        wrong: What goes wrong on purpose.
        seen: What was asked.
    """

    def __init__(self, script: Script | None = None) -> None:
        super().__init__(script)
        self.fate: Fate = lambda _params: None
        self.wrong = Faults()
        self.seen = Seen()

    def finish(self) -> None:
        """Let all batches end."""
        for batch in self.seen.created:
            batch.ended = True

    def create(self, headers: Any, requests: list[Body]) -> Batch:
        """Take a batch and check each of its questions as a single call."""
        names = [item["custom_id"] for item in requests]
        if len(set(names)) != len(names) or any(len(name) != 64 or set(name) - HEX for name in names):
            self.faults.append(f"custom ids {names}")
        for item in requests:
            self.faults += find_faults("/v1/messages", headers, item["params"])
        batch = Batch(f"msgbatch_{len(self.seen.created) + 1}", requests)
        self.seen.created.append(batch)
        return batch

    def describe(self, batch: Batch) -> Body:
        """Describe a batch in the words of the API."""
        size = len(batch.requests)
        counts = {"canceled": 0, "errored": 0, "expired": 0}
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if batch.ended else "in_progress",
            "request_counts": counts | {"processing": 0 if batch.ended else size, "succeeded": size * batch.ended},
            "results_url": f"{self.url}{BATCHES}/{batch.id}/results" if batch.ended else None,
            "created_at": NOW,
            "expires_at": NOW,
            "ended_at": NOW if batch.ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
        }

    def page(self, after: str | None, limit: int) -> Body:
        """List batches, the newest first."""
        newest_first = [self.describe(batch) for batch in reversed(self.seen.created)]
        places = [place for place, item in enumerate(newest_first) if item["id"] == after]
        rest = newest_first[places[0] + 1 :] if places else newest_first
        data = rest[:limit]
        ends = {"first_id": data[0]["id"] if data else None, "last_id": data[-1]["id"] if data else None}
        return {"data": data, "has_more": len(rest) > limit, **ends}

    def results(self, batch: Batch) -> list[Body]:
        """Make the results, in another order than the questions."""
        self.seen.collected.append(batch.id)
        made = []
        for item in reversed(batch.requests):
            params = item["params"]
            result = self.fate(params) or {"type": "succeeded", "message": document(self.script(params, 1), params)}
            made.append({"custom_id": item["custom_id"], "result": result})
        return made

    def get(self, path: str, query: dict[str, str]) -> tuple[int, bytes]:
        """Answer a GET."""
        if path == BATCHES:
            return _json(self.page(query.get("after_id"), int(query.get("limit", 20))))
        name = path.removeprefix(BATCHES + "/").removesuffix("/results")
        batch = next((batch for batch in self.seen.created if batch.id == name), None)
        if batch is None:
            return _error(404, "no such batch")
        if not path.endswith("/results"):
            return _json(self.describe(batch))
        return 200, b"".join(json.dumps(item).encode() + b"\n" for item in self.results(batch))


def errored(text: str) -> Body:
    """The result of a question that the API refused."""
    return {"type": "errored", "error": document(Reply(status=400, text=text), {})}


EXPIRED: Body = {"type": "expired"}


def _json(data: Body) -> tuple[int, bytes]:
    return 200, json.dumps(data).encode()


def _error(status: int, text: str) -> tuple[int, bytes]:
    return status, json.dumps(document(Reply(status=status, text=text), {})).encode()


@contextmanager
def serving_batches(api: BatchApi) -> Iterator[BatchApi]:
    """Let the stand-in answer on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if api.wrong.none:
                self._send(*_error(404, "not found"))
                return
            pairs = dict(part.split("=", 1) for part in query.split("&") if part)
            status, data = api.get(path, pairs)
            self._send(status, data, cut=api.wrong.cut and path.endswith("/results"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path.partition("?")[0] != BATCHES:
                reply = api.reply(self.path, self.headers, body)
                self._send(reply.status, json.dumps(document(reply, body)).encode())
                return
            batch = api.create(self.headers, body["requests"])
            if api.wrong.lose_created:
                self.close_connection = True
                return
            self._send(*_json(api.describe(batch)))

        def _send(self, status: int, data: bytes, *, cut: bool = False) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if cut else data)
            self.close_connection = cut

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    with running(Handler) as api.url:
        yield api
