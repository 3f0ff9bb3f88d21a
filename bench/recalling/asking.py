"""Ask questions of streams in memory, in this process."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from bench.recalling.figures import Outcome
from gm.files.packaged.kinds import load_things
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Purpose, Query
from gm.memory.recall.scored import RecallInputs
from gm.memory.recall.strategies import rank_memories

RANKED = 50
"""Memories that are read of an answer, as by the scorer of the benchmark."""
PACKAGE = "gm.memory.recall"
Changes = Mapping[str, object]
"""New values of constants or functions, by ``module.name`` within ``gm.memory.recall``."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose answer is known.

    Attributes:
        kind: A category.
        stratum: The conversation or world that it is about.
        facts: For each thing asked for, the ids of the memories that hold it; one of them is enough.
        streams: Those that are searched.
    """

    query: Query
    kind: str
    stratum: str
    facts: tuple[frozenset[str], ...]
    streams: tuple[MemoryLexicon, ...]

    def with_purpose(self, purpose: Purpose) -> Question:
        return replace(self, query=replace(self.query, purpose=purpose))


@dataclass(frozen=True, slots=True)
class Asked:
    """All outcomes in the order of the questions, and the time of a question."""

    outcomes: tuple[Outcome, ...]
    rankings: tuple[tuple[str, ...], ...]
    each_ms: float


def ask_all(
    questions: Sequence[Question], strategy: str = "hybrid", changes: Changes | None = None, most: int = RANKED
) -> Asked:
    """Ask every question, with constants or functions of the code replaced."""
    columns: dict[int, Columns] = {}  # fresh ones: what they have computed may rest on a constant
    rankings = []
    with changed(changes or {}):
        begin = time.process_time()
        for question in questions:
            means = RecallInputs(things=load_things)
            streams = [columns.setdefault(id(one), Columns(one)) for one in question.streams]
            found = rank_memories(strategy, question.query, streams, Filters(), most, means)
            rankings.append(tuple(hit.entry.id for hit in found.hits))
        spent = time.process_time() - begin
    outcomes = (score(question, ranking) for question, ranking in zip(questions, rankings, strict=True))
    return Asked(tuple(outcomes), tuple(rankings), 1000 * spent / max(1, len(questions)))


def score(question: Question, ranking: Sequence[str]) -> Outcome:
    """Return at which ranks the answer stands."""
    ranks = tuple(
        next((place for place, found in enumerate(ranking, 1) if found in fact), 0) for fact in question.facts
    )
    size = sum(len(stream.entries) for stream in question.streams)
    return Outcome(question.kind, question.stratum, ranks, (size, tuple(len(fact) for fact in question.facts)))


@contextmanager
def changed(changes: Changes) -> Iterator[None]:
    """Replace constants or functions of ``gm.memory.recall``, and put them back."""
    before = {path: getattr(*_place(path)) for path in changes}
    try:
        for path, value in changes.items():
            _put(path, value)
        yield
    finally:
        for path, value in before.items():
            _put(path, value)


def is_there(path: str) -> bool:
    """Return whether the code has a constant or function of this name."""
    module, _, name = path.partition(".")
    try:
        return hasattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
    except ModuleNotFoundError:
        return False


def value_of(path: str) -> Any:
    """Return a constant or function of the code."""
    return getattr(*_place(path))


def _place(path: str) -> tuple[ModuleType, str]:
    module, _, name = path.partition(".")
    return importlib.import_module(f"{PACKAGE}.{module}"), name


def _put(path: str, value: object) -> None:
    module, name = _place(path)
    setattr(module, name, value)
