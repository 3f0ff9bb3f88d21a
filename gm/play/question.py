"""One question as a value, and a character's look-ups before it answers.

Results of tool calls are kept in the traces: a repeated command or a replay finds the same words.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from pydantic import BaseModel

from gm.ask.reply.parse import Parsed
from gm.files.layout import Layout
from gm.llm.asker import Traces
from gm.llm.base import Answer, Backend, Block, Facts, Request, TellingBackend, widen_of, window_of
from gm.llm.choose import Choice
from gm.llm.content import Part, Tool, ToolCall, ToolResult, plain_call
from gm.llm.identity import name_request
from gm.model.consulted import CONSULTED, Consulted, consulted_from_record
from gm.model.scene import Scene
from gm.model.world import Agent, World
from gm.play.vector_search import VectorSearch

MOST_CALLS = 8
TOO_MANY = f"no more than {MOST_CALLS} calls at once"
KEPT_FOR = "tools"
_ROUND = re.compile(r"-tool-[0-9]+\Z")

Read = Callable[[str], Parsed[Any]]
"""Parses the text of an answer."""

ModelFor = Callable[[str, Agent | None], str]
"""Returns the model for a purpose and a character; None = no single character."""


class Minds(Protocol):
    """Characters' tools for their own memories. They read the world before a scene, and write nothing."""

    def offered(self, world: World, scene: Scene) -> tuple[Tool, ...]: ...

    def call(self, world: World, scene: Scene, agent: Agent, call: ToolCall) -> Consulted:
        """Carry out a call; errors are part of the result."""
        ...


MindsOf = Callable[[Layout, Callable[[str], None], VectorSearch | None], Minds]
"""Takes paths, a function for notices, and a vector search; None = one for each call."""


@dataclass(frozen=True, slots=True)
class Consultation:
    """One character's tool calls in a turn; after ``rounds`` rounds it has to answer."""

    call: Callable[[ToolCall], Consulted]
    rounds: int

    def results(self, traces: Traces, request: Request, answer: Answer, number: int) -> tuple[Consulted, ...]:
        """Carry out an answer's calls, or find their results in the traces."""
        label = f"{_ROUND.sub('', request.label)}-result-{number}"
        name = _name(request, answer)
        known = _read_results(traces.find(label, name), len(answer.calls))
        if known is not None:
            return known
        found = tuple(
            self.call(item) if place < MOST_CALLS else Consulted(item.name, item.arguments, TOO_MANY, is_error=True)
            for place, item in enumerate(answer.calls)
        )
        traces.keep(label, name, {"label": label, "results": [CONSULTED.write(item) for item in found]})
        return found

    def follow(self, request: Request, answer: Answer, found: Sequence[Consulted], number: int) -> Request:
        called: tuple[Part, ...] = (*filter(None, (answer.text,)), *answer.calls)
        results = tuple(
            ToolResult(call.id, item.text, item.is_error) for call, item in zip(answer.calls, found, strict=True)
        )
        return replace(
            request,
            label=f"{_ROUND.sub('', request.label)}-tool-{number}",
            messages=(*request.messages, ("assistant", called), ("user", results)),
            must_answer=number >= self.rounds,
        )


@dataclass(frozen=True, slots=True)
class QuestionName:
    """What a question is called: ``label`` in its scene's traces, ``named`` in messages."""

    label: str
    purpose: str
    named: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked, in words and as values."""

    system: tuple[Block, ...]
    text: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class ExpectedReply:
    """Which reply is expected.

    Attributes:
        form: Where a person may write it.
        exact: Schema with all that ``read`` requires; None = ``schema``.
        is_long: Whether it needs more room than a turn.
    """

    schema: Mapping[str, Any]
    read: Read
    form: type[BaseModel] | None = None
    exact: Mapping[str, Any] | None = None
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class LookUps:
    """Tools offered with a question, what carries out their calls, and lookups made for this answer so far."""

    tools: tuple[Tool, ...] = ()
    consultation: Consultation | None = None
    consulted: tuple[Consulted, ...] = ()


NO_LOOK_UPS = LookUps()


@dataclass(frozen=True, slots=True)
class SentQuestion:
    """A question as sent.

    Attributes:
        consulted: Lookups made for this answer so far.
        shorter: Makes the same question with a number of characters kept free; None = no limit.
    """

    agent: str
    scene: Scene
    request: Request
    traces: Traces
    read: Read
    consultation: Consultation | None = None
    consulted: tuple[Consulted, ...] = ()
    shorter: Callable[[int], SentQuestion] | None = None


def choose_model(choice: Choice, purpose: str, agent: Agent | None) -> str:
    """Return the model that is asked, by default the backend's own."""
    own, who = (agent.front_values.model, agent.id) if agent else ("", "")
    return choice.model_for(purpose, own, who) or choice.backend.model


def tells_schema(backend: Backend) -> bool:
    """Return whether a backend adds the reply schema to questions in words."""
    return isinstance(backend, TellingBackend) and backend.tells_schema


@dataclass(frozen=True, slots=True)
class AskedModels:
    """What a question's form and length depend on.

    Attributes:
        model: Returns the model for a purpose and a character; empty = the backend's own.
        tells_schema: Whether questions end with the reply schema in words.
        window: Returns a model's tokens for prompt and answer; None = unknown.
        widen: As ``gm.play.windows.explain_no_room``.
    """

    model: ModelFor = lambda _purpose, _agent: ""
    tells_schema: bool = False
    window: Callable[[str], int | None] = lambda _model: None
    widen: str = ""


def models_of(choice: Choice) -> AskedModels:
    """Return the models that a backend asks."""
    backend = choice.backend
    return AskedModels(
        partial(choose_model, choice), tells_schema(backend), partial(window_of, backend), widen_of(backend)
    )


def _name(request: Request, answer: Answer) -> str:
    asked = name_request(request, KEPT_FOR, "", reads_facts=False)
    text = json.dumps([asked, [plain_call(call) for call in answer.calls]], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_results(record: Mapping[str, Any] | None, count: int) -> tuple[Consulted, ...] | None:
    items = record.get("results") if record else None
    if not isinstance(items, list) or len(items) != count:
        return None
    try:
        return tuple(consulted_from_record(item) for item in items)
    except ValueError:
        return None
