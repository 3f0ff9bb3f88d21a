"""Single keys and lines of text from a terminal."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from contextlib import suppress
from types import TracebackType
from typing import Any

END_OF_INPUT = "\x04"
ESCAPE = b"\x1b"
LOOK_EVERY_S = 0.25


class KeyReader:
    """Reads single keys while it is open. Ctrl-C interrupts as everywhere; what was typed before is not read."""

    def __init__(self) -> None:
        self._terminal = sys.stdin.fileno()
        self._before: list[Any] = []

    def __enter__(self) -> KeyReader:
        self._before = termios.tcgetattr(self._terminal)
        # what was pressed while a scene was played was not meant for a scene that nobody had read yet
        tty.setcbreak(self._terminal, termios.TCSAFLUSH)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        """Wait for one key; Ctrl-D is ``q``, a key that stands for nothing is empty."""
        # a signal that comes just before a process begins to wait does not end the wait
        while not select.select([self._terminal], [], [], LOOK_EVERY_S)[0]:
            pass
        data = os.read(self._terminal, 1)
        if data == ESCAPE or data >= b"\x80":
            # an arrow key or an umlaut comes as several bytes: one key all the same
            while select.select([self._terminal], [], [], 0)[0] and os.read(self._terminal, 64):
                pass
            return ""
        key = data.decode()
        return "q" if key in ("", END_OF_INPUT) else key


def read_text(prompt: str) -> str:
    """Ask for a line of text, with line editing; nothing at Ctrl-D."""
    with suppress(ImportError):
        import readline  # noqa: F401  (``input`` edits lines as soon as it is there; some builds of Python lack it)
    if not sys.stdout.isatty():
        sys.stderr.write(prompt)  # standard output belongs to a document
        sys.stderr.flush()
        prompt = ""
    try:
        return input(prompt).strip()
    except EOFError:
        return ""
