"""The real ``gm view``, as a process of its own; it is forked from one that has imported what it needs."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

from gm.cli import main

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")
SOON_S = 60
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["gm.cli.inspecting.faces", "gm.faces.web.serve", "uvicorn", "tests.browser.serving"])


def gm(*arguments: str | Path) -> list[str]:
    """Write a command line of ``gm``."""
    return [sys.executable, "-m", "gm", *map(str, arguments)]


def _run(arguments: list[str], environment: Mapping[str, str], out: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number in (1, 2):
        os.dup2(out.fileno(), number)
    out.close()
    main(arguments)


class Server:
    """A running server.

    Attributes:
        address: Of its first page.
    """

    def __init__(self, world: Path, *more: str) -> None:
        """Start it, and wait until it says its address.

        Raises:
            AssertionError: It does not start.
        """
        reader, writer = FORKS.Pipe(duplex=False)
        arguments = ["view", "-w", str(world), *more]
        self._process = FORKS.Process(target=_run, args=(arguments, dict(os.environ), writer))
        self._process.start()
        writer.close()
        self._out = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        reader.close()
        self._said: list[str] = []
        self.address = ""
        for line in self._out:
            self._said.append(line)
            if found := ADDRESS.search(line):
                self.address = found[0]
                break
        self._rest = Thread(target=self._said.extend, args=(self._out,))
        self._rest.start()
        if not self.address:
            self.kill()
            raise AssertionError("".join(self._said))

    def kill(self) -> None:
        """End it as a machine does that runs out of memory."""
        self._process.kill()
        self._process.join()
        self._rest.join()
        self._out.close()

    def close(self) -> None:
        """End it as Ctrl-C does.

        Raises:
            AssertionError: It did not end, or wrote a traceback until it ended.
        """
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGINT)
        self._process.join(SOON_S)
        is_ended = self._process.exitcode is not None
        self.kill()
        assert is_ended
        assert "Traceback" not in "".join(self._said), "".join(self._said)


@contextmanager
def served(world: Path, *more: str) -> Iterator[str]:
    """Serve a world's pages.

    Args:
        world: Its folder.
        more: Further options of ``gm view``.

    Yields:
        The address of the first page.
    """
    server = Server(world, "--port", "0", *more)
    try:
        yield server.address
    finally:
        server.close()
