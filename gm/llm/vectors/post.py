"""JSON over HTTP with the standard library, repeated while the server is busy."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from gm.llm.providers import LOOPBACK
from gm.llm.refusals import LONGEST, seconds_asked
from gm.llm.vectors.base import EmbeddingError

RETRIES = 4
PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
MOST_VECTOR_BYTES = 256 * 1024 * 1024
BLOCK = 1 << 16


class _Stay(HTTPRedirectHandler):
    # A key must not reach another server.
    def http_error_302(self, *_arguments: Any, **_named: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class RefusedPostError(Exception):
    """The server refused, or answered something else: status 200 with nonsense, or any other status."""

    def __init__(self, status: int, text: str, pause_s: float | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.pause_s = status, text, pause_s


@dataclass(frozen=True, slots=True)
class JsonPost:
    """How to ask one server.

    Attributes:
        retries: After a rate limit, a server's own error or a lost connection.
    """

    timeout_s: float
    headers: Mapping[str, str] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep
    retries: int = RETRIES

    def ask(self, url: str, body: Mapping[str, Any]) -> Any:
        """Post a JSON document and return the answer.

        Raises:
            RefusedPostError: The server answered something else.
            EmbeddingError: The server cannot be reached, or stays busy.
        """
        attempt = 0
        while True:
            try:
                return self._post_once(url, body)
            except RefusedPostError as refusal:
                if attempt == self.retries or not _is_busy(refusal.status):
                    raise
                pause = refusal.pause_s
            except (OSError, HTTPException) as error:
                if attempt == self.retries or _is_nobody(error):
                    raise EmbeddingError(f"no embedding server answers at {url}: {_reason(error)}") from error
                pause = None
            self.sleep(min(LONGEST_PAUSE_S, PAUSE_S * 2**attempt if pause is None else pause))
            attempt += 1

    def _post_once(self, url: str, body: Mapping[str, Any]) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json", **self.headers}
        request = Request(url, json.dumps(body).encode(), headers, method="POST")
        try:
            with _opener(url).open(request, timeout=self.timeout_s) as response:
                return _read_json(response, LONGEST * self.timeout_s)
        except HTTPError as error:
            with error:
                text = error.read(MOST_VECTOR_BYTES).decode("utf-8", "replace")
            if 300 <= error.code < 400:
                moved = " ".join(str(error.headers.get("location", "nowhere")).split())[:200]
                text = f"it sends on to {moved}; not followed: if that is the right server, set index.url to it"
            headers = {name.lower(): value for name, value in error.headers.items()}
            raise RefusedPostError(error.code, text, seconds_asked(headers)) from None


def _opener(url: str) -> OpenerDirector:
    local = urlsplit(url).hostname in LOOPBACK
    return build_opener(_Stay(), *([ProxyHandler({})] if local else []))


def _read_json(response: HTTPResponse, longest_s: float) -> Any:
    data, deadline = bytearray(), time.monotonic() + longest_s
    while len(data) < MOST_VECTOR_BYTES and time.monotonic() < deadline and (piece := response.read1(BLOCK)):
        data += piece
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise RefusedPostError(response.status, data[:500].decode("utf-8", "replace")) from None


def _is_busy(status: int) -> bool:
    return status == 429 or (status >= 500 and status != 501)


def _is_nobody(error: Exception) -> bool:
    cause = error.reason if isinstance(error, URLError) else error
    return not isinstance(cause, TimeoutError | ConnectionResetError | ConnectionAbortedError | HTTPException)


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, URLError) else error
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
