"""Live updates: server-sent events name changed files and report the progress of a run.

One watcher serves all pages of a server; it polls only while a page listens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic, time_ns
from typing import Any

from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gm.base.texts import is_digits
from gm.files.commits.watch import ChangedFiles
from gm.files.layout import Layout

PAUSE_S = 0.2
TOLD_PAUSE_S = 0.1
"""Least time between two events of a run."""
RESTS = 20
"""Least ratio of the pause between polls to their duration."""
MOST_LISTENERS = 100
MOST_PATHS = 50
"""More paths than these are replaced by their folders."""
RETRY_MS = 2000
RETRY_AFTER_S = 10
"""Pause of a page that was refused; the same in live.js."""
PING_S = 20
BACK_NS = 50_000_000
"""File system clocks lag by milliseconds: better one event too many than one too few."""
ReadRun = Callable[[], Mapping[str, Any]]
"""Returns the state of the run for pages; its ``version`` says whether they show it."""


@dataclass(frozen=True, slots=True)
class News:
    """Changed files.

    Attributes:
        as_of: Wall time in nanoseconds up to which changes are included.
        paths: Files inside the world, or path prefixes; empty = no change.
        is_of_run: Whether the run of the server has gone on, instead.
    """

    as_of: int
    paths: tuple[str, ...]
    is_of_run: bool = False


@dataclass(slots=True, eq=False)
class _Listener:
    paths: set[str] = field(default_factory=set)
    is_told: bool = True
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def announce(self) -> None:
        self.is_told = False
        self.wake.set()


class Watcher:
    """Watches the files of a world while pages listen."""

    def __init__(self, layout: Layout, pause_s: float = PAUSE_S) -> None:
        self._layout = layout
        self._pause_s = pause_s
        self._listeners: set[_Listener] = set()
        self._places = 0
        self._sight: asyncio.Task[ChangedFiles] | None = None
        self._round: asyncio.Task[None] | None = None
        self._closed = False

    def enter(self) -> bool:
        """Reserve a place before anything is awaited; ``leave`` releases it. False when full or closing."""
        if self._closed or self._places >= MOST_LISTENERS:
            return False
        self._places += 1
        return True

    def leave(self) -> None:
        """Release the place that ``enter`` reserved."""
        self._places -= 1

    async def listen(self, since_ns: int) -> AsyncIterator[News]:
        """Yield changes as they happen, first those since a time in nanoseconds of wall time."""
        me = _Listener()
        self._listeners.add(me)
        try:
            if self._sight is None:
                self._sight = asyncio.create_task(asyncio.to_thread(ChangedFiles, self._layout))
                self._round = asyncio.create_task(self._watch(self._sight))
            sight = await asyncio.shield(self._sight)
            yield News(sight.as_of, tuple(name_folders(sight.changed_since(since_ns))))
            while not self._closed:
                await me.wake.wait()
                me.wake.clear()
                if not me.is_told:
                    me.is_told = True
                    yield News(sight.as_of, (), is_of_run=True)
                    await asyncio.sleep(TOLD_PAUSE_S)
                paths, me.paths = me.paths, set()
                if paths:
                    yield News(sight.as_of, tuple(name_folders(sorted(paths))))
        finally:
            self._listeners.discard(me)
            if not self._listeners:
                self._rest()

    def announce(self) -> None:
        """Tell all listeners that the run has gone on. Called from any thread."""
        for listener in tuple(self._listeners):
            with suppress(RuntimeError):  # its loop has ended
                listener.loop.call_soon_threadsafe(listener.announce)

    def close(self) -> None:
        """End all listening; called once, when the server stops."""
        self._closed = True
        for listener in self._listeners:
            listener.wake.set()
        self._rest()

    def _rest(self) -> None:
        if self._round is not None:
            self._round.cancel()
        self._round = self._sight = None

    async def _watch(self, looking: asyncio.Task[ChangedFiles]) -> None:
        sight = await asyncio.shield(looking)
        pause_s = self._pause_s
        while True:
            await asyncio.sleep(pause_s)
            began = monotonic()
            paths = await asyncio.to_thread(sight.changes)
            pause_s = max(self._pause_s, RESTS * (monotonic() - began))
            for listener in self._listeners if paths else ():
                listener.paths |= set(paths)
                listener.wake.set()


def name_folders(paths: list[str]) -> list[str]:
    """Return paths, or their folders when there are too many."""
    if len(paths) <= MOST_PATHS:
        return paths
    folders = {path.rpartition("/")[0] + "/" for path in paths}
    return sorted(folders) if len(folders) <= MOST_PATHS else [""]


def answer_events(watcher: Watcher, read_run: ReadRun) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler that sends changes of files and of the run as events."""

    async def answer(request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if not watcher.enter():
            return Response(status_code=503, headers={"Retry-After": str(RETRY_AFTER_S)})
        since = request.headers.get("last-event-id") or request.query_params.get("since", "")
        since_ns = int(since) if is_digits(since, 19) else time_ns()
        return _EventStream(watcher, tell(watcher, since_ns, read_run, request.query_params.get("version", "")))

    return answer


class _EventStream(EventSourceResponse):
    def __init__(self, watcher: Watcher, events: AsyncIterator[ServerSentEvent]) -> None:
        super().__init__(events, ping=PING_S)
        self._watcher = watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watcher.leave()


async def tell(watcher: Watcher, since_ns: int, read_run: ReadRun, version: str) -> AsyncIterator[ServerSentEvent]:
    """Yield the events for one page.

    Args:
        version: Of the run, as the page shows it; empty = it shows none.

    Yields:
        ``here`` first, when nothing was missed; ``changed`` with ``{"paths": […]}``; ``played`` with ``read_run()``.
        The id is ``as_of``. JSON escapes half characters, which names of files and unfinished answers may hold.
    """
    shown = version
    async for news in watcher.listen(since_ns - BACK_NS):
        if not news.is_of_run:
            data = json.dumps({"paths": news.paths})
            kind = "changed" if news.paths else "here"
            yield ServerSentEvent(data, event=kind, id=str(news.as_of), retry=RETRY_MS)
        if news.is_of_run or (shown and shown != str(read_run()["version"])):
            yield ServerSentEvent(json.dumps(read_run()), event="played", id=str(news.as_of))
        shown = ""
