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


@contextmanager
def served(world: Path, *more: str) -> Iterator[str]:
    """Serve a world's pages.

    Args:
        world: Its folder.
        more: Further options of ``gm view``.

    Yields:
        The address of the first page.

    Raises:
        AssertionError: The server does not start, or wrote a traceback until it ended.
    """
    process = subprocess.Popen(
        gm("view", "-w", world, "--port", "0", *more),
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert process.stdout is not None
    said: list[str] = []
    address = None
    for line in process.stdout:
        said.append(line)
        if found := ADDRESS.search(line):
            address = found[0]
            break
    rest = Thread(target=said.extend, args=(process.stdout,))
    rest.start()
    try:
        assert address is not None, "".join(said)
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(SOON_S)
        finally:
            process.kill()
            rest.join()
            process.stdout.close()
    assert "Traceback" not in "".join(said), "".join(said)
