"""One question of a scene as a value: what is asked, of whom, where it is kept, and how its answer is read."""

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
"""Brings the text of an answer into the form that is wanted."""

ModelFor = Callable[[str, Agent | None], str]
"""Takes a purpose and a character, or None for a question about several or to nobody in particular."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked, before it is addressed to a model.

    Attributes:
        label: Names it within its scene.
        purpose: What the answer is for.
        system: What stands in front of the question, the most stable first.
        text: The question itself.
        schema: JSON schema of the reply.
        read: Reads the answer.
        facts: What it is about, as values.
        named: The character that is asked, in words for the user.
        tools: What may be called before the answer is given.
        consultation: Carries the calls out.
        consulted: What came to mind while it was put together.
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
        agent: The character that is asked, in words for the user.
        scene: In which scene.
        request: What is asked.
        traces: Where it is kept.
        read: Reads the answer.
        consultation: Where the character may ask its own memory first.
        consulted: What it has asked already for this answer.
        shorter: Puts the same question so that so many characters stay free within its limit; None = it has no limit.
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
    """Return the model that is asked, also where it is the backend's own: how much a prompt may hold depends on it."""
    return choice.model_for(purpose, agent.own_model if agent else "") or choice.backend.model


def tells_schema(backend: Backend) -> bool:
    """Return whether a backend adds the form of the reply to questions in words."""
    return isinstance(backend, TellingBackend) and backend.tells_schema
