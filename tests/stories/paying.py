"""A model that is paid in tests: it plays as the rehearsal does, and counts tokens as a provider would."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from gm.llm.base import Answer, Request, Usage, length_of
from gm.llm.rehearsal.backend import Rehearsal

MODEL = "claude-opus-5"


class Paid:
    """The rehearsal under the name of the Messages API; four characters are a token.

    Attributes:
        asked: Every question, in the order of asking.
    """

    name = "anthropic"
    reads_facts = True
    caches = True

    def __init__(self, model: str = MODEL, usage: Callable[[Request, str], Usage] | None = None) -> None:
        self.model = model
        self.asked: list[Request] = []
        self._usage = usage or four_characters
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        with self._lock:
            self.asked.append(request)
        answer = Rehearsal().ask(request)
        return replace(answer, model=request.model or self.model, usage=self._usage(request, answer.text))


def four_characters(request: Request, text: str) -> Usage:
    """Count four characters as a token."""
    return Usage(length_of(request) // 4, len(text) // 4)
