"""A stand-in for embedding servers: Ollama's two forms and OpenAI's, strict about what is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.llm.vectors.toy import DIMENSIONS, embed_text

Body = dict[str, Any]
ROUTES = ("/api/embed", "/api/embeddings", "/v1/embeddings")


@dataclass
class Reply:
    """What goes back instead of vectors."""

    status: int
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)


Script = Callable[[str, Body, int], Reply | None]


class EmbeddingApi:
    """The server. What it refuses is in ``faults``, and goes back as a 400.

    Args:
        routes: Which paths it knows; the others are 404, as a web server says it.
        models: Which models it has.
        key: Asks for this bearer token.
        script: Says what goes back instead of vectors: path, body, number of the request from 1; None = vectors.
    """

    def __init__(
        self,
        *routes: str,
        models: tuple[str, ...] = ("toy",),
        dimensions: int = DIMENSIONS,
        key: str = "",
        script: Script = lambda _path, _body, _number: None,
    ) -> None:
        self.routes = routes or ROUTES
        self.models, self.dimensions, self.key, self.script = models, dimensions, key, script
        self.requests: list[tuple[str, Body]] = []
        self.faults: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""
        self._lock = threading.Lock()

    @property
    def paths(self) -> list[str]:
        """What was asked, in order."""
        return [path for path, _ in self.requests]

    @property
    def texts(self) -> list[str]:
        """All texts that came, in order."""
        return [text for _, body in self.requests for text in (body.get("input") or [body.get("prompt")])]

    def answer(self, path: str, headers: dict[str, str], body: Body) -> Reply:
        """Check a request and make the reply."""
        with self._lock:
            self.requests.append((path, body))
            self.headers.append(headers)
            number = len(self.requests)
        if path not in self.routes:
            return Reply(404, "404 page not found")
        scripted = self.script(path, body, number)
        if scripted is not None:
            return scripted
        faults = list(find_faults(path, body))
        self.faults += faults
        if faults:
            return Reply(400, json.dumps({"error": "; ".join(faults)}))
        if path.startswith("/v1"):
            return self._openai(headers, body)
        if body["model"] not in self.models:
            return Reply(404, json.dumps({"error": f'model "{body["model"]}" not found, try pulling it first'}))
        if path == "/api/embed":
            vectors = [embed_text(text, self.dimensions) for text in body["input"]]
            return Reply(200, json.dumps({"model": body["model"], "embeddings": vectors, "total_duration": 1}))
        return Reply(200, json.dumps({"embedding": embed_text(body["prompt"], self.dimensions)}))

    def _openai(self, headers: dict[str, str], body: Body) -> Reply:
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return Reply(401, json.dumps({"error": {"message": "Incorrect API key provided"}}))
        if body["model"] not in self.models:
            error = {"message": f"The model `{body['model']}` does not exist", "code": "model_not_found"}
            return Reply(404, json.dumps({"error": error}))
        data = [
            {"object": "embedding", "index": place, "embedding": embed_text(text, self.dimensions)}
            for place, text in enumerate(body["input"])
        ]
        # the last one first: who reads them in the order in which they come is wrong
        return Reply(200, json.dumps({"object": "list", "data": data[::-1], "model": body["model"]}))


def find_faults(path: str, body: Body) -> Iterator[str]:
    """Name what is not in the form of this address."""
    expected = {"model", "prompt"} if path == "/api/embeddings" else {"model", "input"}
    if set(body) != expected:
        yield f"{path}: fields {sorted(body)}, expected {sorted(expected)}"
        return
    if not isinstance(body["model"], str):
        yield f"{path}: model is no text"
    texts = [body["prompt"]] if "prompt" in body else body["input"]
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        yield f"{path}: not a list of texts"


@contextmanager
def serving(api: EmbeddingApi) -> Iterator[EmbeddingApi]:
    """Serve on the loopback address while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = api.answer(self.path, headers, body)
            data = reply.text.encode()
            self.send_response(reply.status)
            for name, value in {"content-length": str(len(data)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
