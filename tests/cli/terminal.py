"""Drive a command through a real pseudo-terminal: wait for what it shows, press keys, type lines."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from types import TracebackType

MOST_S = 60.0  # an upper bound: a test goes on as soon as it sees what it waits for
SIZE = (60, 220)  # rows, columns
CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
OPEN_TERMINAL = 'exec "$@" <"$GM_TEST_TTY" >"$GM_TEST_OUT" 2>"$GM_TEST_TTY"'


class Terminal:
    """A command with a terminal of its own, which is also what Ctrl-C reaches it through.

    Args:
        arguments: Of ``gm``.
        stdout: File that standard output goes to; empty = the terminal.
    """

    def __init__(self, *arguments: str, stdout: str = "") -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        name = os.ttyname(slave)
        environment = {**os.environ, "GM_TEST_TTY": name, "GM_TEST_OUT": stdout or name, "TERM": "xterm"}
        # the shell is the leader of a session without a terminal: the first one that it opens is its own
        self.process = subprocess.Popen(
            ["sh", "-c", OPEN_TERMINAL, "sh", sys.executable, "-m", "gm", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._slave = slave  # held open, so that what was written last can still be read
        self._fresh = ""
        self.seen = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)

    def wait_for(self, text: str) -> str:
        """Read until a text appears that has not been waited for yet; returns what was shown up to it."""
        deadline = time.monotonic() + MOST_S
        while text not in self._fresh:
            if not self._read(deadline):
                raise AssertionError(f"{text!r} was not shown; this was:\n{self.seen[-3000:]}")
        before, _, self._fresh = self._fresh.partition(text)
        return before

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(line + "\r")

    def leave(self) -> int:
        """Wait for the end of the command; returns its exit code."""
        deadline = time.monotonic() + MOST_S
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(time.monotonic() + 0.05)
        while self._read(time.monotonic()):
            pass
        assert self.process.returncode is not None, self.seen[-3000:]
        return self.process.returncode

    def is_canonical(self) -> bool:
        """Return whether the terminal gives whole lines and shows what is typed, as it did before."""
        flags = int(termios.tcgetattr(self._slave)[3])
        return bool(flags & termios.ICANON and flags & termios.ECHO)

    def kill(self) -> None:
        """Kill the command the hard way."""
        self.process.kill()
        self.process.wait()

    def _read(self, deadline: float) -> bool:
        """Take in what is shown next; False when the time is up."""
        if not select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return False
        data = os.read(self._master, 65536)
        text = CONTROL.sub("", data.decode("utf-8", "replace")).replace("\r", "")
        self._fresh += text
        self.seen += text
        return True
