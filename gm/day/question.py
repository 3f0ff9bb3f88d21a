"""One question to somebody in a scene, and what puts it together: the same for every purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gm.day.minds import Consultation
from gm.llm.base import Backend, Block, Request, TellingBackend
from gm.llm.choose import Choice
from gm.llm.content import Tool
from gm.llm.facts import Facts
from gm.llm.record import Traces
from gm.llm.wire import schema_in_words
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import Assembler
from gm.reply.parse import Parsed


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        agent: Who is asked, in words for the user.
        scene: In which scene.
        request: What is asked.
        traces: Where it is kept.
        read: Brings the text of an answer into the form that is wanted.
        consultation: Where the one who is asked may ask its own memory first.
        consulted: What it has asked already for this answer.
        shorter: Puts the same question so that so many characters stay free within its limit; None = it has no limit.
    """

    agent: str
    scene: Scene
    request: Request
    traces: Traces
    read: Callable[[str], Parsed[Any]]
    consultation: Consultation | None = None
    consulted: tuple[Consulted, ...] = ()
    shorter: Callable[[int], Question] | None = None


ModelFor = Callable[[str, Agent | None], str]
"""Takes a purpose and a character, or None for a question about several or to nobody in particular."""


def _backends_own(_purpose: str, _agent: Agent | None) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class QuestionBuilder:
    """Puts questions together.

    Attributes:
        assembler: Renders prompts.
        traces: Opens the traces of a scene.
        seed: Dice of the Game Master.
        model_for: Tells which model is asked; empty = the backend's own, whichever that is.
        tells_schema: Whether the backend tells the form of the reply in words, at the end of each question.
    """

    assembler: Assembler
    traces: Callable[[Scene], Traces]
    seed: int
    model_for: ModelFor = _backends_own
    tells_schema: bool = False

    def in_words(self, schema: Mapping[str, Any]) -> str:
        """Give what the backend adds to a question to tell the form of the reply; empty when it adds nothing."""
        return schema_in_words(schema) if self.tells_schema else ""

    def build(
        self,
        world: World,
        scene: Scene,
        agent: Agent | None,
        *,
        label: str,
        purpose: str,
        system: tuple[Block, ...],
        text: str,
        schema: Mapping[str, Any],
        read: Callable[[str], Parsed[Any]],
        facts: Facts,
        named: str,
        tools: tuple[Tool, ...] = (),
        consultation: Consultation | None = None,
        consulted: tuple[Consulted, ...] = (),
    ) -> Question:
        """Put a question together.

        Args:
            world: The world before the scene.
            scene: In which scene it is asked.
            agent: Who is asked; None = nobody in particular.
            label: Names it within its scene.
            purpose: What the answer is for.
            system: What stands in front of the question, the most stable first.
            text: The question itself.
            schema: JSON schema of the reply.
            read: Brings the text of an answer into the form that is wanted.
            facts: What it is about, as values.
            named: Who is asked, in words for the user.
            tools: What may be called before the answer is given.
            consultation: What carries the calls out.
            consulted: What came to mind while it was put together.
        """
        request = Request(
            label=label,
            purpose=purpose,
            system=system,
            messages=(("user", text),),
            schema=schema,
            max_tokens=world.settings.llm.max_tokens,
            facts=facts,
            model=self.model_for(purpose, agent),
            place=str(scene.ref),
            who=agent.id if agent else "",
            check=partial(_problems_of, read),
            tools=tools,
        )
        return Question(named, scene, request, self.traces(scene), read, consultation, consulted)


def _problems_of(read: Callable[[str], Parsed[Any]], text: str) -> Sequence[str]:
    """Name what is wrong with the text of an answer."""
    return read(text).problems


def model_of(choice: Choice, purpose: str, agent: Agent | None) -> str:
    """Name the model that is asked, also where it is the backend's own: how much a prompt may hold depends on it."""
    return choice.model_for(purpose, agent.own_model if agent else "") or choice.backend.model


def tells_schema(backend: Backend) -> bool:
    """Tell whether a backend adds the form of the reply to questions in words."""
    return isinstance(backend, TellingBackend) and backend.tells_schema
