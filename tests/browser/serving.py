"""The real ``gm view``, as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")
SOON_S = 60


def gm(*arguments: str | Path) -> list[str]:
    """Write a command line of ``gm``."""
    return [sys.executable, "-m", "gm", *map(str, arguments)]


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
        self._process = subprocess.Popen(
            gm("view", "-w", world, *more),
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout
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
        self._process.wait()
        self._rest.join()
        self._out.close()

    def close(self) -> None:
        """End it as Ctrl-C does.

        Raises:
            AssertionError: It wrote a traceback until it ended.
        """
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(SOON_S)
        finally:
            self.kill()
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
