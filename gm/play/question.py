"""One question as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gm.ask.reply.parse import Parsed
from gm.llm.base import Backend, Request, TellingBackend
from gm.llm.choose import Choice
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
class Question:
    """A question as it is sent.

    Attributes:
        agent: The addressee, for messages to the user.
        consulted: Lookups made for this answer so far.
        shorter: Makes the same question with so many characters kept free; None = no limit.
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
    """Return the model that is asked, by default the backend's own."""
    return choice.model_for(purpose, agent.own_model if agent else "") or choice.backend.model


def tells_schema(backend: Backend) -> bool:
    """Return whether a backend adds the reply schema to questions in words."""
    return isinstance(backend, TellingBackend) and backend.tells_schema
