"""A run whose model answers only when it is told to, for tests of Ctrl-C.

    python -m tests.crash.interrupted WORLD

Writes a line for each question that is asked, and answers one for each line that it is given; when nothing new is begun
any more, it writes ``stopping``.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import click

from gm.cli.boundary import guarded
from gm.cli.commands import telling_what_is_awaited
from gm.files.layout import Layout
from gm.llm.asker import Asker
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import run_days
from gm.play.report import Report


class Patient(Rehearsal):
    """Waits for a line before each answer."""

    def __init__(self) -> None:
        super().__init__()
        self._reading = threading.Lock()

    def ask(self, request: Request) -> Answer:
        os.write(1, f"asked {request.label}\n".encode())
        with self._reading:
            sys.stdin.readline()
        return super().ask(request)


def tell_when_closed(close: Callable[[Asker], None]) -> Callable[[Asker], None]:
    """Return what closes an asker, which begins nothing new by then, and says so first."""

    def told(asker: Asker) -> None:
        os.write(1, b"stopping\n")
        close(asker)

    return told


@click.command()
@click.argument("world", type=click.Path(path_type=Path))
def play(world: Path) -> None:
    """Play one day."""
    choice = Choice(Patient(), "test")
    with telling_what_is_awaited(choice, as_json=False):
        run_days(Layout(world), choice, Report(), 1, command="test")


if __name__ == "__main__":
    Asker.close = tell_when_closed(Asker.close)  # type: ignore[assignment, method-assign]
    sys.exit(guarded(play, sys.argv[1:]))
