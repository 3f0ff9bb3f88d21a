"""The replay backend: recorded answers, without a model.

A question is found by its identity, else, with a notice, by its label in the same scene.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

from gm.base.errors import BackendError
from gm.base.untyped import items_of
from gm.llm.asker import parse_answer
from gm.llm.base import REHEARSAL, REPLAY, Answer, NotRecordedError, Recordings, Request, Surroundings
from gm.llm.content import plain_content
from gm.llm.identity import name_request
from gm.llm.wire import BASE_URL, needs_schema_text


def make(_model: str, around: Surroundings) -> Replay:
    """Make the backend."""
    assert around.recordings is not None
    tells_schema = needs_schema_text(around.settings.structured, around.environment.get(BASE_URL, ""))
    return Replay(around.recordings, around.notice, tells_schema=tells_schema)


class Replay:
    """Returns recorded answers.

    Args:
        notice: Called for questions that differ from the recorded ones.
        tells_schema: Whether questions ended with the schema, which left less room for memories.

    Attributes:
        asked: Number of questions that were answered; of them, ``other`` read differently when they were recorded.
    """

    name = REPLAY
    model = REPLAY
    reads_facts = False

    def __init__(
        self, recordings: Recordings, notice: Callable[[str], None] | None = None, *, tells_schema: bool = False
    ) -> None:
        self.tells_schema = tells_schema
        self._recordings = recordings
        self._notice = notice
        self._lock = Lock()
        self._noticed: frozenset[str] = frozenset()
        self._scene: tuple[str, list[Mapping[str, Any]]] = ("", [])
        self.asked = self.other = 0

    def ask(self, request: Request) -> Answer:
        records = [record for record in self._records(request.place) if record.get("label") == request.label]
        readable = [(record, answer) for record in records if (answer := parse_answer(record)) is not None]
        for record, answer in readable:
            if record.get("identity") == _named_then(request, record):
                self._count(other=False)
                return replace(answer, kept=True)
        if records and not readable:
            raise BackendError(
                f"{request.place} {request.label}: the recorded answer cannot be read",
                f"mend its file in state/traces/{request.place}, or play on with another model",
            )
        if not records:
            raise NotRecordedError(
                f"{request.place} {request.label}: nothing was recorded for this question",
                "the day was played differently, or its traces are gone; play on with another model",
            )
        record, answer = readable[-1]
        self._count(other=True)
        self._tell(request, ", ".join(_differences(request, record)) or "the reply that is wanted")
        return replace(answer, kept=True)

    def _count(self, *, other: bool) -> None:
        with self._lock:
            self.asked += 1
            self.other += other

    def _tell(self, request: Request, what: str) -> None:
        # Each difference is reported once, as a reworded prompt is part of every question.
        with self._lock:
            was_noticed, self._noticed = what in self._noticed, self._noticed | {what}
        if self._notice and not was_noticed:
            where = f"{request.place} {request.label}"
            self._notice(f"{where}: reads differently than when it was recorded: {what} (said once)")

    def _records(self, place: str) -> list[Mapping[str, Any]]:
        with self._lock:
            if self._scene[0] != place:
                self._scene = (place, list(self._recordings.in_scene(place)))
            return self._scene[1]


def _named_then(request: Request, record: Mapping[str, Any]) -> str:
    reads_facts = bool(record.get("reads_facts", record.get("backend") == REHEARSAL))
    asked = str(record.get("asked", record.get("model", "")))
    return name_request(request, str(record.get("backend", "")), asked, reads_facts=reads_facts)


def _differences(request: Request, record: Mapping[str, Any]) -> list[str]:
    said = record.get("request")
    then = said if isinstance(said, Mapping) else {}
    found = []
    now = [block.text for block in request.system]
    before = items_of(then.get("system"))
    found += [
        f"system part {number + 1}"
        for number in range(max(len(now), len(before)))
        if now[number : number + 1] != before[number : number + 1]
    ]
    if [plain_content(content) for _, content in request.messages] != [
        item.get("content") if isinstance(item, Mapping) else None for item in items_of(then.get("messages"))
    ]:
        found.append("the question")
    if request.max_tokens != then.get("max_tokens"):
        found.append("max_tokens")
    return found
