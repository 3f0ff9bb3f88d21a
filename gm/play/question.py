"""One question as a value: its request, where it is kept, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gm.ask.reply.parse import Parsed
from gm.llm.base import Backend, Block, Request, TellingBackend
from gm.llm.choose import Choice
from gm.llm.content import Tool
from gm.llm.facts import Facts
from gm.llm.record import Traces
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.scene import Scene
from gm.play.tool_protocol import Consultation

Read = Callable[[str], Parsed[Any]]
"""Parses the text of an answer."""

ModelFor = Callable[[str, Agent | None], str]
"""Returns the model for a purpose and a character; None = no single character."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question before it is addressed to a model.

    Attributes:
        label: Unique within its scene.
        purpose: One of ``PURPOSES``.
        system: The parts before the question, the most stable first.
        schema: JSON schema of the reply.
        facts: The contents as values.
        named: What is asked, for messages to the user.
        tools: What may be called before the answer.
        consultation: Carries the calls out.
        consulted: Memories that were called up for it.
    """

    label: str
    purpose: str
    system: tuple[Block, ...]
    text: str
    schema: Mapping[str, Any]
    read: Read
    facts: Facts
    named: str
    tools: tuple[Tool, ...] = ()
    consultation: Consultation | None = None
    consulted: tuple[Consulted, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question as it is sent.

    Attributes:
        agent: What is asked, for messages to the user.
        traces: Where question and answer are kept.
        consultation: Carries out tool calls; None = no tools.
        consulted: Lookups made for this answer so far.
        shorter: Makes the same question with so many characters kept free; None = it has no limit.
    """

    agent: str
    scene: Scene
    request: Request
    traces: Traces
    read: Read
    consultation: Consultation | None = None
    consulted: tuple[Consulted, ...] = ()
    shorter: Callable[[int], Question] | None = None


def model_of(choice: Choice, purpose: str, agent: Agent | None) -> str:
    """Return the model that is asked, the backend's own by default: the limit of a prompt depends on it."""
    return choice.model_for(purpose, agent.own_model if agent else "") or choice.backend.model


def tells_schema(backend: Backend) -> bool:
    """Return whether a backend adds the reply schema to questions in words."""
    return isinstance(backend, TellingBackend) and backend.tells_schema
