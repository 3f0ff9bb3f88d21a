"""The server behind ``gm view``: loopback, one process."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread

import uvicorn

from gm.base.errors import GmError, UsageError
from gm.faces.web.app import make_app
from gm.faces.web.live import Watcher
from gm.faces.web.rendering import make_ready
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
    listening = _listen(port)
    address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
    memories = Memories(layout)
    app = make_app(layout, read_only=read_only, memories=memories)
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=GRACE_S)
    Thread(target=_read_ahead, args=(memories,), daemon=True).start()
    with listening:
        tell(address)  # the socket listens already: requests wait
        Server(config, app.state.watcher).run([listening])


def _read_ahead(memories: Memories) -> None:
    make_ready()
    memories.warm()


class Server(uvicorn.Server):
    """A server that disconnects listening pages before it waits for connections to end."""

    def __init__(self, config: uvicorn.Config, watcher: Watcher) -> None:
        super().__init__(config)
        self._watcher = watcher

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
        self._watcher.close()
        await super().shutdown(sockets)


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
