"""The server behind ``gm view``: loopback, one process."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, current_thread, main_thread

import uvicorn
from starlette.applications import Starlette

from gm.api.views.logbook import shown_days
from gm.base.errors import GmError, UsageError
from gm.faces.web.app import make_app
from gm.faces.web.beginning import Beginning
from gm.faces.web.rendering import make_ready
from gm.faces.web.stage.run import Run
from gm.files.layout import Layout
from gm.files.streams.memories import Memories

LOOPBACK = "127.0.0.1"
GRACE_S = 2


def serve(layout: Layout, port: int, *, read_only: bool, tell: Callable[[str], None]) -> None:
    """Serve a world's pages until the process is interrupted.

    Args:
        port: 0 = a free one.
        read_only: Offer no forms.

    Raises:
        UsageError: The port is in use.
        GmError: The port needs more rights.
    """
    memories = Memories(layout)
    app = make_app(layout, read_only=read_only, memories=memories)

    def read_ahead() -> None:
        shown_days(layout)
        memories.warm()

    _run(app, port, tell, read_ahead)


def serve_first(home: Path, port: int, *, tell: Callable[[str], None], opened: Callable[[Layout], None]) -> None:
    """Serve the first page of a folder without a world, and then the world that is made or opened there.

    Args:
        opened: Called with that world.
    """
    _run(Beginning(home, opened), port, tell, lambda: None)


def _run(app: Starlette | Beginning, port: int, tell: Callable[[str], None], read_ahead: Callable[[], None]) -> None:
    listening = _listen(port)
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=GRACE_S)
    Thread(target=_make_ready, args=(read_ahead,), daemon=True).start()
    with listening:
        tell(f"http://{LOOPBACK}:{listening.getsockname()[1]}/")  # the socket listens already: requests wait
        Server(config, app).run([listening])


def _make_ready(read_ahead: Callable[[], None]) -> None:
    make_ready()
    read_ahead()


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
        run: Run | None = getattr(state, "run", None)
        closing = asyncio.create_task(asyncio.to_thread(run.close)) if run else None
        await super().shutdown(sockets)
        if closing:
            await closing


def _listen(port: int) -> socket.socket:
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
