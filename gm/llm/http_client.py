"""The HTTP client of both APIs, with its limits. Imported late, like the SDKs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

import httpx2

from gm.base.config import LlmSettings
from gm.llm.refusals import LONGEST, MOVED_TO
from gm.llm.streams import Arriving, Writing, says_its_end

CONNECT_S = 10.0
SPARE_CONNECTIONS = 4
MOST_ANSWER_BYTES = 64 * 1024 * 1024
"""Most bytes read of the body of an answer."""
LOCATION = "location"
_arriving: ContextVar[Callable[[int, str], None] | None] = ContextVar("arriving", default=None)
"""Told of the answer that this thread is reading."""


@contextmanager
def following(writing: Writing | None, who: str) -> Iterator[None]:
    """Report answers that this thread reads while they arrive."""
    if writing is None:
        yield
        return
    token = _arriving.set(lambda count, text: writing(who, count, text))
    try:
        yield
    finally:
        _arriving.reset(token)
        writing(who, None, "")


def connections(
    settings: LlmSettings, make: Callable[..., httpx2.Client], *hooks: Callable[[httpx2.Response], None]
) -> httpx2.Client:
    """Make the HTTP client, with the limits explained in ``anthropic_api``.

    ``hooks`` get each response, its body bounded and unread.
    """
    most = settings.concurrency + SPARE_CONNECTIONS
    return make(
        follow_redirects=False,
        event_hooks={"response": [_guard_response, *hooks]},
        timeout=httpx2.Timeout(settings.timeout_s, connect=min(CONNECT_S, settings.timeout_s)),
        limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
    )


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, longest_s: float) -> None:
        self._stream, self._longest_s = stream, longest_s

    def __iter__(self) -> Iterator[bytes]:
        left, tell, deadline = MOST_ANSWER_BYTES, _arriving.get(), monotonic() + self._longest_s
        arriving = Arriving(tell) if tell else None
        taken: list[bytes] = []
        try:
            for chunk in self._stream:
                if arriving:
                    arriving.take(chunk)
                taken.append(chunk[:left])
                yield taken[-1]
                left -= len(chunk)
                if left <= 0 or monotonic() > deadline:
                    return
        except httpx2.TransportError:
            # an answer that is there is not asked for and paid again
            if not says_its_end(b"".join(taken)):
                raise

    def close(self) -> None:
        self._stream.close()


def _guard_response(response: httpx2.Response) -> None:
    # a server that compresses unasked is not unpacked: a few bytes could expand without limit
    response.headers.pop("content-encoding", None)
    # the location is hidden, so that the SDK does not follow a redirect
    location = response.headers.pop(LOCATION, None)
    if location is not None:
        response.headers[MOVED_TO] = location
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = _Bounded(response.stream, LONGEST * response.request.extensions["timeout"]["read"])
