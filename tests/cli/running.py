"""Run the command line inside the test's own process."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from gm.cli import gm
from gm.cli.boundary import guarded


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


Run = Callable[..., Outcome]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """Make the function that runs ``gm`` with arguments."""

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        before = signal.getsignal(signal.SIGINT)
        try:
            code = guarded(gm, [str(argument) for argument in arguments])
        finally:
            signal.signal(signal.SIGINT, before)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run
