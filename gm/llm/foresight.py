"""Forecast of a run's questions, which the rehearsal answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from threading import Lock
from typing import Any

from gm.base.tokens import TokenCounter
from gm.llm.asker import parse_answer
from gm.llm.base import FORECAST, MAILBOX, Answer, Backend, Request, TellingBackend, Usage, widen_of, window_of
from gm.llm.calls import purpose_of
from gm.llm.content import length_of_tools, text_of
from gm.llm.identity import identity
from gm.llm.prices import FREE_BACKENDS
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import NarratorFacts

Answered = Callable[[str, str, str], Mapping[str, Any] | None]
"""Finds the trace of a question by its scene, its label and its identity."""
CHAPTER = "chapter"
STUDIO_CHARACTERS = {"scene": 2_037, "reflection": 3_424, "diary": 3_611, "narrator": 783, CHAPTER: 12_627}
"""Mean characters of an answer, where a model has none: of the 273 answers of the recorded days of the studio
(``gm/worlds/recorded``; ``tests/api/playing/test_forecast.py`` measures them), the rehearsal's being shorter."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A coming question; ``characters`` of its answer are the rehearsal's, or the studio's (``of_studio``)."""

    request: Request
    model: str
    characters: int
    of_studio: bool = False

    @property
    def purpose(self) -> str:
        return purpose_of(self.request.who, self.request.label, self.request.purpose)


class Foresight:
    """Answers in place of another backend: from its traces (``answered``), else by rehearsal."""

    name = FORECAST
    reads_facts = True

    def __init__(self, chosen: Backend, answered: Answered) -> None:
        self.model = chosen.model
        self.tells_schema = isinstance(chosen, TellingBackend) and chosen.tells_schema
        self.widen = widen_of(chosen)
        self._chosen = chosen
        self._is_free = chosen.name in FREE_BACKENDS
        self._answered = answered
        self._rehearsal = Rehearsal()
        self._lock = Lock()
        self.foreseen: list[Foreseen] = []

    def window(self, model: str) -> int | None:
        """Return the chosen backend's window, so that prompts beyond it are named now."""
        return window_of(self._chosen, model)

    def ask(self, request: Request) -> Answer:
        record = self._answered(request.place, request.label, identity(request, self._chosen))
        known = parse_answer(record) if record is not None else None
        if known is not None:
            return known
        answer = self._rehearsal.ask(request)
        if request.model != MAILBOX or self._chosen.name == MAILBOX:  # else a person is asked
            length = len(answer.text or text_of(answer.calls))
            rehearsed = Foreseen(request, request.model or self._chosen.model, length)
            with self._lock:
                self.foreseen.append(rehearsed if answer.calls or self._is_free else _of_studio(rehearsed))
        return replace(answer, backend=self._rehearsal.name, asked=self._rehearsal.model)


def foresee_usage(
    waves: Sequence[Sequence[Foreseen]],
    counters: Mapping[str, TokenCounter],
    answers: Mapping[str, Mapping[str, float]],
    *,
    cached: bool,
    hour: bool = False,
) -> list[list[Usage]]:
    """Estimate the tokens of questions, in waves asked one after another.

    A marked prefix counts as read when an earlier wave has sent it to the same model with the same schema.

    Args:
        counters: By model; others are counted by the estimate.
        answers: Mean tokens of an answer by model and purpose; else ``Foreseen.characters`` count.
    """
    seen: set[tuple[str, ...]] = set()
    usages = []
    for wave in waves:
        counted = [_usage(item, counters.get(item.model, TokenCounter()), answers, seen, cached) for item in wave]
        usages.append([replace(item, cache_write_1h_tokens=item.cache_write_tokens * hour) for item in counted])
        seen |= {_key(item, prefix) for item in wave for prefix in _prefixes(item.request)}
    return usages


def waves_of(foreseen: Sequence[Foreseen], wave: Callable[[Request], object]) -> list[list[Foreseen]]:
    """Group ordered questions by their ``wave``."""
    return [list(items) for _, items in groupby(foreseen, lambda item: wave(item.request))]


def _usage(
    item: Foreseen,
    counter: TokenCounter,
    answers: Mapping[str, Mapping[str, float]],
    seen: set[tuple[str, ...]],
    cached: bool,
) -> Usage:
    request = item.request
    blocks = [counter.count(len(block.text)) for block in request.system]
    whole = sum(blocks) + sum(counter.count(len(text_of(content))) for _, content in request.messages)
    if request.tools:
        whole += counter.count(length_of_tools(request.tools))
    read = marked = 0
    for prefix in _prefixes(request) if cached else ():
        marked = sum(blocks[: len(prefix)])
        if _key(item, prefix) in seen:
            read = marked
    mean = answers.get(item.model, {}).get(item.purpose)
    return Usage(
        input_tokens=whole - marked,
        output_tokens=round(mean) if mean is not None else counter.count(item.characters),
        cache_read_tokens=read,
        cache_write_tokens=marked - read,
    )


def _of_studio(item: Foreseen) -> Foreseen:
    facts = item.request.facts
    kind = CHAPTER if isinstance(facts, NarratorFacts) and facts.said is not None else item.purpose
    length = STUDIO_CHARACTERS.get(kind)
    return replace(item, characters=length, of_studio=True) if length else item


def _key(item: Foreseen, prefix: tuple[str, ...]) -> tuple[str, ...]:
    return item.model, str(item.request.schema.get("title", "")), *prefix


def _prefixes(request: Request) -> list[tuple[str, ...]]:
    texts = tuple(block.text for block in request.system)
    return [texts[: number + 1] for number, block in enumerate(request.system) if block.cache]
