"""The server behind ``gm view``: loopback, one process."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, current_thread, main_thread
from time import monotonic, sleep

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gm.api.answers.speech import load_words
from gm.api.experiments.judging.judges import list_unjudged
from gm.api.views.logbook import logged_day
from gm.base.collector import set_aside
from gm.base.errors import GmError, UsageError
from gm.base.markup.html import render_prose
from gm.faces.web.app import make_app
from gm.faces.web.beginning import Beginning
from gm.faces.web.judging import make_judging
from gm.faces.web.rendering import make_ready
from gm.faces.web.stage.run import StageRun
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.files.streams.memories import Memories

LOOPBACK = "127.0.0.1"
GRACE_S = 2
QUIET_S = 0.2
"""After the last answer a browser asks for styles, scripts and pictures."""
ReadAhead = Callable[[Callable[[], object]], None]
"""Reads what requests will need; calls what it is given between its steps."""


def serve(layout: Layout, port: int, *, read_only: bool, tell: Callable[[str], None]) -> None:
    """Serve a world's pages until the process is interrupted.

    Args:
        port: 0 = a free one.
        read_only: Offer no forms.

    Raises:
        UsageError: The port is in use.
        GmError: The port needs more rights.
    """
    # loaded before the address is told, so that no first page waits for them
    load_words(load_settings(layout)[0].language, "gm.faces.web")
    render_prose("")
    memories = Memories(layout)
    app = make_app(layout, read_only=read_only, memories=memories)

    def read_ahead(pause: Callable[[], object]) -> None:
        for day in layout.logged_days():
            pause()
            logged_day(layout, day)
        memories.warm(pause)

    _run_server(app, port, tell, read_ahead)


def serve_first(home: Path, port: int, *, tell: Callable[[str], None], opened: Callable[[Layout], None]) -> None:
    """Serve the first page of a folder without a world, and then the world that is made or opened there.

    Args:
        opened: Called with that world.
    """
    _run_server(Beginning(home, opened), port, tell, lambda _pause: None)


def serve_judging(folder: Path, port: int, *, tell: Callable[[str], None]) -> None:
    """Serve the pages on which people judge the pairs of a folder, until the process is interrupted.

    Raises:
        UsageError: The port is in use.
        GmError: There are no pairs, or they cannot be read; the port needs more rights.
    """
    list_unjudged(folder, "")  # refuses what cannot be judged before the address is told
    _run_server(make_judging(folder), port, tell, lambda _pause: None)


def _run_server(app: Starlette | Beginning, port: int, tell: Callable[[str], None], read_ahead: ReadAhead) -> None:
    listening = open_listening(port)
    gate = RequestsFirst(app)
    config = uvicorn.Config(
        gate, ws="none", log_level="warning", server_header=False, timeout_graceful_shutdown=GRACE_S
    )
    config.load()
    set_aside()  # what is loaded by now is never collected
    Thread(target=_make_ready, args=(gate.wait, read_ahead), daemon=True).start()
    with listening:
        tell(f"http://{LOOPBACK}:{listening.getsockname()[1]}/")  # the socket listens already: requests wait
        Server(config, app).run([listening])


def _make_ready(wait: Callable[[], None], read_ahead: ReadAhead) -> None:
    make_ready(wait)
    read_ahead(wait)
    set_aside()  # the streams that it has read


class RequestsFirst:
    """Middleware that lets a thread of the background work only while no request waits for an answer.

    Two threads of Python share one processor: without it, the first pages would take twice as long.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._asked = 0
        self._last = monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = False

        def answer() -> None:
            nonlocal answered
            if not answered:
                answered = True
                self._asked -= 1
                self._last = monotonic()

        async def send_told(message: Message) -> None:
            answer()  # it has begun: what is sent for as long as a page is open needs no processor
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._asked += 1
        try:
            await self._app(scope, receive, send_told)
        finally:
            answer()

    def wait(self) -> None:
        """Return when no request has waited for an answer for a moment."""
        while self._asked or monotonic() - self._last < QUIET_S:
            sleep(QUIET_S / 4)


class Server(uvicorn.Server):
    """A server that stops its run and disconnects listening pages before it waits for connections to end."""

    def __init__(self, config: uvicorn.Config, app: Starlette | Beginning) -> None:
        super().__init__(config)
        self._app = app

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Also shut down in order on SIGHUP."""
        with super().capture_signals():
            before = signal.getsignal(signal.SIGHUP)
            listens = before is not signal.SIG_IGN and current_thread() is main_thread()
            if listens:
                signal.signal(signal.SIGHUP, self.handle_exit)
            try:
                yield
            finally:
                if listens:
                    signal.signal(signal.SIGHUP, before)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        state = self._app.state
        if watcher := getattr(state, "watcher", None):
            watcher.close()
        run: StageRun | None = getattr(state, "run", None)
        closing = asyncio.create_task(asyncio.to_thread(run.close)) if run else None
        await super().shutdown(sockets)
        if closing:
            await closing


def open_listening(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone; port 0 = any free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen()
    except PermissionError as error:
        listening.close()
        raise GmError(f"port {port} needs more rights", "take one above 1024: gm view --port 8765") from error
    except OSError as error:
        listening.close()
        raise UsageError(f"something else listens on port {port}", "gm view --port 0 takes a free one") from error
    return listening
